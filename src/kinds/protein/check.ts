/**
 * Checks that a result is correct for the input that was sent. For some inputs the engine ends without an error but
 * with a wrong result: it drops records, predicts nothing, or says "missing" for every residue.
 */
import type { InputText } from '../../domain/item.ts';
import { createResultProblem, type ResultProblem } from '../result-problems.ts';
import type { Predictor } from '../vocabulary.ts';
import { type FastaRecord, readFasta } from './fasta.ts';
import { type Entry, readPayload } from './payload.ts';
import { countResidues, SHIFTS_MISSING, TRACK_KEYS } from './reading.ts';
import { readChains } from './shift-files.ts';

/** Of any of the three kinds; only sequences have predictors. */
export interface PredictionOptions {
  readonly kind: string;
  readonly predictors?: readonly Predictor[];
}

type Problems = Generator<ResultProblem, void>;

/**
 * @param bytes the result as received, or its text
 * @param input null if unknown, and then the options too: checks that need them are skipped
 */
export function checkPrediction(
  bytes: Uint8Array | string,
  options: PredictionOptions,
  input: InputText | null,
): ResultProblem | null {
  const payload = readPayload(bytes);
  return payload.ok
    ? (findProblems(payload.entries, options, input).next().value ?? null)
    : payload;
}

/** The first one counts. */
function* findProblems(
  entries: readonly Entry[],
  options: PredictionOptions,
  input: InputText | null,
): Problems {
  for (const entry of entries) yield* findUneven(entry);
  const silent = entries.filter(isWithoutValues);
  // A file of shifts may contain a chain that was not measured; for the other kinds, every record should have values.
  const bearable = options.kind === 'shifts' ? Math.max(0, entries.length - 1) : 0;
  if (silent.length > bearable) {
    const name = silent[0]?.name ?? '';
    yield createResultProblem('RESULT_ALL_MISSING', `Every value of "${name}" is missing.`);
  }
  const keys = new Set(entries.flatMap(({ tracks }) => Object.keys(tracks)));
  for (const { name, tracks } of entries) {
    // A predictor runs for all proteins of a job or for none.
    const absent = [...keys].filter((key) => !(key in tracks));
    if (absent.length > 0) yield createMissing(name, `${absent.join(', ')}, which others have`);
  }
  if (input !== null) {
    if (options.kind === 'shifts') yield* findOtherChains(entries, input.text);
    else yield* findOtherRecords(entries, readFasta(input.text).records);
    yield* findAbsent(entries, options.predictors ?? []);
  }
  for (const entry of entries) yield* findGaps(entry);
}

function createMissing(name: string, what: string): ResultProblem {
  return createResultProblem('RESULT_MISSING_VALUES', `"${name}" has no values of ${what}.`);
}

function createWrong(message: string): ResultProblem {
  return createResultProblem('RESULT_WRONG_SEQUENCE', message);
}

function* findUneven({ name, residues, tracks }: Entry): Problems {
  const lengths = Object.entries(tracks).map(([key, { length }]) => [key, length] as const);
  const longest = Math.max(0, ...lengths.map(([, length]) => length));
  if (longest === 0) {
    yield createResultProblem('RESULT_EMPTY', `The engine predicted nothing for "${name}".`);
  }
  const expected = residues.length || longest;
  for (const [key, length] of lengths) {
    if (length === expected) continue;
    const message = `"${name}" has ${expected} residues, but ${length} values of ${key}.`;
    yield createResultProblem('RESULT_MISSING_VALUES', message);
  }
}

function isWithoutValues({ tracks }: Entry): boolean {
  // Residue numbers of a shift file only look like values.
  const predicted = Object.entries(tracks).filter(([key]) => key !== 'seqCodes');
  return predicted.every(([, list]) =>
    list.every((value) => value === null || value === SHIFTS_MISSING),
  );
}

/** A gap of an alignment has no value, by design. */
const GAP = '-';

/**
 * NaN and null are not predictions. Only if the payload shows the residues: otherwise a null may be a gap. Labels
 * (psper's `viterbi`) are words; a blank one means that there is nothing to label.
 */
