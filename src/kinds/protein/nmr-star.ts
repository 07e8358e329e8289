/**
 * Reads NMR-STAR 3 and 2.1 (the BMRB's format) as the engine does: the polymers of the assembly, and the assigned
 * chemical shifts, which refer to their residue by its number in the entity.
 */
import type { InputFinding } from '../finding.ts';
import { finding } from './problems.ts';
import {
  columnsOf,
  isMissing,
  ShiftCollector,
  type Residue,
  type ShiftTable,
} from './shift-table.ts';
import type { StarFrame, StarLoop } from './star.ts';

export function readNmrStar(frames: readonly StarFrame[]): ShiftTable {
  const old = frames.some(({ items }) => items.has('_saveframe_category'));
  const polymers = old ? oldPolymers(frames) : currentPolymers(frames);
  const shifts = new ShiftCollector();
  const findings = old
    ? oldShifts(frames, polymers, shifts)
    : currentShifts(frames, polymers, shifts);
  return {
    residues: polymers.residues,
    shifts: shifts.shifts,
    findings: [...polymers.findings, ...findings, ...shifts.findings],
  };
}

interface Polymers {
  readonly residues: readonly Residue[];
  /** By entity and number; and by number alone, for the first residue that has it, which is the engine's fallback. */
  readonly byKey: ReadonlyMap<string, Residue>;
  readonly ligands: ReadonlySet<string>;
  readonly findings: readonly InputFinding[];
}

const residueKey = (entity: string, number: string): string => `${entity}\n${number}`;

function polymersOf(
  residues: readonly Residue[],
  ligands: ReadonlySet<string>,
  findings: readonly InputFinding[],
): Polymers {
  const byKey = new Map<string, Residue>();
  for (const residue of residues) {
    byKey.set(residueKey(residue.chain, residue.code), residue);
    const alone = residueKey('', residue.code);
    if (!byKey.has(alone)) byKey.set(alone, residue);
  }
  return { residues, byKey, ligands, findings };
}

function loopWith(frame: StarFrame, tag: string): StarLoop | undefined {
  return frame.loops.find((loop) => loop.tags.includes(tag));
}

const ASSEMBLY = '_entity_assembly.';
/** The engine fails if one of them is missing (measured: KeyError 'Details'). */
const ASSEMBLY_COLUMNS = ['ID', 'Entity_ID', 'Entity_label', 'Asym_ID', 'Details'];

function currentPolymers(frames: readonly StarFrame[]): Polymers {
  const residues: Residue[] = [];
  const ligands = new Set<string>();
  for (const frame of frames) {
    const entity = frame.items.get('_entity.id');
    if (entity === undefined) continue;
    const type = frame.items.get('_entity.type') ?? 'polymer';
    if (type === 'polymer') residues.push(...entityResidues(frame, entity));
    else ligands.add(entity);
  }
  const assembly = frames.flatMap((frame) => loopWith(frame, `${ASSEMBLY}entity_id`) ?? [])[0];
  const missing =
    assembly === undefined
      ? ['Entity_ID']
      : columnsOf(assembly, ASSEMBLY, ASSEMBLY_COLUMNS).missing;
  const findings = missing.map((column) =>
    finding('SHIFTS_TAG_MISSING', { tag: `_Entity_assembly.${column}` }),
  );
  return polymersOf(residues, ligands, residues.length === 0 ? [] : findings);
}

function entityResidues(frame: StarFrame, entity: string): Residue[] {
  const loop = loopWith(frame, '_entity_comp_index.comp_id');
  if (loop === undefined) return [];
  const columns = columnsOf(loop, '_entity_comp_index.', []);
  return loop.rows.map((row) => ({
    chain: entity,
    code: columns.get(row, 'ID'),
    name: columns.get(row, 'Comp_ID'),
    atoms: new Map(),
    authorNumbered: !isMissing(columns.get(row, 'Auth_seq_ID')),
  }));
}

