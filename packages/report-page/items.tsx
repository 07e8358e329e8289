/** All items: search, filters, order by any column, paging; and the views of the rows that are shown. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ItemTable } from '../../src/report/page-data.ts';
import { type Column, formatHead, selectColumns, isForKind } from './columns.ts';
import { Choice, FEWEST_POINTS, PlotPanel } from './plot.tsx';
import { replaceRoute } from './route.ts';
import { toStateGroup } from './query.ts';
import { Rows, type RowsProps, type ShownRows } from './rows.tsx';
import { copyStructures, saveTable } from './take.tsx';
import { formatCount, countText } from './words.ts';

export function ItemTableView(props: ShownRows) {
  const { data, columns, rows, route } = props;
  const { kind, state, code, view } = route;
  const paging = usePaging(rows.length);
  const change: RowsProps['change'] = (changed) => {
    paging.setPage(0);
    replaceRoute({ ...route, ...changed });
  };
  const shown = useMemo(
    () => selectColumns(columns, { chosen: route.columns, kind }),
    [columns, route.columns, kind],
  );
  const heading = useShownFrom(`${kind} ${state} ${code}`, () => paging.setPage(0));
  const first = paging.page * PAGE_SIZE;
  return (
    <section aria-labelledby="items" class="items">
      <h2 id="items" ref={heading} tabIndex={-1}>
        Items
      </h2>
      <Filters table={data.table} route={route} change={change} />
      <Actions {...props} shown={shown} change={change} />
      {view === 'plot' && <PlotPanel {...props} />}
      <Rows
        {...props}
        columns={shown}
        rows={rows.slice(first, first + PAGE_SIZE)}
        change={change}
      />
      <Pager {...paging} total={rows.length} />
    </section>
  );
}

const PAGE_SIZE = 300;

/** Page of the table, restored on the way back from an item. */
let leftAt = 0;

function usePaging(rows: number) {
  const [chosen, setPage] = useState(leftAt);
  const pages = Math.max(1, Math.ceil(rows / PAGE_SIZE));
  const page = Math.min(chosen, pages - 1);
  useEffect(() => {
    leftAt = page;
  }, [page]);
  return { page, pages, setPage };
}

/** Shows the table from its first page when a link of the overview has changed its filter. */
function useShownFrom(filter: string, reset: () => void) {
  const heading = useRef<HTMLHeadingElement>(null);
  const former = useRef(filter);
  useEffect(() => {
    const changed = former.current !== filter;
    former.current = filter;
    const top = heading.current?.getBoundingClientRect().top ?? 0;
    if (changed) reset();
    if (!changed || (top >= 0 && top < innerHeight)) return;
    heading.current?.scrollIntoView();
    heading.current?.focus({ preventScroll: true });
  }, [filter]);
  return heading;
}

interface FiltersProps extends Pick<RowsProps, 'route' | 'change'> {
  readonly table: ItemTable;
}

function Filters({ table, route, change }: FiltersProps) {
  const unique = (values: readonly (string | null)[]): string[] =>
    [...new Set(values.filter((value) => value !== null))].sort();
  const states = useMemo(() => unique(table.state.map(toStateGroup)), [table]);
  const codes = useMemo(() => unique(table.code), [table]);
  const kinds = table.kinds.map(({ name }) => name);
  const choice = (key: 'kind' | 'state' | 'code', name: string, values: readonly string[]) => (
    <Choice
      name={name}
      value={route[key]}
      options={values.map((one) => [one, one])}
      none="all"
      choose={(value) => change({ [key]: value, ...(key === 'kind' && { columns: '' }) })}
    />
  );
  return (
    <div class="line filters">
      <label class="search">
        Search
        <input
          type="search"
          value={route.q}
          placeholder="words, or a condition: penalty>10"
          onInput={({ currentTarget }) => change({ q: currentTarget.value })}
        />
      </label>
      {choice('kind', 'Kind', kinds)}
      {choice('state', 'State', states)}
      {choice('code', 'Error', codes)}
    </div>
  );
}

interface ActionsProps extends RowsProps {
  readonly shown: readonly Column[];
}

