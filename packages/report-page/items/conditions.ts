/** Conditions on the values of columns, in the syntax of the address: `mass=100..250;own%3Aproject=ions|folds`. */
import { isNumeric, type Column, type ColumnKey } from './columns.ts';

/** Null: without this bound. A row without a value matches no condition. */
export interface Range {
  readonly from: number | null;
  readonly to: number | null;
}

export interface Condition {
  readonly key: ColumnKey;
  readonly range: Range | null;
  /** One of these; null if there is a range. */
  readonly values: readonly string[] | null;
}

const RANGE = /^(.*?)\.\.(.*)$/;

/** Invalid conditions are left out: users may edit the address. */
export function readConditions(text: string): readonly Condition[] {
  return text.split(';').flatMap((part): Condition[] => {
    const [key = '', rest] = part.split('=', 2);
    if (key === '' || rest === undefined || rest === '') return [];
    const bounds = RANGE.exec(rest);
    const name = decoded(key);
    if (bounds === null) return [{ key: name, range: null, values: rest.split('|').map(decoded) }];
    const [from, to] = [bound(bounds[1]), bound(bounds[2])];
    return from === null && to === null ? [] : [{ key: name, range: { from, to }, values: null }];
  });
}

export function conditionsText(conditions: readonly Condition[]): string {
  return conditions
    .map(({ key, range, values }) => {
      const is =
        range === null
          ? (values ?? []).map(encodedValue).join('|')
          : `${range.from ?? ''}..${range.to ?? ''}`;
      return `${encodeURIComponent(key)}=${is}`;
    })
    .join(';');
}

/** Replaces the condition of a column; null removes it. */
export function withCondition(text: string, key: ColumnKey, condition: Condition | null): string {
  const others = readConditions(text).filter((one) => one.key !== key);
  return conditionsText(condition === null ? others : [...others, condition]);
}

/** Whether a row matches all conditions; columns that the table does not have are ignored. */
export function conditionTest(
  columns: readonly Column[],
  text: string,
): ((row: number) => boolean) | null {
  const tests = readConditions(text).flatMap((condition) => {
    const column = columns.find(({ key }) => key === condition.key);
    return column === undefined ? [] : [testOf(column, condition)];
  });
  return tests.length === 0 ? null : (row) => tests.every((test) => test(row));
}

function testOf(column: Column, { range, values }: Condition): (row: number) => boolean {
  if (range === null || !isNumeric(column)) {
    const wanted = new Set(values ?? []);
    return (row) => {
      const value = column.valueAt(row);
      return value !== null && wanted.has(String(value));
    };
  }
  const [from, to] = [range.from ?? -Infinity, range.to ?? Infinity];
  return (row) => {
    const value = column.valueAt(row);
    return typeof value === 'number' && value >= from && value <= to;
  };
}

/** `Mass 100 to 250`, `project ions or folds`. */
export function conditionWords({ title }: Column, { range, values }: Condition): string {
  if (range === null) return `${title}: ${(values ?? []).join(' or ')}`;
  const { from, to } = range;
  if (from === null) return `${title} at most ${String(to)}`;
  return to === null ? `${title} at least ${from}` : `${title} ${from} to ${to}`;
}

function bound(text: string | undefined): number | null {
  const number = Number(text);
  return text === undefined || text.trim() === '' || !Number.isFinite(number) ? null : number;
}

/** Two dots would be read as a range. */
function encodedValue(value: string): string {
  return encodeURIComponent(value).replaceAll('.', '%2E');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
