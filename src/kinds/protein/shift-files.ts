/**
 * Reads files of chemical shifts as the engine does: NEF 1.1 (NMR Exchange Format, Gutmanas et al. 2015), NMR-STAR 3, and
 * NMR-STAR 2.1 of old entries (the BMRB's formats). What the engine does is known from its results, and otherwise from
 * the code of b2bTools 3.0.9.
 */
import { ONE_LETTER } from '../../domain/chemistry.ts';
import { formatShown } from '../../domain/plain-text.ts';
import { type Finding, createError, createWarning } from '../kind.ts';
import { readStar, type StarFrame, type StarLoop, type StarRow, StarSyntaxError } from './star.ts';

export interface Residue {
  /** Of its chain or entity. */
  readonly chain: string;
  /** The residue number in the file. */
  readonly code: string;
  /** Three letters: `ALA`. */
  readonly name: string;
  /** As written; a number in ppm if valid. */
  readonly atoms: Map<string, { readonly value: string; readonly line: number }>;
  /** Only in NMR-STAR: it also has an author's number. */
  readonly isAuthorNumbered: boolean;
}

/** The residues of the polymers, and the shifts of their atoms. */
export interface ShiftTable {
  readonly format: 'NEF' | 'NMR-STAR';
  readonly residues: readonly Residue[];
  /** Rows of all loops with chemical shifts. */
  readonly shifts: number;
  readonly findings: readonly Finding[];
}

/** @param frames of a STAR file; null if it is neither format */
export function readShiftTable(frames: readonly StarFrame[]): ShiftTable | null {
  const has = (pattern: RegExp): boolean =>
    frames.some(({ items, loops }) =>
      [...items.keys(), ...loops.flatMap(({ tags }) => tags)].some((tag) => pattern.test(tag)),
    );
  if (has(/^_nef_/)) return assignShifts(readNef(frames));
  if (!has(STAR_TAG)) return null;
  const isOld = frames.some(({ items }) => items.has('_saveframe_category'));
  return assignShifts(isOld ? readOldStar(frames) : readNmrStar(frames));
}

/** Tags that every file of a dialect has, and mmCIF does not. */
const STAR_TAG =
  /^_(?:(?:entry|entity|assembly|assigned_chem_shift_list|atom_chem_shift)\.|nmr_star_version$|saveframe_category$|chem_shift_value$)/;

/** A chain with the engine's residue names, one letter each: `X` if it is none of the twenty. */
interface Chain {
  readonly name: string;
  readonly residues: string;
  /** Whether any of its atoms has a shift. */
  readonly isMeasured: boolean;
}

/** In file order; none if it is not a file of shifts: another version of this program may have accepted it. */
export function readChains(text: string): readonly Chain[] {
  let residues: readonly Residue[] = [];
  try {
    residues = readShiftTable(readStar(text))?.residues ?? [];
  } catch (error) {
    if (!(error instanceof StarSyntaxError)) throw error;
  }
  return Array.from(
    Map.groupBy(residues, ({ chain }) => chain),
    ([name, own]) => ({
      name,
      residues: own.map((one) => ONE_LETTER[one.name.toUpperCase()] ?? 'X').join(''),
      isMeasured: own.some(({ atoms }) => atoms.size > 0),
    }),
  );
}

/** What a file of any dialect says. */
interface Entry {
  readonly format: ShiftTable['format'];
  readonly residues: readonly Residue[];
  /** Of shifts. */
  readonly loops: readonly StarLoop[];
  readonly columns: ShiftColumns;
  /** Entities that are not polymers. */
  readonly ligands?: ReadonlySet<string>;
  readonly findings: readonly Finding[];
}

/** The tags of a loop of shifts. */
interface ShiftColumns {
  /** Without one of them the engine stops. */
  readonly needed: readonly string[];
  readonly chain: string;
  /** The residue's number is in the first of these that has a value. */
  readonly code: readonly [string, ...string[]];
  readonly name: string;
  readonly atom: string;
  readonly value: string;
  /** A residue that its chain does not have is the first one with that number. */
  readonly isLenient: boolean;
}

/** `.` and `?` mean in STAR that there is no value. */
function isMissing(value: string): boolean {
  return value === '' || value === '.' || value === '?';
}

function findMissingTags({ tags }: StarLoop, required: readonly string[]): Finding[] {
  const missing = required.filter((tag) => !tags.includes(tag.toLowerCase()));
  return missing.map(reportMissingTag);
}

function reportMissingTag(tag: string): Finding {
  return createError(
    'SHIFTS_TAG_MISSING',
    `The file has no \`${tag}\`, without which the engine stops.`,
    'Export the whole entry again, or add the column.',
  );
}

/** Reads the cell of a row in the column of a tag; empty if the loop has no such column. */
function createCellReader({ tags }: StarLoop) {
  const places = new Map(tags.map((tag, place) => [tag, place]));
  return (row: StarRow, tag: string): string =>
    row.values[places.get(tag.toLowerCase()) ?? -1] ?? '';
}

