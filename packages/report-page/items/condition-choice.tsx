/** Conditions on the values of columns: ranges of numbers, and categories. */
import { useMemo, useState } from 'preact/hooks';
import type { Route } from '../route.ts';
import { isNumeric, numberHeadOf, suits, type Column } from './columns.ts';
import {
  conditionWords,
  readConditions,
  withCondition,
  type Condition,
  type Range,
} from './conditions.ts';

interface ConditionChoiceProps {
  readonly columns: readonly Column[];
  /** All rows, not only those that are shown. */
  readonly rows: number;
  /** Of the rows that are shown; empty for all kinds. */
  readonly kind: string;
  readonly where: string;
  readonly change: (changed: Partial<Route>) => void;
}

export function ConditionChoice({ columns, rows, kind, where, change }: ConditionChoiceProps) {
  const usable = columns.filter(
    (column) =>
      suits(column, kind) &&
      (isNumeric(column) || (column.type === 'category' && column.group === 'own')),
  );
  const [key, setKey] = useState('');
  const column = usable.find((one) => one.key === key) ?? usable[0];
  if (column === undefined) return null;
  const now = readConditions(where).find((one) => one.key === column.key);
  const set = (condition: Condition | null): void =>
    change({ where: withCondition(where, column.key, condition) });
  return (
    <details class="choice">
      <summary>Filter by value</summary>
      <div class="bounds">
        <label>
          Column
          <select value={column.key} onChange={({ currentTarget }) => setKey(currentTarget.value)}>
            {usable.map((one) => (
              <option key={one.key} value={one.key}>
                {numberHeadOf(one)}
              </option>
            ))}
          </select>
        </label>
        {isNumeric(column) ? (
          <RangeInputs key={column.key} column={column} rows={rows} now={now} set={set} />
        ) : (
          <Values key={column.key} column={column} rows={rows} now={now} set={set} />
        )}
        <p class="quiet meaning">{column.meaning}</p>
      </div>
    </details>
  );
}

interface InputProps {
  readonly column: Column;
  readonly rows: number;
  readonly now: Condition | undefined;
  readonly set: (condition: Condition | null) => void;
}

function RangeInputs({ column, rows, now, set }: InputProps) {
  const [low, high] = useMemo(() => boundsOf(column, rows), [column, rows]);
  const range = now?.range ?? { from: null, to: null };
  const change = (bound: keyof Range, text: string): void => {
    const value = text.trim() === '' || !Number.isFinite(Number(text)) ? null : Number(text);
    const wanted = { ...range, [bound]: value };
    const isOpen = wanted.from === null && wanted.to === null;
    set(isOpen ? null : { key: column.key, range: wanted, values: null });
  };
  return (
    <>
      {(['from', 'to'] as const).map((bound) => (
        <label key={bound}>
          {bound}
          <input
            type="number"
            step="any"
            value={range[bound] ?? ''}
            placeholder={String(bound === 'from' ? low : high)}
            aria-label={`${numberHeadOf(column)} ${bound}`}
            onChange={({ currentTarget }) => change(bound, currentTarget.value)}
          />
        </label>
      ))}
    </>
  );
}

function boundsOf({ valueAt, decimals }: Column, rows: number): readonly [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (let row = 0; row < rows; row += 1) {
    const value = valueAt(row);
    if (typeof value !== 'number') continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  const digits = decimals ?? 6;
  return [Number(low.toFixed(digits)), Number(high.toFixed(digits))];
}

function Values({ column, rows, now, set }: InputProps) {
  const values = useMemo(() => valuesOf(column, rows), [column, rows]);
  const chosen = now?.values ?? [];
  const choose = (value: string, isChosen: boolean): void => {
    const wanted = values.filter((one) => (one === value ? isChosen : chosen.includes(one)));
    set(wanted.length === 0 ? null : { key: column.key, range: null, values: wanted });
  };
  return (
    <fieldset class="values">
      <legend class="hidden">{column.title}</legend>
      {values.map((value) => (
        <label key={value}>
          <input
            type="checkbox"
            checked={chosen.includes(value)}
            onChange={({ currentTarget }) => choose(value, currentTarget.checked)}
          />
          {value}
        </label>
      ))}
    </fieldset>
  );
}

function valuesOf({ valueAt }: Column, rows: number): readonly string[] {
  const found = new Set<string>();
  for (let row = 0; row < rows; row += 1) {
    const value = valueAt(row);
    if (value !== null) found.add(String(value));
  }
  return [...found].sort();
}

interface ActiveProps {
  readonly columns: readonly Column[];
  readonly where: string;
  readonly change: (changed: Partial<Route>) => void;
}

/** The active conditions; a click removes one. */
export function ActiveConditions({ columns, where, change }: ActiveProps) {
  const active = readConditions(where).flatMap((condition) => {
    const column = columns.find(({ key }) => key === condition.key);
    return column === undefined ? [] : [{ column, condition }];
  });
  if (active.length === 0) return null;
  return (
    <p class="chips">
      {active.map(({ column, condition }) => (
        <button
          key={column.key}
          type="button"
          class="chip"
          aria-label={`Remove filter: ${conditionWords(column, condition)}`}
          onClick={() => change({ where: withCondition(where, column.key, null) })}
        >
          {conditionWords(column, condition)} <span aria-hidden="true">×</span>
        </button>
      ))}
    </p>
  );
}