const SHIFT = '_atom_chem_shift.';

function currentShifts(
  frames: readonly StarFrame[],
  polymers: Polymers,
  shifts: ShiftCollector,
): InputFinding[] {
  const findings: InputFinding[] = [];
  for (const frame of frames) {
    const loop = loopWith(frame, `${SHIFT}val`);
    if (loop === undefined || loop.rows.length === 0) continue;
    const columns = columnsOf(loop, SHIFT, ['ID', 'Comp_ID', 'Atom_ID']);
    const numbered = ['Seq_ID', 'Comp_index_ID'].some((name) =>
      loop.tags.includes(SHIFT + name.toLowerCase()),
    );
    const missing = [...columns.missing, ...(numbered ? [] : ['Seq_ID'])];
    findings.push(
      ...missing.map((name) => finding('SHIFTS_TAG_MISSING', { tag: `_Atom_chem_shift.${name}` })),
    );
    if (missing.length > 0) continue;
    shifts.beginList(loop.line);
    for (const row of loop.rows) {
      const entity = columns.get(row, 'Entity_ID');
      if (polymers.ligands.has(entity)) {
        if (!findings.some(({ code }) => code === 'SHIFTS_OF_LIGAND')) {
          findings.push(finding('SHIFTS_OF_LIGAND', { entity, line: row.line }));
        }
        continue;
      }
      const sequence = columns.get(row, 'Seq_ID');
      const code = isMissing(sequence) ? columns.get(row, 'Comp_index_ID') : sequence;
      const { byKey } = polymers;
      shifts.add(byKey.get(residueKey(entity, code)) ?? byKey.get(residueKey('', code)), {
        code,
        name: columns.get(row, 'Comp_ID'),
        atom: columns.get(row, 'Atom_ID'),
        value: columns.get(row, 'Val'),
        line: row.line,
      });
    }
  }
  return findings;
}

const category = (frame: StarFrame): string => frame.items.get('_saveframe_category') ?? '';

function oldPolymers(frames: readonly StarFrame[]): Polymers {
  const residues = frames
    .filter((frame) => category(frame) === 'monomeric_polymer')
    .flatMap((frame) => {
      const loop = loopWith(frame, '_residue_label');
      if (loop === undefined) return [];
      const columns = columnsOf(loop, '', []);
      return loop.rows.map((row) => ({
        chain: frame.name,
        code: columns.get(row, '_Residue_seq_code'),
        name: columns.get(row, '_Residue_label'),
        atoms: new Map<string, never>(),
        authorNumbered: false,
      }));
    });
  return polymersOf(residues, new Set(), []);
}

const OLD_COLUMNS = ['_Atom_shift_assign_ID', '_Residue_seq_code', '_Residue_label', '_Atom_name'];

function oldShifts(
  frames: readonly StarFrame[],
  polymers: Polymers,
  shifts: ShiftCollector,
): InputFinding[] {
  const findings: InputFinding[] = [];
  for (const frame of frames) {
    // The references have their own column `_Chem_shift_value`.
    if (category(frame) !== 'assigned_chemical_shifts') continue;
    const loop = loopWith(frame, '_chem_shift_value');
    if (loop === undefined || loop.rows.length === 0) continue;
    const columns = columnsOf(loop, '', OLD_COLUMNS);
    findings.push(...columns.missing.map((tag) => finding('SHIFTS_TAG_MISSING', { tag })));
    if (columns.missing.length > 0) continue;
    shifts.beginList(loop.line);
    for (const row of loop.rows) {
      const code = columns.get(row, '_Residue_seq_code');
      shifts.add(polymers.byKey.get(residueKey('', code)), {
        code,
        name: columns.get(row, '_Residue_label'),
        atom: columns.get(row, '_Atom_name'),
        value: columns.get(row, '_Chem_shift_value'),
        line: row.line,
      });
    }
  }
  return findings;
}
