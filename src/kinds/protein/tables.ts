/**
 * The tables that a service has of a prediction. The contract defines none of them (prediction service, 4.6); the engine
 * writes a row per residue or column, and a column for every predictor, empty for those that did not run.
 */
import { parse } from 'csv-parse/sync';
import { asObject, readResultJson } from '../json.ts';
import { type ColumnSpread, inOrder, SPREAD_KEYS } from './reading.ts';

type Row = readonly string[];

/** A CSV table; without a header if the text is none. */
export interface CsvTable {
  readonly header: Row;
  readonly rows: readonly Row[];
  /** Empty if there is no such column. */
  readonly get: (row: Row, column: string) => string;
}

export function readCsv(text: string): CsvTable {
  const [header = [], ...rows] = readRows(text);
  const places = new Map(header.map((name, place) => [name, place]));
  return { header, rows, get: (row, column) => row[places.get(column) ?? -1] ?? '' };
}

function readRows(text: string): string[][] {
  // Ten times as fast as the parser, and the engine quotes only names with a comma.
  if (!text.includes('"')) {
    const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
    return lines
      .filter((line) => line !== '')
      .map((line) => line.split(',').map((cell) => cell.trim()));
  }
  try {
    return parse(text, {
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
    });
  } catch {
    return [];
  }
}

/**
 * The distribution of the values of an alignment's rows in each column:
 *
 *   {results: {backbone: {median: […], thirdQuartile: […], …}}, metadata}     one value per column, null for gaps only
 *   residue_index,backbone_median,backbone_thirdQuartile,…                    the same as CSV, with three decimals
 *
 * @returns by the key of the payload, in the order of `TRACK_KEYS`; empty if the bytes contain no distributions
 */
export function readDistributions(
  bytes: Uint8Array | string,
  columns: number,
): Readonly<Record<string, ColumnSpread>> {
  const found = readLists(bytes);
  return Object.fromEntries(
    inOrder([...found.keys()]).map((key) => {
      const lists = found.get(key) ?? {};
      const spread = SPREAD_KEYS.map((name) => [
        name,
        Array.from({ length: columns }, (_, column) => asNumber(lists[name]?.[column])),
      ]);
      return [key, Object.fromEntries(spread) as ColumnSpread];
    }),
  );
}

/** Number of values of each list of the file, by the name of the list: `backbone median`. */
export function distributionLengths(
  bytes: Uint8Array,
): (readonly [list: string, length: number])[] {
  return [...readLists(bytes)].flatMap(([key, lists]) =>
    Object.entries(lists).map(([name, list]) => [`${key} ${name}`, list.length] as const),
  );
}

type Lists = Readonly<Record<string, readonly unknown[]>>;

function readLists(bytes: Uint8Array | string): ReadonlyMap<string, Lists> {
  const text = typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes);
  const found = new Map<string, Lists>();
  if (!/^\s*[[{]/.test(text)) {
    const { header, rows, get } = readCsv(text);
    for (const column of header) {
      const name = SPREAD_KEYS.find((one) => column.endsWith(`_${one}`));
      const values = rows.map((row) => get(row, column));
      if (name === undefined || values.every((value) => value === '')) continue;
      const key = column.slice(0, -name.length - 1);
      found.set(key, { ...found.get(key), [name]: values });
    }
    return found;
  }
  const read = readResultJson(text);
  const top = read.ok ? asObject(read.json) : null;
  const results = asObject(top?.['results']) ?? asObject(top?.['distributions']) ?? top ?? {};
  for (const [key, value] of Object.entries(results)) {
    const object = asObject(value);
    const lists = SPREAD_KEYS.flatMap((name) => {
      const list = object?.[name];
      return Array.isArray(list) ? [[name, list as unknown[]] as const] : [];
    });
    if (lists.length > 0) found.set(key, Object.fromEntries(lists));
  }
  return found;
}

function asNumber(value: unknown): number | null {
  if (typeof value === 'string' && value.trim() !== '') return asNumber(Number(value));
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
