/**
 * Checks that the files of one prediction belong together. The service serves each at its own address, so one can be
 * that of another job while the others are right. All are read tolerantly: files of unknown form are not checked.
 *
 * This runs when the item is concluded, and not as each file arrives: files are downloaded concurrently, and one of an
 * earlier job may still be in the folder. Quartiles are compared with the range of their column only, because programs
 * define quartiles differently. Rejected: a separate activity, which costs three events per item.
 */
import type { InputText, Kind } from '../../domain/item.ts';
import { otherJob } from '../provenance.ts';
import { type ResultCheck, resultProblem, type ResultProblem } from '../result-problems.ts';
import { readFasta } from './fasta.ts';
import { type PayloadEntry, type PayloadValue, readPayload } from './payload.ts';
import {
  type CsvEntry,
  distributionLengths,
  readCsvTable,
  readDistributions,
  readResultCsv,
  type ResultCsv,
} from './tables.ts';

/** The texts of downloaded files; files that the service did not provide are missing. */
export interface PredictionFiles {
  readonly result?: string;
  readonly csv?: string;
  readonly metadata?: string;
  readonly distributions?: string;
  readonly history?: string;
}

/**
 * The result itself is not checked here: `checkResult` did that when it arrived.
 * @param remoteId the job's id at the service
 */
export function checkFiles(
  files: PredictionFiles,
  kind: Exclude<Kind, 'molecule'>,
  remoteId: string,
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
    (csv === undefined ? null : csvDisagreement(csv, entries)) ??
    (metadata === undefined ? null : metadataDisagreement(metadata, entries)) ??
    (distributions === undefined || kind !== 'alignment'
      ? null
      : distributionDisagreement(distributions, entries));
  if (found === null) return null;
  return resultProblem(
    'RESULT_FILES_DISAGREE',
    `${found} One of the two files belongs to another job.`,
  );
}

/** Median and quartiles of a column are between its minimum and maximum, however they are defined. */
function distributionDisagreement(text: string, entries: readonly PayloadEntry[]): string | null {
  const columns = Math.max(0, ...entries.map(lengthOf));
  for (const [key, spread] of Object.entries(readDistributions(text, columns))) {
    const ranges = rangesOf(entries, key, columns);
    for (const name of ['median', 'firstQuartile', 'thirdQuartile'] as const) {
      const place = spread[name].findIndex((value, column) => {
        const range = ranges[column];
        return typeof value === 'number' && range !== undefined && !isWithin(value, range);
      });
      if (place === -1) continue;
      const { least = 0, greatest = 0 } = ranges[place] ?? {};
      const [value, from, to] = [Number(spread[name][place]), least, greatest].map(short);
      return `In column ${place + 1} the distributions have a ${name} of ${value} for ${key}, and result.json has values from ${from} to ${to}.`;
    }
  }
  return null;
}

interface Range {
  readonly least: number;
  readonly greatest: number;
}

/** Undefined for a column without any value. */
function rangesOf(
  entries: readonly PayloadEntry[],
  key: string,
  columns: number,
): readonly (Range | undefined)[] {
  const ranges = new Array<Range | undefined>(columns).fill(undefined);
  for (const { values } of entries) {
    for (const [column, value] of (values[key] ?? []).entries()) {
      if (typeof value !== 'number') continue;
      const { least, greatest } = ranges[column] ?? { least: value, greatest: value };
      ranges[column] = { least: Math.min(least, value), greatest: Math.max(greatest, value) };
    }
  }
  return ranges;
}

function isWithin(value: number, { least, greatest }: Range): boolean {
  return (value >= least && value <= greatest) || isNear(value, least) || isNear(value, greatest);
}

function lengthOf({ values }: PayloadEntry): number {
  return Math.max(0, ...Object.values(values).map(({ length }) => length));
}

function short(value: number): string {
  return String(Number(value.toPrecision(4)));
}

/**
 * Checks that the metadata of a prediction belong to it. The contract does not show their content (4.6); the engine
 * writes one row per sequence: `sequence_id,length,aligned_length,protein_score,backbone_mean,…`.
 */
type Row = Readonly<Record<string, string>>;

