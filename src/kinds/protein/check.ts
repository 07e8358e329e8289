/**
 * Checks that a result is correct for the input that was sent. For some inputs the engine ends without an error but
 * with a wrong result: it drops records, predicts nothing, or says "missing" for every residue.
 */
import type { InputText } from '../../domain/campaign.ts';
import { createResultProblem, type ResultProblem } from '../json.ts';
import type { Predictor } from '../vocabulary.ts';
import { type FastaRecord, readFasta } from './fasta.ts';
import { type Entry, readPayload, type CsvRow, readCsv, readDistributions } from './payload.ts';
import { countResidues, SHIFTS_MISSING, TRACK_KEYS, type Track } from './reading.ts';
import { readChains } from './shift-files.ts';
import type { JobFacts } from '../kind.ts';
import { checkJobId } from '../provenance.ts';
import { computeMean, listNumbers } from './measures.ts';

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

/**
 * Checks that the files of one prediction belong together. The service serves each at its own address, so one can be
 * that of another job while the others are right. All are read tolerantly: files of unknown form are not checked.
 *
 * This runs when the item is concluded, and not as each file arrives: files are downloaded concurrently, and one of an
 * earlier job may still be in the folder.
 */

/** The texts of downloaded files; files that the service did not provide are missing. */
export type PredictionFiles = Readonly<
  Partial<Record<'result' | 'csv' | 'metadata' | 'distributions' | 'history', string>>
>;

/** The result itself is not checked here, but when it arrives. */
export function checkFiles(
  files: PredictionFiles,
  { remoteId }: Pick<JobFacts, 'remoteId'>,
): ResultProblem | null {
  for (const [name, text] of Object.entries<string>({ ...files })) {
    const other = checkJobId(name, text, remoteId);
    if (other !== null) return other;
  }
  const { result, csv, metadata, distributions } = files;
  if (result === undefined || (csv ?? metadata ?? distributions) === undefined) return null;
  const payload = readPayload(result);
  if (!payload.ok) return null;
  const { entries } = payload;
  const found =
    (csv === undefined ? null : compareCsv(csv, entries)) ??
    (metadata === undefined ? null : compareMetadata(metadata, entries)) ??
    (distributions === undefined ? null : compareDistributions(distributions, entries));
  if (found === null) return null;
  const message = `${found} One of the two files belongs to another job.`;
  return createResultProblem('RESULT_FILES_DISAGREE', message);
}

/** What contradicts the result, in a sentence; null if nothing does, or if the form is unknown. */
type Disagreement = string | null;

/** The engine writes three decimals into CSV files; a service may round more. */
const TOLERANCE = { absolute: 0.011, relative: 0.011 } as const;

/** True for non-numbers: NaN carries no information. */
function isNear(one: number, other: number): boolean {
  const distance = Math.abs(one - other);
  return !(distance > TOLERANCE.absolute + TOLERANCE.relative * Math.abs(other));
}

/** The rows of a table about one entry: its name in the table, and its rows. */
type Part = readonly [name: string, rows: readonly CsvRow[]];

/**
 * Each part must be that of an entry, and each entry that of one part: the one with its name, or any that agrees, if the
 * file uses other names.
 */
function compareParts(
  file: string,
  parts: readonly Part[],
  entries: readonly Entry[],
  agrees: (rows: readonly CsvRow[], entry: Entry) => boolean,
): Disagreement {
  if (parts.length !== entries.length) {
    return `${file} of ${parts.length} sequences, result.json has ${entries.length}.`;
  }
  const open = [...entries];
  const stranger = parts.find(([name, rows]) => {
    const match =
      open.find((entry) => entry.name.trim() === name && agrees(rows, entry)) ??
      open.find((entry) => agrees(rows, entry));
    if (match !== undefined) open.splice(open.indexOf(match), 1);
    return match === undefined;
  });
  return stranger === undefined ? null : `${file} of "${stranger[0]}", and result.json has others.`;
}

/**
 *   sequence_id,residue,residue_index,RRM,agmata,arg,backbone,…     sequences and alignments, gaps as `-`
 *   chainCode,seqCode,residue,shiftCrypt                            NMR shifts
 *
 * Rows with one name are one part, even if they are not consecutive.
 */
function compareCsv(text: string, entries: readonly Entry[]): Disagreement {
  const [header = ''] = text.split('\n', 1);
  const [name] = /\b(?:sequence_id|chainCode)\b/.exec(header) ?? [];
  if (name === undefined || !/\bresidue\b/.test(header)) return null;
  const parts = [...Map.groupBy(readCsv(text), (row) => row[name] ?? '')];
  const expected = name === 'chainCode' ? joinChains(entries) : entries;
  return compareParts('result.csv has rows', parts, expected, hasSameValues);
}

