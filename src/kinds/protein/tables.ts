/** The tables of a prediction: its CSV form, and the distributions of an alignment. */
import { parse } from 'csv-parse/sync';
import { arePlain, asObject, readResultJson } from '../json.ts';
import { type ColumnSpread, SPREAD_KEYS, type Track } from '../reading.ts';
import { TRACK_KEYS } from './reading-aids.ts';

/**
 * The CSV form of a prediction. The contract does not define it (prediction service, 4.6); the engine writes one row
 * per residue, and a column for every predictor, empty for those that did not run:
 *
 *   sequence_id,residue,residue_index,RRM,agmata,arg,backbone,…     sequences and alignments, gaps as `-`
 *   chainCode,seqCode,residue,shiftCrypt                            NMR shifts
 */
/** The rows of one protein or chain. */
export interface CsvEntry {
  readonly id: string;
  /** The column `residue`, one cell per row. */
  readonly residues: readonly string[];
  /** The other columns by name, one cell per row. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
}

export interface ResultCsv {
  /** The column with the id of the entry. */
  readonly idColumn: 'sequence_id' | 'chainCode';
  readonly entries: readonly CsvEntry[];
}

/** Null for a text in another format. Rows with one id are one entry, even if they are not consecutive. */
export function readResultCsv(text: string): ResultCsv | null {
  const [header = [], ...rows] = readRows(text);
  const idColumn = (['sequence_id', 'chainCode'] as const).find((name) => header.includes(name));
  if (idColumn === undefined || !header.includes('residue')) return null;
  const [idPlace, residuePlace] = [header.indexOf(idColumn), header.indexOf('residue')];
  const byId = new Map<string, string[][]>();
  for (const row of rows) {
    const id = row[idPlace] ?? '';
    const known = byId.get(id);
    if (known === undefined) byId.set(id, [row]);
    else known.push(row);
  }
  const entries = Array.from(byId, ([id, own]): CsvEntry => {
    const column = (place: number): string[] => own.map((row) => row[place] ?? '');
    const others = header.flatMap((name, place) =>
      place === idPlace || place === residuePlace ? [] : [[name, column(place)] as const],
    );
    return { id, residues: column(residuePlace), columns: Object.fromEntries(others) };
  });
  return { idColumn, entries };
}

/** A CSV table by column name; empty if the text is not a table. */
export function readCsvTable(text: string): readonly Readonly<Record<string, string>>[] {
  const [header = [], ...rows] = readRows(text);
  return rows.map((row) =>
    Object.fromEntries(header.map((name, place) => [name, row[place] ?? ''])),
  );
}

function readRows(text: string): string[][] {
  // Ten times as fast as the parser, and the engine quotes only names with a comma.
  if (!text.includes('"')) return splitRows(text);
  try {
    const rows: string[][] = parse(text, {
      bom: true,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      trim: true,
    });
    return rows;
  } catch {
    return [];
  }
}

function splitRows(text: string): string[][] {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  return lines.flatMap((line) => (line === '' ? [] : [line.split(',').map((cell) => cell.trim())]));
}

/**
 * The distribution of the values of an alignment's rows in each column. The contract does not define the file
 * (prediction service, 4.6); the engine writes
 *
 *   {results: {backbone: {median: […], thirdQuartile: […], …}}, metadata}     one value per column, null for gaps only
 *   residue_index,backbone_median,backbone_thirdQuartile,…                    the same as CSV, with three decimals
 */
type Spreads = Readonly<Record<string, ColumnSpread>>;
type Values = readonly unknown[];

/** @returns by the key of the payload, in the order of `TRACK_KEYS`; empty if the bytes contain no distributions */
export function readDistributions(bytes: Uint8Array | string, columns: number): Spreads {
  const text = typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes);
  const found = /^\s*[[{]/.test(text) ? fromJson(text) : fromCsv(text);
  const known: readonly string[] = TRACK_KEYS;
  const keys = [
    ...known.filter((key) => found.has(key)),
    ...[...found.keys()].filter((key) => !known.includes(key)),
  ];
  return Object.fromEntries(
    keys.map((key) => {
      const values = found.get(key) ?? {};
      const spread = SPREAD_KEYS.map((name) => [name, asTrack(values[name] ?? [], columns)]);
      return [key, Object.fromEntries(spread)];
    }),
  );
}

/** Number of values of each list of the file, by the name of the list: `backbone median`. */
export function distributionLengths(
  bytes: Uint8Array | string,
): readonly (readonly [name: string, length: number])[] {
  const text = typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes);
  const found = /^\s*[[{]/.test(text) ? fromJson(text) : fromCsv(text);
  return [...found].flatMap(([key, lists]) =>
    Object.entries(lists).map(([name, list]) => [`${key} ${name}`, list.length] as const),
  );
}

type Found = ReadonlyMap<string, Readonly<Record<string, Values>>>;

function fromJson(text: string): Found {
  const read = readResultJson(text);
  const top = read.ok ? asObject(read.json) : null;
  const results = asObject(top?.['results']) ?? asObject(top?.['distributions']) ?? top ?? {};
  const found = new Map<string, Record<string, Values>>();
  for (const [key, value] of Object.entries(results)) {
    const object = asObject(value);
    const lists = SPREAD_KEYS.flatMap((name): [string, Values][] => {
      const list = object?.[name];
      return Array.isArray(list) ? [[name, list]] : [];
    });
    if (lists.length > 0) found.set(key, Object.fromEntries(lists));
  }
  return found;
}

function fromCsv(text: string): Found {
  const found = new Map<string, Record<string, Values>>();
  const [header = [], ...rows] = parse(text, { bom: true, relax_column_count: true });
  for (const [index, column] of header.entries()) {
    const name = SPREAD_KEYS.find((one) => column.endsWith(`_${one}`));
    if (name === undefined) continue;
    const values = rows.map((row) => row[index] ?? '');
    // The engine has columns for all predictors; those that did not run are empty.
    if (values.every((value) => value.trim() === '')) continue;
    const key = column.slice(0, -name.length - 1);
    found.set(key, { ...found.get(key), [name]: values });
  }
  return found;
}

function asTrack(values: Values, columns: number): Track {
  if (values.length === columns && arePlain(values)) return values;
  const track = new Array<number | null>(columns);
  for (let column = 0; column < columns; column += 1) track[column] = asNumber(values[column]);
  return track;
}

function asNumber(value: unknown): number | null {
  if (typeof value === 'string' && value.trim() !== '') return asNumber(Number(value));
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}
