/**
 * Checks that the files of one prediction belong together. The service serves each at its own address, so one can be
 * that of another job while the others are right. All are read tolerantly: files of unknown form are not checked.
 *
 * This runs when the item is concluded, and not as each file arrives: files are downloaded concurrently, and one of an
 * earlier job may still be in the folder.
 */
import type { JobFacts } from '../kind.ts';
import { checkJobId } from '../provenance.ts';
import { createResultProblem, type ResultProblem } from '../result-problems.ts';
import { computeMean, listNumbers } from './measures.ts';
import { type Entry, readPayload } from './payload.ts';
import { countResidues, type Track } from './reading.ts';
import { findColumn, type CsvTable, readCsv, readDistributions } from './tables.ts';

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
    (csv === undefined ? null : compareCsv(readCsv(csv), entries)) ??
    (metadata === undefined ? null : compareMetadata(readCsv(metadata), entries)) ??
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
type Part = readonly [name: string, rows: CsvTable];

/**
 * Each part must be that of an entry, and each entry that of one part: the one with its name, or any that agrees, if the
 * file uses other names.
 */
function compareParts(
  file: string,
  parts: readonly Part[],
  entries: readonly Entry[],
  agrees: (rows: CsvTable, entry: Entry) => boolean,
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

/** Rows with one name are one part, even if they are not consecutive. */
function splitParts({ header, rows }: CsvTable, names: readonly string[] = []): Part[] {
  const groups = Map.groupBy(rows.keys(), (row) => names[row] ?? '');
  return [...groups].map(([name, own]) => [
    name,
    { header, rows: [...own].map((row) => rows[row] ?? []) },
  ]);
}

/**
 *   sequence_id,residue,residue_index,RRM,agmata,arg,backbone,…     sequences and alignments, gaps as `-`
 *   chainCode,seqCode,residue,shiftCrypt                            NMR shifts
 */
function compareCsv(table: CsvTable, entries: readonly Entry[]): Disagreement {
  const ofSequences = findColumn(table, 'sequence_id');
  const names = ofSequences ?? findColumn(table, 'chainCode');
  if (names === undefined || !table.header.includes('residue')) return null;
  const parts = splitParts(table, names);
  const wanted = ofSequences === undefined ? joinChains(entries) : entries;
  return compareParts('result.csv has rows', parts, wanted, hasSameValues);
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

function hasSameValues(rows: CsvTable, entry: Entry): boolean {
  const letters = findColumn(rows, 'residue') ?? [];
  return (
    letters.length === countResidues(entry) &&
    letters.every((letter, at) => isSameLetter(letter, entry.residues[at])) &&
    Object.entries(entry.tracks).every(([key, track]) => {
      // Numbers of residues are not rounded.
      if (key === 'seqCodes') return isSameColumn(findColumn(rows, 'seqCode'), track, Object.is);
      return isSameColumn(findColumn(rows, key), track, isNear);
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
  cells: readonly string[] = [],
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
function compareMetadata(table: CsvTable, entries: readonly Entry[]): Disagreement {
  const { header, rows } = table;
  const names = findColumn(table, 'sequence_id');
  if (names === undefined || !header.includes('length') || rows.length === 0) return null;
  const parts = rows.map((row, n): Part => [names[n] ?? '', { header, rows: [row] }]);
  return compareParts('The metadata are', parts, entries, hasSameTotals);
}

function hasSameTotals(row: CsvTable, entry: Entry): boolean {
  const cell = (column: string): string => findColumn(row, column)?.[0] ?? '';
  const length = Number(cell('length'));
  const ungapped = entry.residues.replaceAll(/[-.]/g, '').length;
  return (
    (!Number.isInteger(length) || length === countResidues(entry) || length === ungapped) &&
    Object.entries(entry.tracks).every(([key, track]) => {
      const [given, expected] = [cell(`${key}_mean`), computeMean(listNumbers(track))];
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
