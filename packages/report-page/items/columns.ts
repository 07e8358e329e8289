/** The columns of the table of all items, and their value in a row. */
import type { Kind } from '../../../src/domain/item.ts';
import type { ItemTable, KindFacts, MeasureColumns } from '../../../src/report/page-data.ts';

/** The fixed keys, those of measures, and `own:NAME` for the user's own columns. */
export type ColumnKey = string;

export type CellValue = string | number | null;

/** `duration`: a number of seconds. `category`: one of a few texts. */
type ColumnType = 'text' | 'category' | 'number' | 'duration';

/** What a column belongs to: `item`, `own` (the user's columns), `job`, or a kind by its name. */
export type ColumnGroup = string;

export interface Column {
  readonly key: ColumnKey;
  readonly title: string;
  readonly unit: string;
  /** What it means, in a sentence; empty if the title is enough. */
  readonly meaning: string;
  readonly type: ColumnType;
  readonly group: ColumnGroup;
  /** Decimal places; null if the value is shown as it is. */
  readonly decimals: number | null;
  /** Whether it is shown by default. */
  readonly isMain: boolean;
  readonly valueAt: (row: number) => CellValue;
}

export function isNumeric({ type }: Pick<Column, 'type'>): boolean {
  return type === 'number' || type === 'duration';
}

/** Whether rows of this kind can have a value; an empty kind means all. */
export function suits({ group }: Column, kind: string): boolean {
  return kind === '' || !isKind(group) || group === kind;
}

/** For bare numbers, as on an axis: durations are in seconds there. */
export function numberHeadOf(column: Pick<Column, 'title' | 'unit' | 'type'>): string {
  return column.type === 'duration' ? `${column.title} (s)` : headOf(column);
}

/** `Mass (Da)`. */
export function headOf({ title, unit }: Pick<Column, 'title' | 'unit'>): string {
  return unit === '' ? title : `${title} (${unit})`;
}

export function columnsOf(table: ItemTable): readonly Column[] {
  return [
    ...itemColumns(table),
    ...table.kinds.flatMap((kind) => measureColumns(table, kind, table.measures[kind.name] ?? {})),
    ...table.own.map(ownColumn),
    ...jobColumns(table),
  ];
}

function itemColumns(table: ItemTable): readonly Column[] {
  const column = (key: string, title: string, valueAt: Column['valueAt']): Column => ({
    key,
    title,
    unit: '',
    meaning: '',
    group: 'item',
    decimals: null,
    valueAt,
    type: key === 'kind' || key === 'state' ? 'category' : 'text',
    isMain: true,
  });
  return [
    column('id', 'Item', (row) => table.id[row] ?? ''),
    column('kind', 'Kind', (row) => table.kind[row] ?? null),
    column('state', 'State', (row) => table.state[row] ?? null),
    column('result', 'Result', (row) => (table.result[row] || table.code[row]) ?? null),
  ];
}

function measureColumns(
  table: ItemTable,
  { name, measures }: KindFacts,
  lists: MeasureColumns,
): readonly Column[] {
  const turns = turnsOf(table, name);
  return measures.flatMap((measure): Column[] => {
    const values = lists[measure.key];
    if (values === undefined) return [];
    const valueAt = (row: number): number | null => values[turns[row] ?? -1] ?? null;
    return [{ ...measure, type: 'number', group: name, valueAt }];
  });
}

/** For each row: its index among the rows of its kind, from 0; -1 for those of other kinds. */
function turnsOf({ kind: kinds }: ItemTable, kind: Kind): Int32Array {
  let turn = 0;
  return Int32Array.from(kinds, (one) => (one === kind ? turn++ : -1));
}

/** With more different texts than this, a column has no categories. */
const MOST_CATEGORIES = 24;

function ownColumn({ name, values }: ItemTable['own'][number]): Column {
  const different = [...new Set(values)].filter((value) => value !== '');
  const isNumber =
    different.length > 0 && different.every((value) => Number.isFinite(Number(value)));
  const valueAt = (row: number): CellValue => {
    const value = values[row] ?? '';
    return value === '' ? null : isNumber ? Number(value) : value;
  };
  return {
    key: `own:${name}`,
    title: name,
    unit: '',
    meaning: 'Your own column',
    valueAt,
    group: 'own',
    decimals: null,
    isMain: true,
    type: isNumber ? 'number' : different.length <= MOST_CATEGORIES ? 'category' : 'text',
  };
}

function jobColumns(table: ItemTable): readonly Column[] {
  const column = (
    key: string,
    title: string,
    meaning: string,
    valueAt: Column['valueAt'],
  ): Column => ({
    key,
    title,
    unit: '',
    meaning,
    type: 'duration',
    group: 'job',
    valueAt,
    decimals: 1,
    isMain: true,
  });
  return [
    column('waited', 'Accepted after', 'From the start of the campaign', (row) =>
      secondsOf(table.submitted[row]),
    ),
    column('took', 'Done in', 'From acceptance by the service to the last file on disk', (row) =>
      secondsOf(durationOf(table, row)),
    ),
  ];
}

function durationOf(table: ItemTable, row: number): number | null {
  const [from, to] = [table.submitted[row] ?? null, table.finished[row] ?? null];
  return from === null || to === null ? null : to - from;
}

function secondsOf(ms: number | null | undefined): number | null {
  return ms == null ? null : ms / 1000;
}

/** The columns that are shown: those of the list of keys, or the most useful ones for rows of this kind. */
export function shownColumns(
  columns: readonly Column[],
  { chosen, kind }: { readonly chosen: string; readonly kind: string },
): readonly Column[] {
  if (chosen !== '') {
    const keys = new Set(['id', ...chosen.split(' ').map(decodeURIComponent)]);
    return columns.filter(({ key }) => keys.has(key));
  }
  const kinds = new Set(columns.flatMap(({ group }) => (isKind(group) ? [group] : [])));
  const [only] = kinds;
  const one = kind !== '' ? kind : kinds.size === 1 ? only : undefined;
  return columns.filter(({ key, group, isMain }) => {
    if (!isMain || (isKind(group) && group !== one)) return false;
    return one === undefined || (key !== 'kind' && key !== 'waited');
  });
}

export function chosenText(keys: readonly ColumnKey[]): string {
  return keys.map(encodeURIComponent).join(' ');
}

function isKind(group: ColumnGroup): group is Kind {
  return group !== 'item' && group !== 'own' && group !== 'job';
}
