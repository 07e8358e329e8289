/** The columns of the table of all items, and their value in a row. */
import type { ItemTable, KindFacts, Verdict } from '../../src/report/page-data.ts';
import { formatDuration } from './words.ts';

export type CellValue = string | number | null;

export interface Column {
  /** A fixed key, that of a measure, or `own:NAME` for the user's own columns. */
  readonly key: string;
  readonly title: string;
  readonly unit: string;
  /** What it means, in a sentence; empty if the title is enough. */
  readonly meaning: string;
  /** `duration`: a number of seconds. `category`: one of a few texts. `picture`: of the item in this row. */
  readonly type: 'text' | 'category' | 'number' | 'duration' | 'picture';
  /** What it belongs to: `item`, `own` (the user's columns), `job`, or a kind by its name. */
  readonly group: string;
  /** Decimal places; null if the value is shown as it is. */
  readonly decimals: number | null;
  /** Whether it is shown by default. */
  readonly isMain: boolean;
  readonly verdicts: readonly Verdict[];
  readonly valueAt: (row: number) => CellValue;
}

/** What most columns are. */
const PLAIN = { unit: '', meaning: '', decimals: null, isMain: true, verdicts: [] } as const;

export function makeColumns(table: ItemTable): readonly Column[] {
  return [
    ...listItemColumns(table),
    ...table.kinds.flatMap((kind) => measureColumns(table, kind)),
    ...table.own.map(buildOwnColumn),
    ...listJobColumns(table),
  ];
}

function listItemColumns(table: ItemTable): readonly Column[] {
  const column = (
    key: string,
    title: string,
    type: Column['type'],
    valueAt: Column['valueAt'],
  ): Column => ({ ...PLAIN, key, title, type, group: 'item', valueAt });
  return [
    column('id', 'Item', 'text', (row) => table.id[row] ?? ''),
    ...(table.structures === 0 ? [] : [column('structure', 'Structure', 'picture', () => null)]),
    column('kind', 'Kind', 'category', (row) => table.kind[row] ?? null),
    column('state', 'State', 'category', (row) => table.state[row] ?? null),
    column('result', 'Result', 'text', (row) => (table.result[row] || table.code[row]) ?? null),
  ];
}

function measureColumns(table: ItemTable, { name, measures }: KindFacts): readonly Column[] {
  const lists = table.measures[name] ?? {};
  let turn = 0;
  // For each row: its index among the rows of its kind; -1 for those of other kinds.
  const turns = Int32Array.from(table.kind, (kind) => (kind === name ? turn++ : -1));
  return measures.flatMap((measure): Column[] => {
    const values = lists[measure.key];
    if (values === undefined) return [];
    const valueAt = (row: number): number | null => values[turns[row] ?? -1] ?? null;
    return [{ ...measure, type: 'number', group: name, valueAt }];
  });
}

/** More could not be told apart by colours. */
const MAX_CATEGORIES = 6;

function buildOwnColumn({ name, values }: ItemTable['own'][number]): Column {
  const different = [...new Set(values)].filter((value) => value !== '');
  const isNumber =
    different.length > 0 && different.every((value) => Number.isFinite(Number(value)));
  const valueAt = (row: number): CellValue => {
    const value = values[row] ?? '';
    return value === '' ? null : isNumber ? Number(value) : value;
  };
  const isCategory = different.length <= MAX_CATEGORIES;
  const type = isNumber ? 'number' : isCategory ? 'category' : 'text';
  const meaning = 'Your own column';
  return { ...PLAIN, key: `own:${name}`, title: name, meaning, type, group: 'own', valueAt };
}

function listJobColumns({ submitted, finished }: ItemTable): readonly Column[] {
  const seconds = (from: number | null | undefined, to: number | null | undefined) =>
    from == null || to == null ? null : (to - from) / 1000;
  const job = { ...PLAIN, type: 'duration', group: 'job', decimals: 1 } as const;
  return [
    {
      ...job,
      key: 'waited',
      title: 'Accepted after',
      meaning: 'From the start of the campaign',
      valueAt: (row) => seconds(0, submitted[row]),
    },
    {
      ...job,
      key: 'took',
      title: 'Done in',
      meaning: 'From acceptance by the service to the last file on disk',
      valueAt: (row) => seconds(submitted[row], finished[row]),
    },
  ];
}

export function isNumeric({ type }: Pick<Column, 'type'>): boolean {
  return type === 'number' || type === 'duration';
}

function isOfKind({ group }: Column): boolean {
  return group !== 'item' && group !== 'own' && group !== 'job';
}

/** Whether rows of this kind can have a value; an empty kind means all. */
export function isForKind(column: Column, kind: string): boolean {
  return kind === '' || !isOfKind(column) || column.group === kind;
}

/** `Mass (Da)`. */
export function formatHead({ title, unit }: Pick<Column, 'title' | 'unit'>): string {
  return unit === '' ? title : `${title} (${unit})`;
}

/** For bare numbers, as on an axis: durations are in seconds there. */
export function formatNumberHead(column: Pick<Column, 'title' | 'unit' | 'type'>): string {
  return column.type === 'duration' ? `${column.title} (s)` : formatHead(column);
}

/** As shown in the table: `180.15`, `1.3 s`. */
export function formatValue({ type, decimals }: Column, value: string | number): string {
  if (typeof value === 'string') return value;
  if (type === 'duration') return formatDuration(value * 1000);
  return (decimals === null ? String(value) : value.toFixed(decimals)).replace(/^-/, '−');
}

/** How far the value can be trusted; null if nothing is said about it. */
export function findVerdict(verdicts: readonly Verdict[], value: CellValue): Verdict | null {
  if (typeof value !== 'number') return null;
  return verdicts.find(({ above }) => value > above) ?? null;
}

/** The columns that are shown: those of the list of keys, or the most useful ones for rows of this kind. */
export function selectColumns(
  columns: readonly Column[],
  { chosen, kind }: { readonly chosen: string; readonly kind: string },
): readonly Column[] {
  if (chosen !== '') {
    const keys = new Set(['id', ...chosen.split(' ').map(decodeURIComponent)]);
    return columns.filter(({ key }) => keys.has(key));
  }
  const kinds = new Set(columns.filter(isOfKind).map(({ group }) => group));
  const [first] = kinds;
  const only = kind !== '' ? kind : kinds.size === 1 ? first : undefined;
  return columns.filter((column) => {
    if (!column.isMain || (isOfKind(column) && column.group !== only)) return false;
    return only === undefined || (column.key !== 'kind' && column.key !== 'waited');
  });
}
