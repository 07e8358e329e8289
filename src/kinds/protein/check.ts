/**
 * Checks that a result is correct for the input that was sent. For some inputs the engine ends without an error but
 * with a wrong result: it drops records, predicts nothing, or says "missing" for every residue.
 */
import { readFasta, residueFindings } from './fasta.ts';
import type { InputText } from '../../domain/item.ts';
import type { Predictor, SequenceOptions, ShiftsOptions } from '../vocabulary.ts';
import { SHIFTS_MISSING } from './reading-aids.ts';
import { type ResultCheck, resultProblem, type ResultProblem } from '../result-problems.ts';
import { type PayloadEntry, readPayload } from './payload.ts';
import { readChains } from './shift-files.ts';

/** A gap of an alignment has no value, by design. */
const GAP = '-';

/**
 * NaN and null are not predictions. Only if the payload shows the residues: otherwise a null may be a gap. Labels
 * (psper's `viterbi`) are words; a blank one means that there is nothing to label.
 */
function checkNumbers({ id, sequence, values }: PayloadEntry): ResultProblem | null {
  if (sequence === '') return null;
  for (const [key, list] of Object.entries(values)) {
    if (list.some((value) => typeof value === 'string')) continue;
    const place = list.findIndex((value, at) => value === null && sequence[at] !== GAP);
    if (place === -1) continue;
    const message = `"${id}" has no number of ${key} for residue ${place + 1} (${sequence[place] ?? ''}).`;
    return resultProblem('RESULT_NOT_A_NUMBER', message);
  }
  return null;
}

/** A predictor runs for all proteins of a job or for none. */
function checkKeys(entries: readonly PayloadEntry[]): ResultProblem | null {
  const keys = new Set(entries.flatMap(({ values }) => Object.keys(values)));
  for (const { id, values } of entries) {
    const absent = [...keys].filter((key) => !(key in values));
    if (absent.length === 0) continue;
    const message = `"${id}" has no values of ${absent.join(', ')}, which others have.`;
    return resultProblem('RESULT_MISSING_VALUES', message);
  }
  return null;
}

/** A key that each predictor's result has; the predictors it depends on add theirs. */
const KEY_OF_PREDICTOR: Readonly<Record<Predictor, readonly string[]>> = {
  dynamine: ['backbone'],
  disomine: ['disoMine'],
  efoldmine: ['earlyFolding'],
  agmata: ['agmata'],
  psper: ['viterbi', 'complexity', 'protein_score'],
};

/** Keys that identify a result of this engine; `agmata` is a predictor's name as well as a key. */
const OUR_KEYS: readonly string[] = [
  ...['backbone', 'sidechain', 'helix', 'sheet', 'coil', 'ppII'],
  ...['earlyFolding', 'disoMine', 'viterbi', 'complexity'],
];

export type PredictionOptions =
  | (SequenceOptions & { readonly kind: 'sequence' })
  | { readonly kind: 'alignment' }
  | (ShiftsOptions & { readonly kind: 'shifts' });

/**
 * @param bytes the result as received, or its text
 * @param input null if unknown, and then the options too: checks that need them are skipped
 */
export function checkPrediction(
  bytes: Uint8Array | string,
  options: PredictionOptions,
  input: InputText | null,
): ResultCheck {
  const payload = readPayload(bytes);
  if (!payload.ok) return payload;
  const { entries } = payload;
  const broken = firstOf(entries, checkEntry);
  if (broken !== null) return broken;
  const silent = entries.filter(saysNothing);
  // A file of shifts may contain a chain that was not measured; for the other kinds, every record should have values.
  const bearable = options.kind === 'shifts' ? Math.max(0, entries.length - 1) : 0;
  if (silent.length > bearable) {
    const message = `Every value of "${silent[0]?.id ?? ''}" is missing.`;
    return resultProblem('RESULT_ALL_MISSING', message);
  }
  return (
    checkKeys(entries) ??
    (input && checkOfKind(entries, options, input)) ??
    firstOf(entries, checkNumbers) ?? { ok: true }
  );
}

function checkOfKind(
  entries: readonly PayloadEntry[],
  options: PredictionOptions,
  input: InputText,
): ResultProblem | null {
  switch (options.kind) {
    case 'sequence':
      return (
        checkSent(input) ??
        checkRecords(entries, input) ??
        checkPredictors(entries, options.predictors)
      );
    case 'alignment':
      return checkSent(input) ?? checkAligned(input) ?? checkRecords(entries, input);
    case 'shifts':
      return checkChains(entries, input.text);
  }
}

function firstOf(
  entries: readonly PayloadEntry[],
  check: (entry: PayloadEntry) => ResultProblem | null,
): ResultProblem | null {
  for (const entry of entries) {
    const problem = check(entry);
    if (problem !== null) return problem;
  }
  return null;
}

function checkEntry(entry: PayloadEntry): ResultProblem | null {
  const lists = Object.entries(entry.values);
  if (lists.every(([, list]) => list.length === 0)) {
    const message = `The engine predicted nothing for "${entry.id}".`;
    return resultProblem('RESULT_EMPTY', message);
  }
  const residues = entry.sequence.length || Math.max(...lists.map(([, list]) => list.length));
  const uneven = lists.find(([, list]) => list.length !== residues);
  if (uneven !== undefined) {
    const [key, list] = uneven;
    const message = `"${entry.id}" has ${residues} residues, but ${list.length} values of ${key}.`;
    return resultProblem('RESULT_MISSING_VALUES', message);
  }
  return null;
}

function saysNothing({ values }: PayloadEntry): boolean {
  // Residue numbers of a shift file only look like values.
  const predicted = Object.entries(values).filter(([key]) => key !== 'seqCodes');
  return predicted.every(([, list]) =>
    list.every((value) => value === null || value === SHIFTS_MISSING),
  );
}