/** How many rows are meant, and one row of buttons; what is needed less often is in a menu. */
function Actions(props: ActionsProps) {
  const { rows, route, selection, change } = props;
  const { table } = props.data;
  const [said, say] = useState('');
  const isPlot = route.view === 'plot';
  const count = selection.rows.length;
  const taken = count > 0 ? selection.rows : rows;
  const all = formatCount(table.id.length, 'item');
  const ids = selection.rows.map((row) => encodeURIComponent(table.id[row] ?? '')).join(' ');
  return (
    <div class="line take" role="group" aria-label="Use these rows">
      <span role="status">
        {rows.length === table.id.length ? all : `${countText(rows.length)} of ${all}`}
        {count > 0 && `, ${countText(count)} selected`}
      </span>
      {table.id.length >= FEWEST_POINTS && (
        <button
          type="button"
          aria-pressed={isPlot}
          onClick={() => change({ view: isPlot ? '' : 'plot' })}
        >
          Plot
        </button>
      )}
      <button
        type="button"
        aria-pressed={route.only !== ''}
        disabled={route.only === '' && count === 0}
        onClick={() => change({ only: route.only === '' ? ids : '' })}
      >
        Only selected
      </button>
      <ColumnMenu {...props} />
      <TakeMenu {...props} taken={taken} say={say} />
      <span role="status" class="quiet">
        {said}
      </span>
    </div>
  );
}

interface TakeMenuProps extends ShownRows {
  readonly taken: readonly number[];
  readonly say: (words: string) => void;
}

function TakeMenu({ data, columns, selection, taken, say }: TakeMenuProps) {
  const button = (name: string, title: string, take: () => Promise<string>) => (
    <button
      type="button"
      title={title}
      onClick={() => {
        say('Reading …');
        take().then(say, (error: unknown) => say(String(error)));
      }}
    >
      {name}
    </button>
  );
  return (
    <details class="menu">
      <summary>More</summary>
      <div>
        <p class="quiet">{formatCount(taken.length, 'item')}:</p>
        {button('Save as CSV', 'All columns that have a value', () =>
          saveTable(data.name, columns, taken),
        )}
        {button('Copy SMILES and sequences', 'SMILES followed by the id; sequences as FASTA', () =>
          copyStructures(data, taken),
        )}
        <button
          type="button"
          disabled={selection.rows.length === 0}
          onClick={() => selection.replace([])}
        >
          Clear selection
        </button>
      </div>
    </details>
  );
}

function ColumnMenu({ data: { table }, columns, shown, route: { kind }, change }: ActionsProps) {
  const keys = new Set(shown.map(({ key }) => key));
  const choose = (key: string, isShown: boolean): void => {
    const now = columns.filter((one) => (one.key === key ? isShown : keys.has(one.key)));
    change({ columns: now.map((one) => encodeURIComponent(one.key)).join(' ') });
  };
  const kinds = table.kinds.map(({ name, many }) => [name, many] as const);
  const groups = [['item', 'Item'], ...kinds, ['own', 'your columns'], ['job', 'job']] as const;
  const offered = columns.filter((column) => isForKind(column, kind) || keys.has(column.key));
  return (
    <details class="menu">
      <summary>Columns</summary>
      <div class="groups">
        {groups.map(([group, title]) => (
          <fieldset key={title} hidden={!offered.some((column) => column.group === group)}>
            <legend>{title}</legend>
            {offered
              .filter((column) => column.group === group)
              .map((column) => (
                <label key={column.key} title={column.meaning}>
                  <input
                    type="checkbox"
                    checked={keys.has(column.key)}
                    disabled={column.key === 'id'}
                    onChange={({ currentTarget }) => choose(column.key, currentTarget.checked)}
                  />
                  {formatHead(column)}
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

interface PagerProps extends ReturnType<typeof usePaging> {
  readonly total: number;
}

function Pager({ page, pages, total, setPage }: PagerProps) {
  if (pages === 1) return null;
  const go = (to: number, name: string) => (
    <button type="button" disabled={to < 0 || to >= pages} onClick={() => setPage(to)}>
      {name}
    </button>
  );
  return (
    <nav class="line take" aria-label="Pages of the table">
      {go(page - 1, 'Previous')}
      <span>
        {countText(page * PAGE_SIZE + 1)}–{countText(Math.min(total, (page + 1) * PAGE_SIZE))} of{' '}
        {countText(total)}
      </span>
      {go(page + 1, 'Next')}
    </nav>
  );
}