function* findGaps({ name, residues, tracks }: Entry): Problems {
  if (residues === '') return;
  for (const [key, track] of Object.entries(tracks)) {
    if (track.some((value) => typeof value === 'string')) continue;
    const place = track.findIndex((value, at) => value === null && residues[at] !== GAP);
    if (place === -1) continue;
    const message = `"${name}" has no number of ${key} for residue ${place + 1} (${residues[place] ?? ''}).`;
    yield createResultProblem('RESULT_NOT_A_NUMBER', message);
  }
}

/**
 * Every record that was sent must come back once, residue by residue (including gaps). In any order: the engine sorts
 * the rows of an alignment, and JSON objects with numeric keys have their own order. Ids differ by design.
 */
function* findOtherRecords(entries: readonly Entry[], sent: readonly FastaRecord[]): Problems {
  if (entries.length !== sent.length) {
    yield createWrong(`${sent.length} sequences were sent, the result has ${entries.length}.`);
  }
  const open = [...entries];
  for (const [index, { residues }] of sent.entries()) {
    const match = open.findIndex((entry) => answersSequence(entry, residues));
    if (match === -1) {
      yield createWrong(
        `No sequence in the result has the residues of record ${index + 1} that was sent.`,
      );
    }
    open.splice(match, 1);
  }
}

/** If the payload does not show the residues, there must at least be one value for each. */
function answersSequence(entry: Entry, residues: string): boolean {
  return entry.residues === ''
    ? countResidues(entry) === residues.length
    : hasSameResidues(residues, entry.residues);
}

/** Upper case, and X if the engine does not know the letter (B, Z, U, O, J, `*`, digits). */
function hasSameResidues(sent: string, received: string): boolean {
  const [letters, others] = [sent.toUpperCase(), received.toUpperCase()];
  if (letters.length !== others.length) return false;
  return [...letters].every(
    (letter, at) =>
      letter === others[at] || (others[at] === 'X' && !/[ACDEFGHIKLMNPQRSTVWY-]/.test(letter)),
  );
}

/** A key that each predictor's result has; the predictors it depends on add theirs. */
const KEYS_OF_PREDICTOR: Readonly<Record<Predictor, readonly string[]>> = {
  dynamine: ['backbone'],
  disomine: ['disoMine'],
  efoldmine: ['earlyFolding'],
  agmata: ['agmata'],
  psper: ['viterbi', 'complexity', 'protein_score'],
};

function* findAbsent(entries: readonly Entry[], predictors: readonly Predictor[]): Problems {
  for (const { name, tracks, scores } of entries) {
    // A form with other keys (the earlier variant names the predictor) is not checked with ours; `agmata` is both.
    if (!TRACK_KEYS.some((key) => key !== 'agmata' && key in tracks)) continue;
    const absent = predictors.filter((predictor) =>
      KEYS_OF_PREDICTOR[predictor].every((key) => !(key in tracks) && !(key in scores)),
    );
    if (absent.length > 0) yield createMissing(name, absent.join(', '));
  }
}

/**
 * Every chain of the result must be one of the file, residue by residue, and every measured chain must come back. A
 * chain may occur twice, as in a homodimer. Residues other than the twenty may be omitted or renamed.
 */
function* findOtherChains(entries: readonly Entry[], text: string): Problems {
  const chains = readChains(text);
  const shown = entries.filter(({ residues }) => residues !== '');
  // If the payload shows no residues, or the file is unreadable, there is nothing to compare.
  if (chains.length === 0 || shown.length === 0) return;
  for (const { name, residues } of shown) {
    if (chains.some((chain) => isSameChain(chain.residues, residues))) continue;
    yield createWrong(`The residues of "${name}" match no chain that was sent.`);
  }
  for (const { name, residues: sent, isMeasured } of chains) {
    if (!isMeasured || shown.some(({ residues }) => isSameChain(sent, residues))) continue;
    yield createWrong(`Chain ${name} was measured, but the result has no values for it.`);
  }
}

function isSameChain(sent: string, received: string): boolean {
  const letters = received.toUpperCase();
  if (sent.length !== letters.length) return removeUnknown(sent) === removeUnknown(letters);
  return [...sent].every((letter, at) => letter === 'X' || letter === letters[at]);
}

function removeUnknown(residues: string): string {
  return residues.replaceAll('X', '');
}