/**
 * Every record that was sent must come back once, residue by residue (including gaps). In any order: the engine sorts
 * the rows of an alignment, and JSON objects with numeric keys have their own order. Ids differ by design.
 */
function checkRecords(entries: readonly PayloadEntry[], input: InputText): ResultProblem | null {
  const { records: sent } = readFasta(input.text);
  if (entries.length !== sent.length) {
    const message = `${sent.length} sequences were sent, the result has ${entries.length}.`;
    return resultProblem('RESULT_WRONG_SEQUENCE', message);
  }
  const open = [...entries];
  for (const [index, { residues }] of sent.entries()) {
    const match = open.findIndex((entry) => answers(entry, residues));
    if (match === -1) {
      const message = `No sequence in the result has the residues of record ${index + 1} that was sent.`;
      return resultProblem('RESULT_WRONG_SEQUENCE', message);
    }
    open.splice(match, 1);
  }
  return null;
}

/** If the payload does not show the residues, there must at least be one value for each. */
function answers(entry: PayloadEntry, residues: string): boolean {
  return entry.sequence === ''
    ? Object.values(entry.values).every((list) => list.length === residues.length)
    : sameResidues(residues, entry.sequence);
}

/** Upper case, and X if the engine does not know the letter (B, Z, U, O, J, `*`, digits). */
function sameResidues(sent: string, received: string): boolean {
  if (Math.abs(sent.length - received.length) > 1) return false;
  const letters = [...sent.toUpperCase()];
  const others = [...received.toUpperCase()];
  // A service may drop the stop sign at the end.
  if (letters.at(-1) === '*' && others.length === letters.length - 1) letters.pop();
  return (
    letters.length === others.length &&
    letters.every(
      (letter, index) =>
        letter === others[index] ||
        (others[index] === 'X' && !/[ACDEFGHIKLMNPQRSTVWY-]/.test(letter)),
    )
  );
}

function checkPredictors(
  entries: readonly PayloadEntry[],
  predictors: readonly Predictor[],
): ResultProblem | null {
  for (const { id, values, scalars } of entries) {
    // A form with other keys (the earlier variant names the predictor) is not checked with ours.
    if (!OUR_KEYS.some((key) => key in values)) continue;
    const absent = predictors.filter((predictor) =>
      KEY_OF_PREDICTOR[predictor].every((key) => !(key in values) && !(key in scalars)),
    );
    if (absent.length > 0) {
      const message = `"${id}" has no values of ${absent.join(', ')}.`;
      return resultProblem('RESULT_MISSING_VALUES', message);
    }
  }
  return null;
}

/**
 * Every chain of the result must be one of the file, residue by residue, and every measured chain must come back. A
 * chain may occur twice, as in a homodimer. Residues other than the twenty may be omitted or renamed.
 */
function checkChains(entries: readonly PayloadEntry[], text: string): ResultProblem | null {
  const chains = readChains(text);
  const shown = entries.filter(({ sequence }) => sequence !== '');
  // If the payload shows no residues, or the file is unreadable, there is nothing to compare.
  if (chains.length === 0 || shown.length === 0) return null;
  const stranger = shown.find(
    ({ sequence }) => !chains.some((one) => isSame(one.residues, sequence)),
  );
  if (stranger !== undefined) {
    const message = `The residues of "${stranger.id}" match no chain that was sent.`;
    return resultProblem('RESULT_WRONG_SEQUENCE', message);
  }
  const lost = chains.find(
    ({ residues, isMeasured }) =>
      isMeasured && !shown.some(({ sequence }) => isSame(residues, sequence)),
  );
  if (lost === undefined) return null;
  const message = `Chain ${lost.name} was measured, but the result has no values for it.`;
  return resultProblem('RESULT_WRONG_SEQUENCE', message);
}

function isSame(sent: string, received: string): boolean {
  const letters = received.toUpperCase();
  if (sent.length !== letters.length) return known(sent) === known(letters);
  return [...sent].every((letter, at) => letter === 'X' || letter === letters[at]);
}

function known(residues: string): string {
  return residues.replaceAll('X', '');
}

/**
 * Inputs for which the engine returns a result that looks valid but is not. The manifest refuses or corrects them
 * before they are sent: this is for an input from another source, or one that was changed later.
 */
function checkSent({ text }: InputText): ResultProblem | null {
  const names = new Set<string>();
  for (const [index, { header, name, residues }] of readFasta(text).records.entries()) {
    if (isNucleic(name, residues)) {
      return wrong(`Record ${index + 1} is DNA or RNA: its bases were read as amino acids.`);
    }
    if (header !== '' && names.has(header)) {
      return wrong(`Two records are called "${header}": their values cannot be distinguished.`);
    }
    names.add(header);
  }
  return null;
}

/** A single row has nothing to align, and rows of different lengths have no columns. */
function checkAligned({ text }: InputText): ResultProblem | null {
  const { records } = readFasta(text);
  if (records.length < 2) return wrong('The alignment has one row: it needs at least two.');
  const lengths = new Set(records.map(({ residues }) => residues.length));
  if (lengths.size === 1) return null;
  return wrong(`The rows of the alignment have ${[...lengths].join(' and ')} columns.`);
}

function isNucleic(name: string, residues: string): boolean {
  return residueFindings(name, residues.replaceAll(/[-.]/g, '')).some(
    ({ code }) => code === 'SEQUENCE_NUCLEOTIDES',
  );
}

function wrong(message: string): ResultProblem {
  return resultProblem('RESULT_WRONG_SEQUENCE', message);
}
