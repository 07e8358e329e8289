/**
 * Checks that the files of one prediction belong together. The service serves each at its own address, so one can be
 * that of another job while the others are right. All are read tolerantly: files of unknown form are not checked.
 *
 * This runs when the item is concluded, and not as each file arrives: files are downloaded concurrently, and one of an
 * earlier job may still be in the folder.
 */
import type { InputText } from '../../domain/item.ts';
import type { JobFacts } from '../kind.ts';
import { otherJob } from '../provenance.ts';
import { resultProblem, type ResultProblem } from '../result-problems.ts';
import { readFasta } from './fasta.ts';
import { mean, numbersIn } from './measures.ts';
import { type PayloadEntry, type PayloadValue, readPayload } from './payload.ts';
import { distributionLengths, readCsv, readDistributions } from './tables.ts';

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
    const other = otherJob(name, text, remoteId);
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
  return resultProblem('RESULT_FILES_DISAGREE', message);
}

/** Checks that the distributions of an alignment have a value for each of its columns. */
export function checkDistributions(
  bytes: Uint8Array,
  input: InputText | null,
): ResultProblem | null {
  if (input === null) return null;
  const columns = readFasta(input.text).records[0]?.residues.length ?? 0;
  for (const [name, length] of distributionLengths(bytes)) {
    if (length === columns) continue;
    const message = `The distributions have ${length} values of ${name}, the alignment has ${columns} columns.`;
    return resultProblem('RESULT_MISSING_VALUES', message);
  }
  return null;
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

interface Comparison<Got, Wanted> {
  readonly isNamed: (got: Got, wanted: Wanted) => boolean;
  readonly compare: (got: Got, wanted: Wanted) => Disagreement;
  /** The sentence for an entry that agrees with none. */
  readonly lonely: (got: Got) => string;
}

/** Compares each entry with the one of the same name; if a file uses other names, with any unused entry that agrees. */
function firstDisagreement<Got, Wanted>(
  got: readonly Got[],
  wanted: readonly Wanted[],
  { isNamed, compare, lonely }: Comparison<Got, Wanted>,
): Disagreement {
  const open = [...wanted];
  for (const one of got) {
    const named = open.findIndex((other) => isNamed(one, other));
    const place = named === -1 ? open.findIndex((other) => compare(one, other) === null) : named;
    const match = open[place];
    if (match === undefined) return lonely(one);
    const found = named === -1 ? null : compare(one, match);
    if (found !== null) return found;
    open.splice(place, 1);
  }
  return null;
}

/**
 *   sequence_id,residue,residue_index,RRM,agmata,arg,backbone,…     sequences and alignments, gaps as `-`
 *   chainCode,seqCode,residue,shiftCrypt                            NMR shifts
 *
 * Rows with one id are one entry, even if they are not consecutive. The two chains of a homodimer share a code: their
 * rows follow each other.
 */
function compareCsv(text: string, entries: readonly PayloadEntry[]): Disagreement {
  const { header, rows, get } = readCsv(text);
  const idColumn = ['sequence_id', 'chainCode'].find((name) => header.includes(name));
  if (idColumn === undefined || !header.includes('residue')) return null;
  const got = [...Map.groupBy(rows, (row) => get(row, idColumn))];
  const keyOf = ({ id, scalars }: PayloadEntry): string =>
    (idColumn === 'chainCode' ? String(scalars['chainCode'] ?? '') : id).trim();
  const wanted = [...Map.groupBy(entries, keyOf)];
  if (got.length !== wanted.length) {
    return `result.csv has rows of ${got.length} sequences, result.json has ${wanted.length}.`;
  }
  return firstDisagreement(got, wanted, {
    isNamed: ([id], [key]) => id === key,
    compare: ([id, own], [, chains]) =>
      compareRows(id, chains, (column) =>
        header.includes(column) ? own.map((row) => get(row, column)) : undefined,
      ),
    lonely: ([id]) => `result.csv has rows of "${id}", which match nothing in result.json.`,
  });
}

/** @param cellsOf a column of the CSV for these chains; undefined if it has no such column */
function compareRows(
  id: string,
  chains: readonly PayloadEntry[],
  cellsOf: (column: string) => readonly string[] | undefined,
): Disagreement {
  const residues = cellsOf('residue') ?? [];
  const isShown = chains.every(({ sequence }) => sequence !== '');
  const sequence = isShown ? chains.map((one) => one.sequence).join('') : '';
  const keys = Object.keys(chains[0]?.values ?? {}).filter((key) =>
    chains.every(({ values }) => key in values),
  );
  const lists = keys.map(
    (key) => [key, chains.flatMap(({ values }) => values[key] ?? [])] as const,
  );
  const length = sequence.length || lists[0]?.[1].length;
  if (length !== undefined && residues.length !== length) {
    return `result.csv has ${residues.length} residues of "${id}", result.json has ${length}.`;
  }
  const place = residues.findIndex((letter, at) => !isSameLetter(letter, sequence[at]));
  if (place !== -1) {
    const [got = '', other = ''] = [residues[place], sequence[place]];
    return `result.csv has ${got} for residue ${place + 1} of "${id}", result.json has ${other}.`;
  }
  for (const [key, values] of lists) {
    const isNumbering = key === 'seqCodes';
    const cells = cellsOf(isNumbering ? 'seqCode' : key);
    const isSame = isNumbering ? (one: number, other: number) => one === other : isNear;
    const found = cells && compareColumn(cells, values, isSame);
    if (found) return `${found} of ${key} for "${id}".`;
  }
  return null;
}

/** The beginning of the sentence about it. */
function compareColumn(
  cells: readonly string[],
  values: readonly PayloadValue[],
  isSame: (one: number, other: number) => boolean,
): Disagreement {
  if (cells.every((cell) => cell === '') && values.some((value) => typeof value === 'number')) {
    return 'result.csv has no values, but result.json has some,';
  }
  const place = cells.findIndex((cell, at) => {
    const value = values[at];
    return typeof value === 'number' && cell !== '' && !isSame(Number(cell), value);
  });
  if (place === -1) return null;
  return `At residue ${place + 1} result.csv has ${cells[place] ?? ''}, and result.json ${String(values[place])},`;
}

/** A word is no letter, and the engine reads unknown letters as X. A gap may be blank or a dot. */
function isSameLetter(cell: string, letter: string | undefined): boolean {
  if (letter === undefined || cell.length > 1) return true;
  const [one, other] = [cell, letter].map((text) => text.replace(/^\.?$/, '-').toUpperCase());
  return one === other || one === 'X' || other === 'X';
}

/** The engine writes one row per sequence: `sequence_id,length,aligned_length,protein_score,backbone_mean,…`. */
function compareMetadata(text: string, entries: readonly PayloadEntry[]): Disagreement {
  const { header, rows, get } = readCsv(text);
  const isKnown = header.includes('sequence_id') && header.includes('length');
  if (/^\s*[[{<]/.test(text) || !isKnown || rows.length === 0) return null;
  if (rows.length !== entries.length) {
    return `The metadata are of ${rows.length} sequences, result.json has ${entries.length}.`;
  }
  return firstDisagreement(rows, entries, {
    isNamed: (row, { id }) => get(row, 'sequence_id') === id.trim(),
    compare: (row, entry) => compareTotals((column) => get(row, column), entry),
    lonely: (row) => `The metadata are of "${get(row, 'sequence_id')}", result.json is not.`,
  });
}

function compareTotals(
  cell: (column: string) => string,
  { id, sequence, values }: PayloadEntry,
): Disagreement {
  const all = sequence.length || (Object.values(values)[0]?.length ?? 0);
  const lengths = [all, sequence === '' ? all : sequence.replaceAll(/[-.]/g, '').length];
  const length = Number(cell('length'));
  if (Number.isInteger(length) && !lengths.includes(length)) {
    return `The metadata give "${id}" ${length} residues, result.json has ${lengths.at(-1)}.`;
  }
  for (const [key, list] of Object.entries(values)) {
    const given = cell(`${key}_mean`);
    const expected = mean(numbersIn(list));
    if (given === '' || expected === null || isNear(Number(given), expected)) continue;
    return `The metadata give "${id}" a mean of ${given} for ${key}, in result.json it is ${expected.toFixed(3)}.`;
  }
  return null;
}

/** Median and quartiles of a column are between its minimum and maximum, however a program defines quartiles. */
function compareDistributions(text: string, entries: readonly PayloadEntry[]): Disagreement {
  const lists = entries.flatMap(({ values }) => Object.values(values));
  const columns = lists.reduce((most, { length }) => Math.max(most, length), 0);
  for (const [key, spread] of Object.entries(readDistributions(text, columns))) {
    for (let column = 0; column < columns; column += 1) {
      const numbers = numbersIn(entries.map(({ values }) => values[key]?.[column] ?? null));
      if (numbers.length === 0) continue;
      const least = numbers.reduce((one, other) => Math.min(one, other));
      const greatest = numbers.reduce((one, other) => Math.max(one, other));
      for (const name of ['median', 'firstQuartile', 'thirdQuartile'] as const) {
        const value = spread[name][column];
        if (typeof value !== 'number' || (value >= least && value <= greatest)) continue;
        if (isNear(value, least) || isNear(value, greatest)) continue;
        const [shown, from, to] = [value, least, greatest].map((one) =>
          String(Number(one.toPrecision(4))),
        );
        return `In column ${column + 1} the distributions have a ${name} of ${shown} for ${key}, and result.json has values from ${from} to ${to}.`;
      }
    }
  }
  return null;
}