/** Assigns shifts to their residues, and keeps the first of each type of mismatch. */
function assignShifts({ format, residues, loops, columns, ligands, findings }: Entry): ShiftTable {
  const { needed, code: codes, isLenient } = columns;
  const byKey = new Map(residues.map((one) => [buildKey(one.chain, one.code), one]));
  const byCode = new Map(residues.toReversed().map((one) => [one.code, one]));
  const missing: Finding[] = [];
  const mismatches = new Map<string, Finding>();
  const report = (found: Finding): void => {
    if (!mismatches.has(found.code)) mismatches.set(found.code, found);
  };
  let shifts = 0;
  let lists = 0;
  for (const loop of loops) {
    const isNumbered = findMissingTags(loop, codes).length < codes.length;
    const absent = findMissingTags(loop, isNumbered ? needed : [...needed, codes[0]]);
    missing.push(...absent);
    if (absent.length > 0) continue;
    if (loop.rows.length > 0) lists += 1;
    if (lists > 1) report(reportSeveralLists(loop.line));
    const cell = createCellReader(loop);
    for (const row of loop.rows) {
      const { line } = row;
      const chain = cell(row, columns.chain);
      if (ligands?.has(chain) === true) {
        report(reportLigand(chain, line));
        continue;
      }
      shifts += 1;
      const written = codes.map((tag) => cell(row, tag));
      const code = written.find((one) => !isMissing(one)) ?? written.at(-1) ?? '';
      const name = cell(row, columns.name);
      const own = byKey.get(buildKey(chain, code)) ?? (isLenient ? byCode.get(code) : undefined);
      if (own === undefined) {
        report(reportUnknownResidue(name, code, line));
        continue;
      }
      if (name !== own.name && !isMissing(name)) {
        report(reportOtherResidue(name, own, line));
      }
      own.atoms.set(cell(row, columns.atom), { value: cell(row, columns.value), line });
    }
  }
  return { format, residues, shifts, findings: [...findings, ...missing, ...mismatches.values()] };
}

function reportSeveralLists(line: number): Finding {
  return createWarning(
    'SHIFTS_SEVERAL_LISTS',
    `The file has several lists of shifts (the second in line ${line}); the engine merges them, and the last value of an atom is used.`,
    'Keep the list that you mean; give each of the others its own file and row.',
  );
}

function reportLigand(entity: string, line: number): Finding {
  return createError(
    'SHIFTS_OF_LIGAND',
    `There are shifts of entity ${formatShown(entity)} (line ${line}), which is not a polymer; the engine would assign them to the first chain.`,
    'Remove the shifts of ligands, ions and waters.',
  );
}

function reportUnknownResidue(name: string, code: string, line: number): Finding {
  return createError(
    'SHIFTS_RESIDUE_UNKNOWN',
    `The shifts name a residue \`${formatShown(name)}\` \`${formatShown(code)}\` (line ${line}) that is not in the sequence of the file.`,
    'Remove unassigned shifts, and number residues as in the sequence of the file.',
  );
}

function reportOtherResidue(name: string, { code, name: own }: Residue, line: number): Finding {
  return createWarning(
    'SHIFTS_RESIDUE_DIFFERS',
    `The shifts call residue \`${formatShown(code)}\` \`${formatShown(name)}\` (line ${line}), but the sequence has \`${formatShown(own)}\`, which is used.`,
    'Check that the sequence and the shifts have the same numbering.',
  );
}

function buildKey(chain: string, code: string): string {
  return `${chain}\n${code}`;
}

function createResidue(
  chain: string,
  code: string,
  name: string,
  isAuthorNumbered = false,
): Residue {
  return { chain, code, name, atoms: new Map(), isAuthorNumbered };
}

const NEF_CHAIN = '_nef_sequence.chain_code';
const NEF_CODE = '_nef_sequence.sequence_code';
const NEF_NAME = '_nef_sequence.residue_name';
/** Without `index` the engine fails (KeyError), although it is optional in NEF 1.0. */
const NEF_SEQUENCE = ['_nef_sequence.index', NEF_CHAIN, NEF_CODE, NEF_NAME];

const NEF_SHIFT = {
  chain: '_nef_chemical_shift.chain_code',
  name: '_nef_chemical_shift.residue_name',
  atom: '_nef_chemical_shift.atom_name',
  value: '_nef_chemical_shift.value',
};

