/**
 * Reads files of chemical shifts as the engine does: NEF 1.1 (NMR Exchange Format, Gutmanas et al. 2015), NMR-STAR 3, and
 * NMR-STAR 2.1 of old entries (the BMRB's formats). What the engine does is known from its results, and otherwise from
 * the code of b2bTools 3.0.9.
 */
import { ONE_LETTER } from '../../domain/amino-acids.ts';
import type { InputFinding } from '../finding.ts';
import { finding } from './problems.ts';
import { readStar, type StarFrame, type StarLoop, type StarRow } from './star.ts';

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
  readonly findings: readonly InputFinding[];
}

/** @param frames of a STAR file; null if it is neither format */
export function readShiftTable(frames: readonly StarFrame[]): ShiftTable | null {
  const has = (pattern: RegExp): boolean =>
    frames.some(({ items, loops }) =>
      [...items.keys(), ...loops.flatMap(({ tags }) => tags)].some((tag) => pattern.test(tag)),
    );
  if (has(/^_nef_/)) return readNef(frames);
  if (!has(STAR_TAG)) return null;
  const isOld = frames.some(({ items }) => items.has('_saveframe_category'));
  return isOld ? readOldStar(frames) : readNmrStar(frames);
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

/** In file order; empty if it cannot be read. */
export function readChains(text: string): readonly Chain[] {
  const star = readStar(text);
  const chains = new Map<string, Chain>();
  const residues = (star.ok ? readShiftTable(star.frames) : null)?.residues ?? [];
  for (const { chain: name, name: residue, atoms } of residues) {
    const former = chains.get(name) ?? { name, residues: '', isMeasured: false };
    chains.set(name, {
      name,
      residues: former.residues + (ONE_LETTER[residue.toUpperCase()] ?? 'X'),
      isMeasured: former.isMeasured || atoms.size > 0,
    });
  }
  return [...chains.values()];
}

/** `.` and `?` mean in STAR that there is no value. */
function isMissing(value: string): boolean {
  return value === '' || value === '.' || value === '?';
}

/** The rows of a loop by column, and the columns of `wanted` that the loop lacks. */
function columnsOf(loop: StarLoop, prefix: string, wanted: readonly string[] = []) {
  const places = new Map(loop.tags.map((tag, place) => [tag, place]));
  const placeOf = (column: string) => places.get((prefix + column).toLowerCase());
  return {
    missing: wanted.filter((name) => placeOf(name) === undefined),
    get: (row: StarRow, column: string): string => row.values[placeOf(column) ?? -1] ?? '',
  };
}

function missingTags(prefix: string, columns: readonly string[]): InputFinding[] {
  return columns.map((column) => finding('SHIFTS_TAG_MISSING', { tag: prefix + column }));
}

/** The columns of a loop of shifts. */
interface ShiftColumns {
  readonly prefix: string;
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

/** Assigns shifts to their residues and keeps the first of each type of mismatch. */
class ShiftReader {
  readonly findings: InputFinding[] = [];
  readonly ligands = new Set<string>();
  /** In NEF a second residue with a number replaces the first. */
  readonly #residues = new Map<string | number, Residue>();
  readonly #byKey = new Map<string, Residue>();
  readonly #byCode = new Map<string, Residue>();
  readonly #mismatches = new Map<string, InputFinding>();
  readonly #columns: ShiftColumns;
  #shifts = 0;
  #lists = 0;

  constructor(columns: ShiftColumns) {
    this.#columns = columns;
  }

  add(chain: string, code: string, name: string, isAuthorNumbered = false): void {
    const residue = { chain, code, name, atoms: new Map(), isAuthorNumbered };
    const key = `${chain}\n${code}`;
    this.#residues.set(this.#columns.isLenient ? this.#residues.size : key, residue);
    this.#byKey.set(key, residue);
    if (!this.#byCode.has(code)) this.#byCode.set(code, residue);
  }

  get isEmpty(): boolean {
    return this.#residues.size === 0;
  }

  readLoop(loop: StarLoop): void {
    const { prefix, needed, code: codes, isLenient, ...columns } = this.#columns;
    const { missing, get } = columnsOf(loop, prefix, needed);
    const isNumbered = columnsOf(loop, prefix, codes).missing.length < codes.length;
    if (!isNumbered && !missing.includes(codes[0])) missing.push(codes[0]);
    this.findings.push(...missingTags(prefix, missing));
    if (missing.length > 0) return;
    if (loop.rows.length > 0) this.#lists += 1;
    if (this.#lists > 1) this.#mismatch('SHIFTS_SEVERAL_LISTS', { line: loop.line });
    for (const row of loop.rows) {
      const { line } = row;
      const chain = get(row, columns.chain);
      if (this.ligands.has(chain)) {
        this.#mismatch('SHIFTS_OF_LIGAND', { entity: chain, line });
        continue;
      }
      this.#shifts += 1;
      const written = codes.map((column) => get(row, column));
      const code = written.find((one) => !isMissing(one)) ?? written.at(-1) ?? '';
      const name = get(row, columns.name);
      const own = this.#byKey.get(`${chain}\n${code}`);
      const residue = own ?? (isLenient ? this.#byCode.get(code) : undefined);
      if (residue === undefined) {
        this.#mismatch('SHIFTS_RESIDUE_UNKNOWN', { code, residue: name, line });
        continue;
      }
      if (name !== residue.name && !isMissing(name)) {
        const facts = { code, residue: name, expected: residue.name, line };
        this.#mismatch('SHIFTS_RESIDUE_DIFFERS', facts);
      }
      residue.atoms.set(get(row, columns.atom), { value: get(row, columns.value), line });
    }
  }

  readonly #mismatch = (...[code, facts]: Parameters<typeof finding>): void => {
    if (!this.#mismatches.has(code)) this.#mismatches.set(code, finding(code, facts));
  };

  table(format: ShiftTable['format']): ShiftTable {
    const findings = [...this.findings, ...this.#mismatches.values()];
    return { format, residues: [...this.#residues.values()], shifts: this.#shifts, findings };
  }
}

const NEF_SEQUENCE = '_nef_sequence.';
/** Without `index` the engine fails (KeyError), although it is optional in NEF 1.0. */
const NEF_SEQUENCE_COLUMNS = ['index', 'chain_code', 'sequence_code', 'residue_name'];

/** Every loop of the save frame of the molecular system is part of the sequence. */
function readNef(frames: readonly StarFrame[]): ShiftTable {
  const reader = new ShiftReader({
    prefix: '_nef_chemical_shift.',
    needed: ['chain_code', 'sequence_code', 'residue_name', 'atom_name', 'value'],
    chain: 'chain_code',
    code: ['sequence_code'],
    name: 'residue_name',
    atom: 'atom_name',
    value: 'value',
    isLenient: false,
  });
  for (const { items, loops } of frames) {
    const category = [...items].find(([tag]) => tag.endsWith('.sf_category'))?.[1];
    for (const loop of loops) {
      if (category === 'nef_chemical_shift_list') reader.readLoop(loop);
      if (category === 'nef_molecular_system') readNefSequence(loop, reader);
    }
  }
  return reader.table('NEF');
}

function readNefSequence(loop: StarLoop, reader: ShiftReader): void {
  const { missing, get } = columnsOf(loop, NEF_SEQUENCE, NEF_SEQUENCE_COLUMNS);
  if (missing.length > 0) {
    const [tag = ''] = loop.tags;
    const foreign = finding('SHIFTS_LOOP_FOREIGN', { tag, line: loop.line });
    const isOwn = tag.startsWith(NEF_SEQUENCE);
    reader.findings.push(...(isOwn ? missingTags(NEF_SEQUENCE, missing) : [foreign]));
    return;
  }
  const codes = loop.rows.map((row) => get(row, 'sequence_code'));
  const wrong = codes.findIndex((code) => !/^[+-]?\d+$/.test(code));
  if (wrong !== -1) {
    const [code = '', line = loop.line] = [codes[wrong], loop.rows[wrong]?.line];
    reader.findings.push(finding('SHIFTS_SEQUENCE_CODE', { code, line }));
  }
  for (const row of loop.rows) {
    reader.add(get(row, 'chain_code'), get(row, 'sequence_code'), get(row, 'residue_name'));
  }
}

function loopWith(frame: StarFrame, tag: string): StarLoop | undefined {
  return frame.loops.find((loop) => loop.tags.includes(tag));
}

const ASSEMBLY = '_Entity_assembly.';
/** The engine fails if one of them is missing (measured: KeyError 'Details'). */
const ASSEMBLY_COLUMNS = ['ID', 'Entity_ID', 'Entity_label', 'Asym_ID', 'Details'];

function readNmrStar(frames: readonly StarFrame[]): ShiftTable {
  const reader = new ShiftReader({
    prefix: '_Atom_chem_shift.',
    needed: ['ID', 'Comp_ID', 'Atom_ID'],
    chain: 'Entity_ID',
    code: ['Seq_ID', 'Comp_index_ID'],
    name: 'Comp_ID',
    atom: 'Atom_ID',
    value: 'Val',
    isLenient: true,
  });
  for (const frame of frames) {
    const entity = frame.items.get('_entity.id');
    if (entity === undefined) continue;
    const type = frame.items.get('_entity.type') ?? 'polymer';
    if (type !== 'polymer') reader.ligands.add(entity);
    const loop = loopWith(frame, '_entity_comp_index.comp_id');
    if (type !== 'polymer' || loop === undefined) continue;
    const { get } = columnsOf(loop, '_entity_comp_index.');
    for (const row of loop.rows) {
      const isAuthorNumbered = !isMissing(get(row, 'Auth_seq_ID'));
      reader.add(entity, get(row, 'ID'), get(row, 'Comp_ID'), isAuthorNumbered);
    }
  }
  const assembly = frames.flatMap(
    (frame) => loopWith(frame, `${ASSEMBLY}entity_id`.toLowerCase()) ?? [],
  )[0];
  const missing = assembly
    ? columnsOf(assembly, ASSEMBLY, ASSEMBLY_COLUMNS).missing
    : ['Entity_ID'];
  if (!reader.isEmpty) reader.findings.push(...missingTags(ASSEMBLY, missing));
  for (const frame of frames) {
    const loop = loopWith(frame, '_atom_chem_shift.val');
    if (loop !== undefined && loop.rows.length > 0) reader.readLoop(loop);
  }
  return reader.table('NMR-STAR');
}

function readOldStar(frames: readonly StarFrame[]): ShiftTable {
  const reader = new ShiftReader({
    prefix: '',
    needed: ['_Atom_shift_assign_ID', '_Residue_seq_code', '_Residue_label', '_Atom_name'],
    chain: '',
    code: ['_Residue_seq_code'],
    name: '_Residue_label',
    atom: '_Atom_name',
    value: '_Chem_shift_value',
    isLenient: true,
  });
  const loops = (category: string, tag: string) =>
    frames
      .filter(({ items }) => items.get('_saveframe_category') === category)
      .flatMap((frame) => {
        const loop = loopWith(frame, tag);
        return loop === undefined || loop.rows.length === 0 ? [] : [{ name: frame.name, loop }];
      });
  for (const { name, loop } of loops('monomeric_polymer', '_residue_label')) {
    const { get } = columnsOf(loop, '');
    for (const row of loop.rows) {
      reader.add(name, get(row, '_Residue_seq_code'), get(row, '_Residue_label'));
    }
  }
  // The references have their own column `_Chem_shift_value`.
  for (const { loop } of loops('assigned_chemical_shifts', '_chem_shift_value')) {
    reader.readLoop(loop);
  }
  return reader.table('NMR-STAR');
}
