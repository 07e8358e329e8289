/** All items: search, filters, order by any column, a page at a time. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { KINDS } from '../../domain/item.ts';
import { FINAL_STATES } from '../../domain/states.ts';
import type { ItemTable } from '../data.ts';
import { replaceRoute, type Route } from '../route.ts';
import { itemHash } from './item-row.ts';
import { StateMark } from '../state-mark.tsx';
import { counted, countText, durationText, KIND_WORDS } from '../words.ts';
import { groupOf, rowsOf, type Column } from './table-model.ts';

const PAGE_SIZES = [50, 200, 1000] as const;

export interface ItemTableProps {
  readonly table: ItemTable;
  readonly stacks: readonly string[];
  readonly columns: readonly Column[];
  readonly route: Route;
}

/** Where the table was left, for the way back from an item. */
let leftAt = { page: 0, size: PAGE_SIZES[0] as number };

export function ItemTableView({ table, stacks, columns, route }: ItemTableProps) {
  const { query, kind, state, code, sort } = route;
  const rows = useMemo(
    () => rowsOf(table, stacks, columns, { query, kind, state, code, sort }),
    [table, stacks, columns, query, kind, state, code, sort],
  );
  const [size, setSize] = useState(leftAt.size);
  const [wanted, setPage] = useState(leftAt.page);
  const pages = Math.max(1, Math.ceil(rows.length / size));
  const page = Math.min(wanted, pages - 1);
  useEffect(() => {
    leftAt = { page, size };
  }, [page, size]);
  const change = (changed: Partial<Route>): void => {
    setPage(0);
    replaceRoute({ ...route, ...changed });
  };
  const shown = rows.slice(page * size, (page + 1) * size);
  const heading = useShownFrom(`${kind} ${state} ${code}`);
  return (
    <section aria-labelledby="items" class="items">
      <h2 id="items" ref={heading} tabIndex={-1}>
        Items
      </h2>
      <Filters table={table} route={route} change={change} />
      <p role="status" class="status">
        {rows.length === table.id.length
          ? counted(rows.length, 'item')
          : `${countText(rows.length)} of ${counted(table.id.length, 'item')}`}
      </p>
      <Rows table={table} columns={columns} rows={shown} sort={sort} change={change} />
      <Pager {...{ page, pages, size, total: rows.length, setPage, setSize }} />
    </section>
  );
}

/** A number of the overview leads to its rows: the table comes into view when its filter has changed from afar. */
function useShownFrom(filter: string) {
  const heading = useRef<HTMLHeadingElement>(null);
  const former = useRef(filter);
  useEffect(() => {
    const changed = former.current !== filter;
    former.current = filter;
    const top = heading.current?.getBoundingClientRect().top ?? 0;
    if (!changed || (top >= 0 && top < innerHeight)) return;
    heading.current?.scrollIntoView();
    heading.current?.focus({ preventScroll: true });
  }, [filter]);
  return heading;
}

interface FiltersProps {
  readonly table: ItemTable;
  readonly route: Route;
  readonly change: (changed: Partial<Route>) => void;
}

function Filters({ table, route, change }: FiltersProps) {
  const { states, kinds, codes } = useMemo(() => choicesOf(table), [table]);
  const { query, kind, state, code } = route;
  const isFiltered = [query, kind, state, code].some((value) => value !== '');
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="search">
        Search
        <input
          type="search"
          value={query}
          placeholder="id, result, error, your own columns"
          onInput={({ currentTarget }) => change({ query: currentTarget.value })}
        />
      </label>
      <Choice name="Kind" value={kind} onChange={(value) => change({ kind: value })}>
        {kinds.map((one) => [one, KIND_WORDS[one].many])}
      </Choice>
      <Choice name="State" value={state} onChange={(value) => change({ state: value })}>
        {states.map((one) => [one, one])}
      </Choice>
      {codes.length > 0 && (
        <Choice name="Error" value={code} onChange={(value) => change({ code: value })}>
          {codes.map((one) => [one, one])}
        </Choice>
      )}
      {isFiltered && (
        <button type="button" onClick={() => change({ query: '', kind: '', state: '', code: '' })}>
          Show all
        </button>
      )}
    </form>
  );
}