function readNef(frames: readonly StarFrame[]): Entry {
  const loopsOf = (category: string): StarLoop[] =>
    frames
      .filter(({ items }) => [...items].find(isCategory)?.[1] === category)
      .flatMap(({ loops }) => loops);
  const findings: Finding[] = [];
  // A second residue with a number replaces the first.
  const residues = new Map<string, Residue>();
  // Every loop of the save frame of the molecular system is part of the sequence.
  for (const loop of loopsOf('nef_molecular_system')) {
    const missing = findMissingTags(loop, NEF_SEQUENCE);
    if (missing.length > 0) {
      const [tag = ''] = loop.tags;
      const foreign = createError(
        'SHIFTS_LOOP_FOREIGN',
        `The engine reads the loop of \`${formatShown(tag)}\` (line ${loop.line}) as the sequence, because it is in the save frame of the molecular system.`,
        'Remove that loop from the file.',
      );
      findings.push(...(tag.startsWith('_nef_sequence.') ? missing : [foreign]));
      continue;
    }
    const cell = createCellReader(loop);
    const wrong = loop.rows.find((row) => !/^[+-]?\d+$/.test(cell(row, NEF_CODE)));
    if (wrong !== undefined) {
      const code = formatShown(cell(wrong, NEF_CODE));
      const notWhole = createError(
        'SHIFTS_SEQUENCE_CODE',
        `The residue number \`${code}\` (line ${wrong.line}) is not a whole number.`,
        'Number the residues with integers, in the sequence and in the shifts.',
      );
      findings.push(notWhole);
    }
    for (const row of loop.rows) {
      const residue = createResidue(cell(row, NEF_CHAIN), cell(row, NEF_CODE), cell(row, NEF_NAME));
      residues.set(buildKey(residue.chain, residue.code), residue);
    }
  }
  return {
    format: 'NEF',
    residues: [...residues.values()],
    loops: loopsOf('nef_chemical_shift_list'),
    columns: {
      ...NEF_SHIFT,
      code: ['_nef_chemical_shift.sequence_code'],
      needed: Object.values(NEF_SHIFT),
      isLenient: false,
    },
    findings,
  };
}

function isCategory([tag]: readonly [tag: string, value: string]): boolean {
  return tag.endsWith('.sf_category');
}

function findLoops(frames: readonly StarFrame[], tag: string): StarLoop[] {
  const found = frames.map(({ loops }) => loops.find(({ tags }) => tags.includes(tag)));
  return found.filter((loop) => loop !== undefined);
}

/** The engine fails if one of them is missing (measured: KeyError 'Details'). */
const ASSEMBLY = ['ID', 'Entity_ID', 'Entity_label', 'Asym_ID', 'Details'].map(
  (column) => `_Entity_assembly.${column}`,
);

function readNmrStar(frames: readonly StarFrame[]): Entry {
  const ligands = new Set<string>();
  const residues: Residue[] = [];
  for (const frame of frames) {
    const entity = frame.items.get('_entity.id');
    if (entity === undefined) continue;
    const isPolymer = (frame.items.get('_entity.type') ?? 'polymer') === 'polymer';
    if (!isPolymer) ligands.add(entity);
    for (const loop of isPolymer ? findLoops([frame], '_entity_comp_index.comp_id') : []) {
      const cell = createCellReader(loop);
      for (const row of loop.rows) {
        const code = cell(row, '_Entity_comp_index.ID');
        const name = cell(row, '_Entity_comp_index.Comp_ID');
        const isAuthorNumbered = !isMissing(cell(row, '_Entity_comp_index.Auth_seq_ID'));
        residues.push(createResidue(entity, code, name, isAuthorNumbered));
      }
    }
  }
  const [assembly] = findLoops(frames, '_entity_assembly.entity_id');
  const missing = assembly
    ? findMissingTags(assembly, ASSEMBLY)
    : [reportMissingTag('_Entity_assembly.Entity_ID')];
  return {
    format: 'NMR-STAR',
    residues,
    loops: findLoops(frames, '_atom_chem_shift.val').filter(({ rows }) => rows.length > 0),
    columns: {
      needed: ['_Atom_chem_shift.ID', '_Atom_chem_shift.Comp_ID', '_Atom_chem_shift.Atom_ID'],
      chain: '_Atom_chem_shift.Entity_ID',
      code: ['_Atom_chem_shift.Seq_ID', '_Atom_chem_shift.Comp_index_ID'],
      name: '_Atom_chem_shift.Comp_ID',
      atom: '_Atom_chem_shift.Atom_ID',
      value: '_Atom_chem_shift.Val',
      isLenient: true,
    },
    ligands,
    findings: residues.length > 0 ? missing : [],
  };
}

function readOldStar(frames: readonly StarFrame[]): Entry {
  const framesOf = (category: string): StarFrame[] =>
    frames.filter(({ items }) => items.get('_saveframe_category') === category);
  const residues = framesOf('monomeric_polymer').flatMap((frame) =>
    findLoops([frame], '_residue_label').flatMap((loop) => {
      const cell = createCellReader(loop);
      return loop.rows.map((row) =>
        createResidue(frame.name, cell(row, '_Residue_seq_code'), cell(row, '_Residue_label')),
      );
    }),
  );
  // The references have their own column `_Chem_shift_value`.
  const loops = findLoops(framesOf('assigned_chemical_shifts'), '_chem_shift_value');
  return {
    format: 'NMR-STAR',
    residues,
    loops: loops.filter(({ rows }) => rows.length > 0),
    columns: {
      needed: ['_Atom_shift_assign_ID', '_Residue_label', '_Atom_name'],
      chain: '',
      code: ['_Residue_seq_code'],
      name: '_Residue_label',
      atom: '_Atom_name',
      value: '_Chem_shift_value',
      isLenient: true,
    },
    findings: [],
  };
}
