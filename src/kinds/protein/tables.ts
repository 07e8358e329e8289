/**
 * The tables that a service has of a prediction. The contract defines none of them (prediction service, 4.6); the engine
 * writes a row per residue or column, and a column for every predictor, empty for those that did not run.
 */
import { parse } from 'csv-parse/sync';
import { toObject, readResultJson } from '../json.ts';
import { type ColumnSpread, sortKeys, SPREAD_KEYS, type Track } from './reading.ts';

type Row = readonly string[];

/** A CSV table; without a header if the text is none. */
export interface CsvTable {
  readonly header: Row;
  readonly rows: readonly Row[];
}

export function readCsv(text: string): CsvTable {
  try {
    const [header = [], ...rows]: string[][] = parse(text, {
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
    });
    return { header, rows };
  } catch {
    return { header: [], rows: [] };
  }
}

/** The cells of a column; undefined if there is no such column. */
export function findColumn({ header, rows }: CsvTable, column: string): Row | undefined {
  const place = header.indexOf(column);
  return place === -1 ? undefined : rows.map((row) => row[place] ?? '');
}

/**
 * The distribution of the values of an alignment's rows in each column:
 *
 *   {results: {backbone: {median: […], thirdQuartile: […], …}}, metadata}     one value per column, null for gaps only
 *   residue_index,backbone_median,backbone_thirdQuartile,…                    the same as CSV, with three decimals
 *
 * @returns by the key of the payload, in the order of `TRACK_KEYS`; empty if the text contains no distributions
 */
export function readDistributions(text: string): Readonly<Record<string, ColumnSpread>> {
  const lists = /^\s*[[{]/.test(text) ? readJsonLists(text) : readCsvLists(text);
  const spreads = sortKeys(Object.keys(lists)).flatMap((key) => {
    const ofKey = toObject(lists[key]);
    const tracks = SPREAD_KEYS.map((name) => [name, readNumbers(ofKey?.[name])] as const);
    const isSpread = tracks.some(([, track]) => track.length > 0);
    return isSpread ? [[key, Object.fromEntries(tracks) as ColumnSpread] as const] : [];
  });
  return Object.fromEntries(spreads);
}

function readJsonLists(text: string): Readonly<Record<string, unknown>> {
  const read = readResultJson(text);
  const top = read.ok ? toObject(read.json) : null;
  return toObject(top?.['results']) ?? toObject(top?.['distributions']) ?? top ?? {};
}

/** As in the JSON. */
function readCsvLists(text: string): Readonly<Record<string, unknown>> {
  const table = readCsv(text);
  const lists: Record<string, Record<string, Row>> = {};
  for (const column of table.header) {
    const name = SPREAD_KEYS.find((one) => column.endsWith(`_${one}`));
    const cells = findColumn(table, column);
    if (name === undefined || cells?.every((cell) => cell === '')) continue;
    const key = column.slice(0, -name.length - 1);
    lists[key] = { ...lists[key], [name]: cells ?? [] };
  }
  return lists;
}

function readNumbers(value: unknown): Track {
  return Array.isArray(value) ? value.map(readNumber) : [];
}

function readNumber(value: unknown): number | null {
  if (typeof value === 'string' && value.trim() !== '') return readNumber(Number(value));
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
