/** All items: search, filters, order by any column, paging; and the views of the rows that are shown. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ItemTable, PageData } from '../../../src/report/page-data.ts';
import { FEWEST_POINTS } from '../fewest.ts';
import { PlotPanel } from '../plots/plot-panel.tsx';
import { replaceRoute, type Route } from '../route.ts';
import { StructurePanel } from '../structures/structure-panel.tsx';
import { TakeAlong } from '../take/take-along.tsx';
import { counted, countText } from '../words.ts';
import { ColumnChoice } from './column-choice.tsx';
import { type Column, shownColumns } from './columns.ts';
import { ActiveConditions, ConditionChoice } from './condition-choice.tsx';
import { Filters } from './filters.tsx';
import { Rows } from './rows.tsx';
import type { ShownRows } from './shown-rows.ts';

interface ItemTableProps extends ShownRows {
  readonly data: PageData;
}

const PAGE_SIZES = [50, 200, 1000] as const;

/** Table position, restored on the way back from an item. */
let leftAt = { page: 0, size: PAGE_SIZES[0] as number };

export function ItemTableView(props: ItemTableProps) {
  const { data, columns, rows, route, selection } = props;
  const { table } = data;
  const { kind, state, code } = route;
  const { page, pages, size, setPage, setSize } = usePaging(rows.length);
  const change = (changed: Partial<Route>): void => {
    setPage(0);
    replaceRoute({ ...route, ...changed });
  };
  const onPage = rows.slice(page * size, (page + 1) * size);
  const shown = useMemo(
    () => shownColumns(columns, { chosen: route.columns, kind }),
    [columns, route.columns, kind],
  );
  const heading = useShownFrom(`${kind} ${state} ${code}`);
  return (
    <section aria-labelledby="items" class="items">
      <h2 id="items" ref={heading} tabIndex={-1}>
        Items
      </h2>
      <TableControls data={data} columns={columns} shown={shown} route={route} change={change} />
      <RowCount shown={rows.length} all={table.id.length} />
      <TakeAlong data={data} columns={columns} rows={rows} route={route} selection={selection} />
      <Views route={route} change={change} table={table} />
      <ChosenView {...props} />
      <Rows
        table={table}
        route={route}
        selection={selection}
        change={change}
        columns={shown}
        rows={onPage}
      />
      <Pager
        page={page}
        pages={pages}
        size={size}
        total={rows.length}
        setPage={setPage}
        setSize={setSize}
      />
      <TableFiles table={table} />
    </section>
  );
}

function usePaging(rows: number) {
  const [size, setSize] = useState(leftAt.size);
  const [wanted, setPage] = useState(leftAt.page);
  const pages = Math.max(1, Math.ceil(rows / size));
  const page = Math.min(wanted, pages - 1);
  useEffect(() => {
    leftAt = { page, size };
  }, [page, size]);
  return { page, pages, size, setPage, setSize };
}

function RowCount({ shown, all }: { readonly shown: number; readonly all: number }) {
  const items = counted(all, 'item');
  return (
    <p role="status" class="status">
      {shown === all ? items : `${countText(shown)} of ${items}`}
    </p>
  );
}

interface TableControlsProps extends Pick<ItemTableProps, 'data' | 'columns' | 'route'> {
  readonly shown: readonly Column[];
  readonly change: (changed: Partial<Route>) => void;
}

function TableControls({ data, columns, shown, route, change }: TableControlsProps) {
  const { table } = data;
  return (
    <>
      <Filters table={table} route={route} change={change} />
      <ActiveConditions columns={columns} where={route.where} change={change} />
      <div class="bars">
        <ConditionChoice
          columns={columns}
          kind={route.kind}
          where={route.where}
          change={change}
          rows={table.id.length}
        />
        <ColumnChoice
          table={table}
          columns={columns}
          shown={shown}
          kind={route.kind}
          change={change}
        />
      </div>
    </>
  );
}

/** The plot or the structures of the rows that are shown. */
function ChosenView(props: ItemTableProps) {
  if (props.route.view === 'plot') return <PlotPanel {...props} table={props.data.table} />;
  if (props.route.view === 'structures') return <StructurePanel {...props} />;
  return null;
}

/** Scrolls to the table when a link of the overview has changed its filter. */
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

const VIEWS = [
  ['plot', 'Plot'],
  ['structures', 'Structures'],
] as const;

interface ViewsProps {
  readonly route: Route;
  readonly table: ItemTable;
  readonly change: (changed: Partial<Route>) => void;
}

/** Selects the view above the table, from those for which the campaign is large enough. */
function Views({ route, table, change }: ViewsProps) {
  const isLarge = { plot: table.id.length >= FEWEST_POINTS, structures: table.structures > 1 };
  const views = VIEWS.filter(([view]) => isLarge[view] || route.view === view);
  if (views.length === 0) return null;
  return (
    <div class="take" role="group" aria-label="Above the table">
      {views.map(([view, words]) => (
        <button
          key={view}
          type="button"
          aria-pressed={route.view === view}
          onClick={() => change({ view: route.view === view ? '' : view })}
        >
          {words}
        </button>
      ))}
    </div>
  );
}

/** Paging through the table. */
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

/** The files next to the report with the same data, for other programs. */
function filesBeside({ kinds }: ItemTable): readonly (readonly [path: string, words: string])[] {
  return [
    ['items.csv', 'all items'],
    ['failed.csv', 'rows to run again'],
    ...kinds.flatMap(({ tables }) =>
      tables.map(({ name, words }) => [`tables/${name}.csv`, words] as const),
    ),
    ['campaign.json', 'settings, versions and counts'],
  ];
}

function TableFiles({ table }: { readonly table: ItemTable }) {
  return (
    <p class="files-beside">
      Files next to this report:{' '}
      {filesBeside(table).map(([path, words], place) => (
        <span key={path}>
          {place > 0 && ', '}
          <a href={path} title={words}>
            {path}
          </a>
        </span>
      ))}
      . Each table is also there as <a href="tables/">Parquet</a>.
    </p>
  );
}