/** What the table holds, to choose from. */
function choicesOf(table: ItemTable) {
  const groups = new Set(table.state.map(groupOf));
  return {
    states: [...FINAL_STATES, 'open'].filter((state) => groups.has(state)),
    kinds: KINDS.filter((kind) => table.kind.includes(kind)),
    codes: [...new Set(table.code.filter((code) => code !== null))].sort(),
  };
}

interface ChoiceProps {
  readonly name: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly children: readonly (readonly [value: string, words: string])[];
}

function Choice({ name, value, onChange, children }: ChoiceProps) {
  return (
    <label>
      {name}
      <select value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">all</option>
        {children.map(([one, words]) => (
          <option key={one} value={one}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}

interface RowsProps {
  readonly table: ItemTable;
  readonly columns: readonly Column[];
  readonly rows: readonly number[];
  readonly sort: string;
  readonly change: (changed: Partial<Route>) => void;
}

function Rows({ table, columns, rows, sort, change }: RowsProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-labelledby="items">
      <table class="cards" role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Heading key={column.key} column={column} sort={sort} change={change} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <Row key={row} table={table} columns={columns} row={row} />
          ))}
        </tbody>
      </table>
      {rows.length === 0 && <p class="empty">No item fits. Search for less, or show all.</p>}
    </div>
  );
}

interface HeadingProps {
  readonly column: Column;
  readonly sort: string;
  readonly change: (changed: Partial<Route>) => void;
}

/** First ascending, then descending, then the manifest's order again. */
function Heading({ column: { key, title, meaning, isNumber }, sort, change }: HeadingProps) {
  const order = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none';
  const next = { none: key, ascending: `-${key}`, descending: '' }[order];
  return (
    <th scope="col" role="columnheader" aria-sort={order} class={isNumber ? 'number' : ''}>
      <button type="button" title={meaning} onClick={() => change({ sort: next })}>
        {title}
        <span aria-hidden="true" class="order">
          {{ none: '', ascending: ' ▲', descending: ' ▼' }[order]}
        </span>
      </button>
    </th>
  );
}

interface RowProps {
  readonly table: ItemTable;
  readonly columns: readonly Column[];
  readonly row: number;
}

function Row({ table, columns, row }: RowProps) {
  return (
    <tr role="row">
      {columns.map((column) => (
        <td
          key={column.key}
          role="cell"
          data-title={column.title}
          class={column.isNumber ? 'number' : `column-${column.key}`}
        >
          <Value table={table} column={column} row={row} />
        </td>
      ))}
    </tr>
  );
}

interface ValueProps {
  readonly table: ItemTable;
  readonly column: Column;
  readonly row: number;
}

function Value({ table, column: { key, isNumber, valueAt }, row }: ValueProps) {
  const value = valueAt(row);
  if (value === null) return <span class="quiet">–</span>;
  if (key === 'id') return <a href={itemHash(table, row)}>{value}</a>;
  if (key === 'state') return <StateMark state={String(value)} />;
  if (key === 'result' && !table.result[row])
    return <code title={table.message[row] ?? ''}>{value}</code>;
  if (isNumber && !key.startsWith('own:')) return <>{durationText(Number(value) * 1000)}</>;
  return <>{value}</>;
}

interface PagerProps {
  readonly page: number;
  readonly pages: number;
  readonly size: number;
  readonly total: number;
  readonly setPage: (page: number) => void;
  readonly setSize: (size: number) => void;
}

function Pager({ page, pages, size, total, setPage, setSize }: PagerProps) {
  if (total <= PAGE_SIZES[0]) return null;
  const first = page * size + 1;
  return (
    <nav class="pager" aria-label="Pages of the table">
      <button type="button" disabled={page === 0} onClick={() => setPage(0)}>
        First
      </button>
      <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
        Previous
      </button>
      <span>
        {countText(first)}–{countText(Math.min(total, first + size - 1))} of {countText(total)}
      </span>
      <button type="button" disabled={page >= pages - 1} onClick={() => setPage(page + 1)}>
        Next
      </button>
      <button type="button" disabled={page >= pages - 1} onClick={() => setPage(pages - 1)}>
        Last
      </button>
      <label>
        Rows
        <select value={size} onChange={({ currentTarget }) => setSize(Number(currentTarget.value))}>
          {PAGE_SIZES.map((one) => (
            <option key={one} value={one}>
              {one}
            </option>
          ))}
        </select>
      </label>
    </nav>
  );
}