/** The two chains of a homodimer share a code: their rows follow each other. */
function joinChains(entries: readonly Entry[]): Entry[] {
  const byCode = Map.groupBy(entries, ({ scores }) => String(scores['chainCode'] ?? '').trim());
  return Array.from(byCode, ([name, chains]) => ({
    name,
    residues: chains.every(({ residues }) => residues !== '')
      ? chains.map(({ residues }) => residues).join('')
      : '',
    tracks: Object.fromEntries(
      Object.keys(chains[0]?.tracks ?? {}).map((key) => [
        key,
        chains.flatMap(({ tracks }) => tracks[key] ?? []),
      ]),
    ),
    scores: {},
  }));
}

function hasSameValues(rows: readonly CsvRow[], entry: Entry): boolean {
  const listCells = (column: string): readonly string[] =>
    column in (rows[0] ?? {}) ? rows.map((row) => row[column] ?? '') : [];
  return (
    rows.length === countResidues(entry) &&
    listCells('residue').every((letter, at) => isSameLetter(letter, entry.residues[at])) &&
    Object.entries(entry.tracks).every(([key, track]) => {
      // Numbers of residues are not rounded.
      if (key === 'seqCodes') return isSameColumn(listCells('seqCode'), track, Object.is);
      return isSameColumn(listCells(key), track, isNear);
    })
  );
}

/** A word is no letter, and the engine reads unknown letters as X. A gap may be blank or a dot. */
function isSameLetter(cell: string, letter: string | undefined): boolean {
  if (letter === undefined || cell.length > 1) return true;
  const [one, other] = [cell, letter].map((text) => text.replace(/^\.?$/, '-').toUpperCase());
  return one === other || one === 'X' || other === 'X';
}

function isSameColumn(
  cells: readonly string[],
  track: Track,
  isSame: (one: number, other: number) => boolean,
): boolean {
  const isBlank = cells.length > 0 && cells.every((cell) => cell === '');
  if (isBlank) return listNumbers(track).length === 0;
  return cells.every((cell, at) => {
    const value = track[at];
    return typeof value !== 'number' || cell === '' || isSame(Number(cell), value);
  });
}

/** The engine writes one row per sequence: `sequence_id,length,aligned_length,protein_score,backbone_mean,…`. */
function compareMetadata(text: string, entries: readonly Entry[]): Disagreement {
  const rows = readCsv(text);
  if (rows[0]?.['sequence_id'] === undefined || !('length' in rows[0])) return null;
  const parts = rows.map((row): Part => [row['sequence_id'] ?? '', [row]]);
  return compareParts('The metadata are', parts, entries, hasSameTotals);
}

function hasSameTotals([row = {}]: readonly CsvRow[], entry: Entry): boolean {
  const length = Number(row['length'] ?? '');
  const ungapped = entry.residues.replaceAll(/[-.]/g, '').length;
  return (
    (!Number.isInteger(length) || length === countResidues(entry) || length === ungapped) &&
    Object.entries(entry.tracks).every(([key, track]) => {
      const [given = '', expected] = [row[`${key}_mean`], computeMean(listNumbers(track))];
      return given === '' || expected === null || isNear(Number(given), expected);
    })
  );
}

/** Median and quartiles of a column are between its minimum and maximum, however a program defines quartiles. */
function compareDistributions(text: string, entries: readonly Entry[]): Disagreement {
  const columns = Math.max(...entries.map(countResidues));
  for (const [key, spread] of Object.entries(readDistributions(text))) {
    for (const [name, { length }] of Object.entries(spread)) {
      if (length === 0 || length === columns) continue;
      return `The distributions have ${length} values of ${key} ${name}, result.json has ${columns} columns.`;
    }
    for (let column = 0; column < columns; column += 1) {
      const numbers = listNumbers(entries.map(({ tracks }) => tracks[key]?.[column] ?? null));
      const [least, greatest] = [Math.min(...numbers), Math.max(...numbers)];
      const middle = [spread.median, spread.firstQuartile, spread.thirdQuartile];
      const isOutside = listNumbers(middle.map((track) => track[column] ?? null)).some(
        (value) =>
          (value < least && !isNear(value, least)) ||
          (value > greatest && !isNear(value, greatest)),
      );
      if (numbers.length === 0 || !isOutside) continue;
      return `In column ${column + 1} the distributions of ${key} are not those of the values in result.json.`;
    }
  }
  return null;
}
