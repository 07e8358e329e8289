/** Selects the columns of the table. */
import type { Route } from '../route.ts';
import type { ItemTable } from '../../../src/report/page-data.ts';
import { chosenText, type Column, type ColumnGroup, headOf, suits } from './columns.ts';

function groupsOf({ kinds }: ItemTable): readonly (readonly [group: ColumnGroup, title: string])[] {
  return [
    ['item', 'Item'],
    ...kinds.map(({ name, many }) => [name, many] as const),
    ['own', 'your columns'],
    ['job', 'job'],
  ];
}

interface ColumnChoiceProps {
  readonly table: ItemTable;
  readonly columns: readonly Column[];
  readonly shown: readonly Column[];
  /** Of the rows that are shown; empty for all kinds. */
  readonly kind: string;
  readonly change: (changed: Partial<Route>) => void;
}

export function ColumnChoice({ table, columns, shown, kind, change }: ColumnChoiceProps) {
  const keys = new Set(shown.map(({ key }) => key));
  const choose = (key: string, isShown: boolean): void => {
    const now = columns.filter((one) => (one.key === key ? isShown : keys.has(one.key)));
    change({ columns: chosenText(now.map((one) => one.key)) });
  };
  const offered = columns.filter((column) => suits(column, kind) || keys.has(column.key));
  const groups = groupsOf(table).map(
    ([group, title]) => [title, offered.filter((column) => column.group === group)] as const,
  );
  return (
    <details class="choice">
      <summary>Columns</summary>
      <div class="groups">
        {groups
          .filter(([, of]) => of.length > 0)
          .map(([title, of]) => (
            <fieldset key={title}>
              <legend>{title}</legend>
              {of.map((column) => (
                <label key={column.key} title={column.meaning}>
                  <input
                    type="checkbox"
                    checked={keys.has(column.key)}
                    disabled={column.key === 'id'}
                    onChange={({ currentTarget }) => choose(column.key, currentTarget.checked)}
                  />
                  {headOf(column)}
                </label>
              ))}
            </fieldset>
          ))}
        <button type="button" onClick={() => change({ columns: '' })}>
          Reset
        </button>
      </div>
    </details>
  );
}
