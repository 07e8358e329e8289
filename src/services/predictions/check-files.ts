/**
 * Checks that the files of one prediction belong together. The service serves each at its own address, so one can be
 * that of another job while the others are right. All are read tolerantly: files of unknown form are not checked.
 *
 * This runs when the item is concluded, and not as each file arrives: files are downloaded concurrently, and one of an
 * earlier job may still be in the folder. Quartiles are compared with the range of their column only, because programs
 * define quartiles differently. Rejected: a separate activity, which costs three events per item.
 */
import type { Kind } from '../../domain/item.ts';
import { readDistributions } from '../../results/distributions.ts';
import { readPayload, type PayloadEntry } from '../../results/payload.ts';
import {
  RESULT_PROBLEMS,
  resultProblem,
  type ResultProblem,
} from '../../results/result-problems.ts';
import { otherJob } from '../named-job.ts';
import { csvDisagreement } from './check-csv.ts';
import { isNear, firstDisagreement } from './near.ts';
import { readCsvTable } from '../../results/result-csv.ts';

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
    RESULT_PROBLEMS.filesDisagree,
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
