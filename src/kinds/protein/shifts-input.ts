/**
 * The input of the kind `shifts`: a file of NMR chemical shifts, and whether ShiftCrypt can use it. The format is told by
 * the content, as in the service (contract of the prediction service, 4.3), not by the extension.
 */
import { MODEL_CLASSES, type ModelClass, type ShiftsOptions } from '../vocabulary.ts';
import { formatShown } from '../../domain/plain-text.ts';
import { type Finding, createError, createWarning, type Reading } from '../kind.ts';
import { readShiftTable, type Residue, type ShiftTable } from './shift-files.ts';
import { readStar, StarSyntaxError } from './star.ts';

/** The service searches for it, and the engine starts there. */
const DATA_BLOCK = /^[ \t]*data_\S/im;

export function readShiftsInput(text: string, options: ShiftsOptions): Reading {
  const read = (findings: readonly Finding[], format?: ShiftTable['format']): Reading => ({
    findings,
    // The engine uses the extension, the service the content: with this name, both agree.
    input: { name: format === 'NEF' ? 'input.nef' : 'input.str', text },
    canonical: text.replace(/\r\n?/g, '\n').trimEnd(),
  });
  try {
    const table = DATA_BLOCK.test(text) ? readShiftTable(readStar(text)) : null;
    if (table !== null) return read([...checkTable(table, options)], table.format);
    const unknown = createError(
      'SHIFTS_FORMAT_UNKNOWN',
      'The file is neither NEF nor NMR-STAR.',
      'Export the shifts as NEF, or download the NMR-STAR file of the entry from BMRB.',
    );
    return read([unknown]);
  } catch (error) {
    if (!(error instanceof StarSyntaxError)) throw error;
    const malformed = createError(
      'SHIFTS_MALFORMED',
      `Line ${error.line} is not valid STAR: ${error.message}.`,
      'Export the file again with the program that made it; it may be truncated.',
    );
    return read([malformed]);
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
): Generator<Finding, void> {
  // A loop without its columns is not read, so all other findings would be misleading.
  const missingTags = findings.filter(({ code }) => code === 'SHIFTS_TAG_MISSING');
  if (missingTags.length > 0) yield* missingTags;
  // Without shifts ShiftCrypt succeeds and gives -10 for every residue (measured).
  else if (shifts === 0) {
    yield* findings;
    yield createError(
      'SHIFTS_NO_LOOP',
      `The ${format} file contains no chemical shifts.`,
      'Export it with its list of assigned chemical shifts.',
    );
  } else if (residues.length === 0) {
    yield createError(
      'SHIFTS_NO_SEQUENCE',
      `The ${format} file does not say which residues the molecule has.`,
      'Export the whole entry, with its molecular system or entities, not only the shifts.',
    );
  } else {
    yield* findings;
    yield* findBadValue(residues, modelClass);
    if (originalNumbering) yield* findAuthorNumbers(residues);
    // The engine looks amino acids up by their names in upper case.
    const lower = residues.find(
      ({ name }) => !SIDE_CHAIN.has(name) && SIDE_CHAIN.has(name.toUpperCase()),
    );
    if (lower === undefined) yield* findMissingValues(residues, modelClass);
    else {
      yield createError(
        'SHIFTS_RESIDUE_CASE',
        `The residues are named in lower case (residue \`${formatShown(lower.code)}\` is \`${formatShown(lower.name)}\`); the engine knows them only in upper case.`,
        'Write their names in upper case, in the sequence and in the shifts: `ALA`.',
      );
    }
  }
}

/**
 * The engine numbers the residues by the author's numbers, as text, and searches for the shifts' numbers among them: it
 * finds none (measured on BMRB 15457: KeyError 1650, a number that the sequence has). Rejected: disabling the option
 * automatically, which would silently change the user's residue numbers.
 */
function findAuthorNumbers(residues: readonly Residue[]): readonly Finding[] {
  const isLost = residues.some(({ isAuthorNumbered, atoms }) => isAuthorNumbered && atoms.size > 0);
  if (!isLost) return [];
  const lost = createError(
    'SHIFTS_AUTHOR_NUMBERS',
    "The sequence has the author's residue numbers in addition to its own; with `original_numbering` the engine does not find the residues of the shifts.",
    'Set `original_numbering` to `false`.',
    { column: 'original_numbering', value: 'true' },
  );
  return [lost];
}

/** The engine converts only the values of the atoms that it needs to numbers. */
function* findBadValue(residues: readonly Residue[], model: ModelClass): Generator<Finding, void> {
  for (const { name, atoms } of residues) {
    if (!canPredict(model, name, atoms)) continue;
    for (const atom of listNeededAtoms(model, name) ?? []) {
      const { value = '0', line = 0 } = atoms.get(atom) ?? {};
      if (value.trim() !== '' && Number.isFinite(Number(value))) continue;
      yield createError(
        'SHIFTS_VALUE',
        `The shift of ${atom} in line ${line} is \`${formatShown(value)}\`, which is not a number.`,
        'Correct the value, or remove its row.',
      );
      return;
    }
  }
}

/** Results with a lower fraction of residues with a value get a warning. */
const FEW = 0.25;

function* findMissingValues(
  residues: readonly Residue[],
  model: ModelClass,
): Generator<Finding, void> {
  const valued = (one: ModelClass): number =>
    residues.filter(({ name, atoms }) => canPredict(one, name, atoms)).length;
  const values = valued(model);
  const counts = MODEL_CLASSES.map((one) => ({ model: one, values: valued(one) }));
  // The lowest class among those with the most: it uses the most atoms.
  const best = counts.reduce((top, one) => (one.values > top.values ? one : top));
  const begin = `With \`model_class\` ${model}`;
  const cell = { column: 'model_class', value: model };
  const all = residues.length;
  if (values === 0) {
    yield createError(
      'SHIFTS_ALL_MISSING',
      `${begin} none of the ${all} residues has the shifts that it needs: every value of the result would be missing.`,
      best.values === 0
        ? 'Give at least the shifts of N, H and CA; C, CB and HA give more values.'
        : `Set \`model_class\` to \`${best.model}\`, which has values for ${best.values} of ${all} residues.`,
      cell,
    );
  } else if (values < FEW * all && best.values >= 2 * values) {
    yield createWarning(
      'SHIFTS_FEW_VALUES',
      `${begin} only ${values} of ${all} residues have the shifts that it needs.`,
      `\`model_class\` ${best.model} has values for ${best.values} of them.`,
      cell,
    );
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
