/**
 * Reads NEF 1.1 (NMR Exchange Format, Gutmanas et al. 2015) as the engine does (according to its results, and otherwise
 * to the code of b2bTools 3.0.9): every loop of the save frame of the molecular system is part of the sequence, and a
 * shift belongs to the residue with its chain and code.
 */
import type { InputFinding } from '../finding.ts';
import { finding } from './problems.ts';
import { columnsOf, ShiftCollector, type Residue, type ShiftTable } from './shift-table.ts';
import type { StarFrame, StarLoop } from './star.ts';

const SEQUENCE = '_nef_sequence.';
/** Without `index` the engine fails (KeyError), although it is optional in NEF 1.0. */
const SEQUENCE_COLUMNS = ['index', 'chain_code', 'sequence_code', 'residue_name'];
const SHIFTS = '_nef_chemical_shift.';
const SHIFT_COLUMNS = ['chain_code', 'sequence_code', 'residue_name', 'atom_name', 'value'];

export function readNef(frames: readonly StarFrame[]): ShiftTable {
  const findings: InputFinding[] = [];
  const residues = new Map<string, Residue>();
  const shifts = new ShiftCollector();
  for (const frame of frames) {
    const category = categoryOf(frame);
    if (category === 'nef_molecular_system') {
      for (const loop of frame.loops) findings.push(...readSequence(loop, residues));
    } else if (category === 'nef_chemical_shift_list') {
      for (const loop of frame.loops) findings.push(...readShifts(loop, residues, shifts));
    }
  }
  return {
    residues: [...residues.values()],
    shifts: shifts.shifts,
    findings: [...findings, ...shifts.findings],
  };
}

function categoryOf({ items }: StarFrame): string {
  for (const [tag, value] of items) if (tag.endsWith('.sf_category')) return value;
  return '';
}

const residueKey = (chain: string, code: string): string => `${chain}\n${code}`;

function readSequence(loop: StarLoop, residues: Map<string, Residue>): InputFinding[] {
  const columns = columnsOf(loop, SEQUENCE, SEQUENCE_COLUMNS);
  if (columns.missing.length > 0) {
    const [first = ''] = loop.tags;
    const own = first.startsWith(SEQUENCE);
    return own
      ? columns.missing.map((column) => finding('SHIFTS_TAG_MISSING', { tag: SEQUENCE + column }))
      : [finding('SHIFTS_LOOP_FOREIGN', { tag: first, line: loop.line })];
  }
  const findings: InputFinding[] = [];
  for (const row of loop.rows) {
    const chain = columns.get(row, 'chain_code');
    const code = columns.get(row, 'sequence_code');
    if (!/^[+-]?\d+$/.test(code) && findings.length === 0) {
      findings.push(finding('SHIFTS_SEQUENCE_CODE', { code, line: row.line }));
    }
    const name = columns.get(row, 'residue_name');
    const atoms = new Map<string, never>();
    residues.set(residueKey(chain, code), { chain, code, name, atoms, authorNumbered: false });
  }
  return findings;
}

function readShifts(
  loop: StarLoop,
  residues: ReadonlyMap<string, Residue>,
  shifts: ShiftCollector,
): InputFinding[] {
  const columns = columnsOf(loop, SHIFTS, SHIFT_COLUMNS);
  if (columns.missing.length > 0) {
    return columns.missing.map((column) => finding('SHIFTS_TAG_MISSING', { tag: SHIFTS + column }));
  }
  if (loop.rows.length > 0) shifts.beginList(loop.line);
  for (const row of loop.rows) {
    const code = columns.get(row, 'sequence_code');
    shifts.add(residues.get(residueKey(columns.get(row, 'chain_code'), code)), {
      code,
      name: columns.get(row, 'residue_name'),
      atom: columns.get(row, 'atom_name'),
      value: columns.get(row, 'value'),
      line: row.line,
    });
  }
  return [];
}
