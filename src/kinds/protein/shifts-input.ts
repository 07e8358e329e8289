/**
 * The input of the kind `shifts`: a file of NMR chemical shifts, and whether ShiftCrypt can use it. The format is told by
 * the content, as in the service (contract of the prediction service, 4.3), not by the extension.
 */
import { MODEL_CLASSES, type ModelClass, type ShiftsOptions } from '../vocabulary.ts';
import type { InputFinding, Reading } from '../kind.ts';
import { finding } from './problems.ts';
import { readShiftTable, type Residue, type ShiftTable } from './shift-files.ts';
import { readStar, StarSyntaxError } from './star.ts';

/** The service searches for it, and the engine starts there. */
const DATA_BLOCK = /^[ \t]*data_\S/im;

export function readShiftsInput(text: string, options: ShiftsOptions): Reading {
  const read = (findings: readonly InputFinding[], format?: ShiftTable['format']): Reading => ({
    findings,
    // The engine uses the extension, the service the content: with this name, both agree.
    input: { name: format === 'NEF' ? 'input.nef' : 'input.str', text },
    canonical: text.replace(/\r\n?/g, '\n').trimEnd(),
  });
  try {
    const table = DATA_BLOCK.test(text) ? readShiftTable(readStar(text)) : null;
    if (table === null) return read([finding('SHIFTS_FORMAT_UNKNOWN', {})]);
    return read([...checkTable(table, options)], table.format);
  } catch (error) {
    if (!(error instanceof StarSyntaxError)) throw error;
    const { line, message } = error;
    return read([finding('SHIFTS_MALFORMED', { line, reason: message })]);
  }
}

/** By its tags: a text that is neither has no loop of shifts either. */
export function recogniseShifts(text: string): boolean {
  const isTagged = /^\s*_(nef_|Entry\.|entry\.|Assigned_chem|saveframe_cat|Saveframe_cat)/im;
  return DATA_BLOCK.test(text) && isTagged.test(text);
}

function* checkTable(
  { format, residues, shifts, findings }: ShiftTable,
  { modelClass, originalNumbering }: ShiftsOptions,
): Generator<InputFinding, void> {
  // A loop without its columns is not read, so all other findings would be misleading.
  const missingTags = findings.filter(({ code }) => code === 'SHIFTS_TAG_MISSING');
  if (missingTags.length > 0) yield* missingTags;
  // Without shifts ShiftCrypt succeeds and gives -10 for every residue (measured).
  else if (shifts === 0) yield* [...findings, finding('SHIFTS_NO_LOOP', { format })];
  else if (residues.length === 0) yield finding('SHIFTS_NO_SEQUENCE', { format });
  else {
    yield* findings;
    yield* findBadValue(residues, modelClass);
    // The engine numbers the residues by the author's numbers, as text, and searches for the shifts' numbers among
    // them: it finds none (measured on BMRB 15457: KeyError 1650, a number that the sequence has). Rejected: disabling
    // the option automatically, which would silently change the user's residue numbers.
    const isLost = residues.some(
      ({ isAuthorNumbered, atoms }) => isAuthorNumbered && atoms.size > 0,
    );
    if (originalNumbering && isLost) yield finding('SHIFTS_AUTHOR_NUMBERS', {});
    // The engine looks amino acids up by their names in upper case.
    const lower = residues.find(
      ({ name }) => !SIDE_CHAIN.has(name) && SIDE_CHAIN.has(name.toUpperCase()),
    );
    if (lower === undefined) yield* findMissingValues(residues, modelClass);
    else yield finding('SHIFTS_RESIDUE_CASE', { code: lower.code, residue: lower.name });
  }
}

/** The engine converts only the values of the atoms that it needs to numbers. */
function* findBadValue(
  residues: readonly Residue[],
  model: ModelClass,
): Generator<InputFinding, void> {
  for (const { name, atoms } of residues) {
    if (!canPredict(model, name, atoms)) continue;
    for (const atom of listNeededAtoms(model, name) ?? []) {
      const { value = '0', line = 0 } = atoms.get(atom) ?? {};
      if (value.trim() !== '' && Number.isFinite(Number(value))) continue;
      yield finding('SHIFTS_VALUE', { atom, value, line });
      return;
    }
  }
}

/** Results with a lower fraction of residues with a value get a warning. */
const FEW = 0.25;

function* findMissingValues(
  residues: readonly Residue[],
  model: ModelClass,
): Generator<InputFinding, void> {
  const valued = (one: ModelClass): number =>
    residues.filter(({ name, atoms }) => canPredict(one, name, atoms)).length;
  const values = valued(model);
  const counts = MODEL_CLASSES.map((one) => ({ model: one, values: valued(one) }));
  // The lowest class among those with the most: it uses the most atoms.
  const best = counts.reduce((top, one) => (one.values > top.values ? one : top));
  const facts = { model, values, residues: residues.length, best: best.model, most: best.values };
  if (values === 0) yield finding('SHIFTS_ALL_MISSING', facts);
  else if (values < FEW * residues.length && best.values >= 2 * values) {
    yield finding('SHIFTS_FEW_VALUES', facts);
  }
}

/*
 * Which residues get a value from ShiftCrypt: it needs a fixed set of atoms for each model and amino acid, and gives
 * -10 if any of them has no shift.
 *
 * The sets were derived from its results for six entries under three models; where those are ambiguous (which methyl
 * protons of Ile, Thr and Val, for example), from the list of atoms in its code (b2bTools 3.0.9). They predict each of
 * the 2,091 values and -10s of the results (test/kinds/protein/answer-key.test.ts).
 */

/** Amino acid → the atoms besides those of the backbone that model 1 needs. */
const SIDE_CHAIN: ReadonlyMap<string, readonly string[]> = new Map([
  ...['ARG', 'ASN', 'ASP', 'CYS', 'GLN', 'GLU', 'LYS', 'MET', 'PHE', 'SER', 'TRP', 'TYR'].map(
    (name): [string, string[]] => [name, ['CB', 'HB2']],
  ),
  ['ALA', ['CB']],
  ['GLY', []],
  ['HIS', ['CB', 'HB2', 'HD2']],
  ['ILE', ['CB', 'HB', 'HD11']],
  ['LEU', ['CB', 'HB2', 'HD11', 'HD21']],
  ['PRO', ['CB', 'HB2', 'HG2', 'CD', 'HD2']],
  ['THR', ['CB', 'HB', 'HG21']],
  ['VAL', ['CB', 'HG11', 'HG22']],
]);

/** @returns null for a residue that is none of the 20 amino acids: it never gets a value */
function listNeededAtoms(model: ModelClass, residue: string): readonly string[] | null {
  const sideChain = SIDE_CHAIN.get(residue);
  if (sideChain === undefined) return null;
  // Proline has no proton at its nitrogen.
  const amide = residue === 'PRO' ? [] : ['N', 'H'];
  if (model === '3') return ['CA', ...amide];
  const alpha = residue === 'GLY' ? ['HA2', 'HA3'] : ['HA'];
  const backbone = ['C', 'CA', ...alpha, ...amide];
  if (model === '1') return [...backbone, ...sideChain];
  return residue === 'GLY' ? backbone : [...backbone, 'CB'];
}

/** Whether a residue with shifts for these atoms gets a value. */
export function canPredict(
  model: ModelClass,
  residue: string,
  atoms: { has(atom: string): boolean },
): boolean {
  return listNeededAtoms(model, residue)?.every((atom) => atoms.has(atom)) ?? false;
}
