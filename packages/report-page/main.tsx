/** Starts the page: the overview and the table, or one item, depending on the address. */
import { render } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { ComparePage } from './compare/compare-page.tsx';
import { ELEMENT, type PageData } from '../../src/report/page-data.ts';
import { pageData } from './embedded.ts';
import { ItemPage } from './item/item-page.tsx';
import { ItemTableView } from './items/item-table.tsx';
import { columnsOf } from './items/columns.ts';
import { useSelection } from './items/selection.ts';
import { haystacks, rowsOf } from './items/table-model.ts';
import { Masthead } from './masthead.tsx';
import { Logistics, Overview } from './overview/overview.tsx';
import { useRoute } from './route.ts';

function Page({ data }: { readonly data: PageData }) {
  const route = useRoute();
  const { table } = data;
  const stacks = useMemo(() => haystacks(table), [table]);
  const columns = useMemo(() => columnsOf(table), [table]);
  const selection = useSelection();
  const { query, kind, state, code, where, sort } = route;
  const rows = useMemo(
    () => rowsOf(table, stacks, columns, { query, kind, state, code, where, sort }),
    [table, stacks, columns, query, kind, state, code, where, sort],
  );
  // Search and order change only the table: the same element is not rendered again.
  const overview = useMemo(() => <Overview data={data} columns={columns} />, [data, columns]);
  useEffect(() => {
    document.title = route.item === null ? data.name : `${route.item} · ${data.name}`;
  }, [data.name, route.item]);
  return (
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <Masthead data={data} item={route.item ?? (route.compare || null)} />
      <main id="content" tabIndex={-1}>
        {route.item !== null ? (
          <ItemPage
            key={`${route.item} ${route.row ?? ''}`}
            data={data}
            rows={rows}
            route={route}
            id={route.item}
          />
        ) : route.compare !== '' ? (
          <ComparePage data={data} columns={columns} route={route} />
        ) : (
          <>
            {overview}
            <ItemTableView
              data={data}
              columns={columns}
              rows={rows}
              route={route}
              selection={selection}
            />
            <Logistics data={data} />
          </>
        )}
      </main>
    </>
  );
}

/** The address after `#` is the page's route, so it cannot also be an element id. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

/** Not at the top level: a script with top-level await is a module, which would wait for the end of the page. */
async function start(): Promise<void> {
  const root = document.getElementById(ELEMENT.app);
  if (root === null) return;
  const data = await pageData();
  root.replaceChildren();
  render(<Page data={data} />, root);
}

void start();