/** @returns what contradicts the result, in a sentence; null if they agree or the file has an unknown form */
function metadataDisagreement(text: string, entries: readonly PayloadEntry[]): string | null {
  if (/^\s*[[{<]/.test(text)) return null;
  const rows = readCsvTable(text).filter((row) => 'sequence_id' in row && 'length' in row);
  if (rows.length === 0) return null;
  if (rows.length !== entries.length) {
    return `The metadata are of ${rows.length} sequences, result.json has ${entries.length}.`;
  }
  return firstDisagreement(rows, entries, {
    isNamed: (row, { id }) => row['sequence_id'] === id.trim(),
    compare: rowDisagreement,
    lonely: (row) => `The metadata are of "${row['sequence_id'] ?? ''}", result.json is not.`,
  });
}

function rowDisagreement(row: Row, { id, sequence, values }: PayloadEntry): string | null {
  const all = sequence.length || (Object.values(values)[0]?.length ?? 0);
  const lengths = [all, sequence === '' ? all : sequence.replaceAll(/[-.]/g, '').length];
  const length = Number(row['length']);
  if (Number.isInteger(length) && !lengths.includes(length)) {
    return `The metadata give "${id}" ${length} residues, result.json has ${lengths.at(-1)}.`;
  }
  for (const [key, list] of Object.entries(values)) {
    const mean = row[`${key}_mean`] ?? '';
    const numbers = list.filter((value) => typeof value === 'number');
    if (mean === '' || numbers.length === 0) continue;
    const expected = numbers.reduce((sum, value) => sum + value, 0) / numbers.length;
    if (isNear(Number(mean), expected)) continue;
    return `The metadata give "${id}" a mean of ${mean} for ${key}, in result.json it is ${expected.toFixed(3)}.`;
  }
  return null;
}

/** @returns what contradicts the result, in a sentence; null if they agree or the CSV has an unknown form */
export function csvDisagreement(text: string, entries: readonly PayloadEntry[]): string | null {
  const csv = readResultCsv(text);
  if (csv === null) return null;
  const expected = groupsOf(csv, entries);
  if (csv.entries.length !== expected.size) {
    return `result.csv has rows of ${csv.entries.length} sequences, result.json has ${expected.size}.`;
  }
  return firstDisagreement(csv.entries, [...expected], {
    isNamed: ({ id }, [key]) => id === key,
    compare: (got, [, wanted]) => entryDisagreement(got, wanted),
    lonely: ({ id }) => `result.csv has rows of "${id}", which match nothing in result.json.`,
  });
}

interface Group {
  /** '' if the payload does not show it. */
  readonly sequence: string;
  readonly values: Readonly<Record<string, readonly PayloadValue[]>>;
}

/**
 * The payload's entries by the id in the CSV. The two chains of a homodimer share a code: their rows follow each other.
 */
function groupsOf({ idColumn }: ResultCsv, entries: readonly PayloadEntry[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const { id, sequence, values, scalars } of entries) {
    const key = idColumn === 'chainCode' ? String(scalars['chainCode'] ?? '').trim() : id.trim();
    const former = groups.get(key);
    groups.set(key, former === undefined ? { sequence, values } : joined(former, sequence, values));
  }
  return groups;
}

function joined(former: Group, sequence: string, values: Group['values']): Group {
  const keys = Object.keys(former.values).filter((key) => key in values);
  const lists = keys.map((key) => [key, [...(former.values[key] ?? []), ...(values[key] ?? [])]]);
  const isShown = former.sequence !== '' && sequence !== '';
  return {
    sequence: isShown ? former.sequence + sequence : '',
    values: Object.fromEntries(lists) as Group['values'],
  };
}

function entryDisagreement({ id, residues, columns }: CsvEntry, wanted: Group): string | null {
  const length = wanted.sequence.length || Object.values(wanted.values)[0]?.length;
  if (length !== undefined && residues.length !== length) {
    return `result.csv has ${residues.length} residues of "${id}", result.json has ${length}.`;
  }
  const place = residues.findIndex((letter, at) => !isSameLetter(letter, wanted.sequence[at]));
  if (place !== -1) {
    const [got, other] = [residues[place] ?? '', wanted.sequence[place] ?? ''];
    return `result.csv has ${got} for residue ${place + 1} of "${id}", result.json has ${other}.`;
  }
  for (const [key, values] of Object.entries(wanted.values)) {
    const isNumbering = key === 'seqCodes';
    const cells = columns[isNumbering ? 'seqCode' : key];
    const isSame = isNumbering ? (one: number, other: number) => one === other : isNear;
    const found = cells && columnDisagreement(cells, values, isSame);
    if (found) return `${found} of ${key} for "${id}".`;
  }
  return null;
}

/** The beginning of the sentence about it. */
function columnDisagreement(
  cells: readonly string[],
  values: readonly PayloadValue[],
  isSame: (one: number, other: number) => boolean,
): string | null {
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

/** Values longer than a letter, or unknown to one of the two, cannot be compared. */
function isSameLetter(cell: string, letter: string | undefined): boolean {
  if (letter === undefined || cell.length > 1) return true;
  const [one, other] = [residueOf(cell), residueOf(letter)];
  return one === other || one === 'X' || other === 'X';
}

/** A gap may be blank or a dot. */
function residueOf(letter: string): string {
  return letter === '' || letter === '.' ? '-' : letter.toUpperCase();
}

/**
 * The contract does not show the content of the file (4.6): nothing is counted if its form is unknown or the input is
 * missing.
 */
export function checkDistributions(
  bytes: Uint8Array | string,
  input: InputText | null,
): ResultCheck {
  if (input === null) return { ok: true };
  const columns = readFasta(input.text).records[0]?.residues.length ?? 0;
  for (const [name, length] of distributionLengths(bytes)) {
    if (length === columns) continue;
    const message = `The distributions have ${length} values of ${name}, the alignment has ${columns} columns.`;
    return resultProblem('RESULT_MISSING_VALUES', message);
  }
  return { ok: true };
}

/** The engine writes three decimals into CSV files; a service may round more. */
const TOLERANCE = { absolute: 0.011, relative: 0.011 } as const;

/** True for non-numbers: NaN carries no information. */
export function isNear(one: number, other: number): boolean {
  const distance = Math.abs(one - other);
  return !(distance > TOLERANCE.absolute + TOLERANCE.relative * Math.abs(other));
}

interface Comparison<Got, Wanted> {
  readonly isNamed: (got: Got, wanted: Wanted) => boolean;
  /** The disagreement, in a sentence, or null. */
  readonly compare: (got: Got, wanted: Wanted) => string | null;
  /** The sentence for an entry that agrees with none. */
  readonly lonely: (got: Got) => string;
}

/** Compares each entry with the one of the same name; if a file uses other names, with any unused entry that agrees. */
export function firstDisagreement<Got, Wanted>(
  got: readonly Got[],
  wanted: readonly Wanted[],
  { isNamed, compare, lonely }: Comparison<Got, Wanted>,
): string | null {
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
