/** The rows of one page of the table, under a sticky header. */
import { Fragment } from 'preact';
import type { ItemTable } from '../../../src/report/page-data.ts';
import type { Route } from '../route.ts';
import { StateMark } from '../state-mark.tsx';
import { durationText } from '../words.ts';
import { headOf, isNumeric, type Column } from './columns.ts';
import { itemHash } from './item-row.ts';
import type { ShownRows } from './shown-rows.ts';

interface RowsProps extends ShownRows {
  readonly table: ItemTable;
  readonly change: (changed: Partial<Route>) => void;
}

export function Rows({ table, columns, rows, route, selection, change }: RowsProps) {
  return (
    <div class="scroll sheet" tabIndex={0} role="region" aria-labelledby="items">
      <table class="cards" role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Heading key={column.key} column={column} sort={route.sort} change={change} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <Row
              key={row}
              table={table}
              columns={columns}
              row={row}
              route={route}
              selection={selection}
            />
          ))}
        </tbody>
      </table>
      {rows.length === 0 && (
        <p class="empty">No items match. Broaden the search, or clear the filters.</p>
      )}
    </div>
  );
}

interface HeadingProps {
  readonly column: Column;
  readonly sort: string;
  readonly change: (changed: Partial<Route>) => void;
}

/** First ascending, then descending, then manifest order again. */
function Heading({ column, sort, change }: HeadingProps) {
  const { key, meaning } = column;
  const order = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none';
  const next = { none: key, ascending: `-${key}`, descending: '' }[order];
  return (
    <th
      scope="col"
      role="columnheader"
      aria-sort={order}
      class={isNumeric(column) ? 'number' : `column-${key}`}
    >
      <button type="button" title={meaning} onClick={() => change({ sort: next })}>
        {headOf(column)}
        <span aria-hidden="true" class="order">
          {{ none: '', ascending: ' ▲', descending: ' ▼' }[order]}
        </span>
      </button>
    </th>
  );
}

interface RowProps extends Omit<RowsProps, 'rows' | 'change'> {
  readonly row: number;
}

function Row({ table, columns, row, route, selection }: RowProps) {
  const isSelected = selection.has(row);
  return (
    <tr role="row" class={isSelected ? 'selected' : ''}>
      {columns.map((column) => (
        <td
          key={column.key}
          role="cell"
          data-title={headOf(column)}
          class={isNumeric(column) ? 'number' : `column-${column.key}`}
        >
          {column.key === 'id' && (
            <input
              type="checkbox"
              checked={isSelected}
              aria-label={`Select ${table.id[row] ?? ''}`}
              onChange={() => selection.toggle(row)}
            />
          )}
          <Value table={table} column={column} row={row} route={route} />
        </td>
      ))}
    </tr>
  );
}

interface ValueProps {
  readonly table: ItemTable;
  readonly column: Column;
  readonly row: number;
  readonly route: Route;
}

function Value({ table, column, row, route }: ValueProps) {
  const { key } = column;
  const value = column.valueAt(row);
  if (value === null) return <span class="quiet">–</span>;
  if (key === 'id') return <a href={itemHash(table, row, route)}>{value}</a>;
  if (key === 'state') return <StateMark state={String(value)} />;
  if (key === 'result' && !table.result[row])
    return <code title={table.message[row] ?? ''}>{value}</code>;
  if (key === 'result') return <Phrases text={String(value)} />;
  return <>{valueText(column, value)}</>;
}

/** Breaks lines only between its parts: the `0` of `charge 0` alone on a line is easily missed. */
function Phrases({ text }: { readonly text: string }) {
  const phrases = text.split(', ');
  return (
    // One element: on a phone, each child of the cell has a line of its own.
    <span class={phrases.length > 1 ? 'phrases' : ''}>
      {phrases.map((phrase, place) => (
        <Fragment key={place}>
          {place > 0 && ', '}
          <span class="phrase">{phrase}</span>
        </Fragment>
      ))}
    </span>
  );
}

/** As shown in the table: `180.15`, `1.3 s`. */
export function valueText({ type, decimals }: Column, value: string | number): string {
  if (typeof value === 'string') return value;
  if (type === 'duration') return durationText(value * 1000);
  return (decimals === null ? String(value) : value.toFixed(decimals)).replace(/^-/, '−');
}
