/** Search and order of the table of all items: pure functions, fast with ten thousand rows. */
import type { ItemTable } from '../../src/report/page-data.ts';
import { isNumeric, type CellValue, type Column } from './columns.ts';

/** Which rows to show, and in which order; an empty text matches all. */
export interface TableQuery {
  /** Words that a row must contain, all of them, and conditions: `penalty>10`, `project=ions`. */
  readonly q: string;
  readonly kind: string;
  readonly state: string;
  readonly code: string;
  /** Encoded ids, separated by spaces. */
  readonly only: string;
  /** A column's key, prefixed with `-` for descending; empty for manifest order. */
  readonly sort: string;
}

/** The searchable text of each row, in lower case. */
export function indexTexts(table: ItemTable): readonly string[] {
  const { id, kind, state, result, code, message, remoteId, own } = table;
  return id.map((_, row) =>
    [id, kind, state, result, code, message, remoteId, ...own.map(({ values }) => values)]
      .map((column) => column[row])
      .join('\n')
      .toLowerCase(),
  );
}

/** The rows that match the query, in the requested order. */
export function findRows(
  table: ItemTable,
  texts: readonly string[],
  columns: readonly Column[],
  query: TableQuery,
): readonly number[] {
  const tests = query.q
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => parseTest(columns, texts, word));
  const only = new Set(readOnly(query.only));
  const rows: number[] = [];
  for (const row of table.id.keys()) {
    if (query.kind !== '' && table.kind[row] !== query.kind) continue;
    if (query.state !== '' && toStateGroup(table.state[row]) !== query.state) continue;
    if (query.code !== '' && table.code[row] !== query.code) continue;
    if (only.size > 0 && !only.has(table.id[row] ?? '')) continue;
    if (tests.every((test) => test(row))) rows.push(row);
  }
  const descending = query.sort.startsWith('-');
  const key = descending ? query.sort.slice(1) : query.sort;
  const column = columns.find((one) => one.key === key);
  return column === undefined ? rows : sort(rows, column, descending);
}

/** All states of an item that has not ended are shown as one. */
export function toStateGroup(state: string | undefined): string {
  return state === 'waiting' || state === 'running' ? 'open' : (state ?? '');
}

type Test = (row: number) => boolean;

/** None if the address was cut inside an id. */
function readOnly(only: string): readonly string[] {
  try {
    return only.split(' ').filter(Boolean).map(decodeURIComponent);
  } catch {
    return [];
  }
}

/** A word that is no condition on a column of the table is searched for as it is. */
function parseTest(columns: readonly Column[], texts: readonly string[], word: string): Test {
  const [, name = '', sign = '', value = ''] = /^([^<>=]+)([<>]=?|=)(.+)$/.exec(word) ?? [];
  const column = name === '' ? undefined : findColumn(columns, toSearchable(name));
  if (column === undefined) return (row) => texts[row]?.includes(word) === true;
  const number = Number(value);
  if (!isNumeric(column) || Number.isNaN(number))
    return (row) => sign === '=' && String(column.valueAt(row)).toLowerCase() === value;
  return (row) => {
    const cell = column.valueAt(row);
    if (typeof cell !== 'number') return false;
    if (cell === number) return sign.includes('=');
    return sign.startsWith(cell > number ? '>' : '<');
  };
}

/** By its key or title, or a part of them: `penalty` is the largest penalty. */
function findColumn(columns: readonly Column[], name: string): Column | undefined {
  const names = ({ key, title }: Column): string[] => [toSearchable(key), toSearchable(title)];
  return (
    columns.find((column) => names(column).includes(name)) ??
    columns.find((column) => names(column).some((one) => one.includes(name)))
  );
}

function toSearchable(text: string): string {
  return text.toLowerCase().replace(/^own:|[^\p{L}\p{N}]/gu, '');
}

/** Rows without a value come last in both directions; equal ones keep manifest order. */
function sort(rows: readonly number[], column: Column, descending: boolean): readonly number[] {
  const keyed = rows.map((row) => ({ row, key: sortKey(column.valueAt(row)) }));
  const sign = descending ? -1 : 1;
  keyed.sort((a, b) => {
    if (a.key === b.key) return a.row - b.row;
    if (a.key === null) return 1;
    if (b.key === null) return -1;
    return a.key < b.key ? -sign : sign;
  });
  return keyed.map(({ row }) => row);
}

/** `mol9` before `mol10`. Much faster than a collator that compares numbers. */
function sortKey(value: CellValue): CellValue {
  if (typeof value !== 'string') return value;
  return value.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, '0'));
}
