/** Starts the page: the overview and the table, or one item, as its address says. */
import { render } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { ELEMENT, type PageData } from './data.ts';
import { pageData } from './embedded.ts';
import { ItemPage } from './item/item-page.tsx';
import { ItemTableView } from './items/item-table.tsx';
import { columnsOf, haystacks } from './items/table-model.ts';
import { Masthead } from './masthead.tsx';
import { Overview } from './overview/overview.tsx';
import { useRoute } from './route.ts';

function Page({ data }: { readonly data: PageData }) {
  const route = useRoute();
  const { table } = data;
  const stacks = useMemo(() => haystacks(table), [table]);
  const columns = useMemo(() => columnsOf(table), [table]);
  // Search and order change the table alone: the same element is not drawn again.
  const overview = useMemo(() => <Overview data={data} />, [data]);
  useEffect(() => {
    document.title = route.item === null ? data.name : `${route.item} · ${data.name}`;
  }, [data.name, route.item]);
  return (
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <Masthead data={data} item={route.item} />
      <main id="content" tabIndex={-1}>
        {route.item === null ? (
          <>
            {overview}
            <ItemTableView table={table} stacks={stacks} columns={columns} route={route} />
          </>
        ) : (
          <ItemPage key={location.hash} data={data} id={route.item} row={route.row} />
        )}
      </main>
    </>
  );
}

/** The address after `#` is the page's own: it cannot name an element as well. */
function skipToContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}

/** Not at the top level: a script that awaits there is a module, and would wait for the end of the page. */
async function start(): Promise<void> {
  const root = document.getElementById(ELEMENT.app);
  if (root === null) return;
  const data = await pageData();
  root.replaceChildren();
  render(<Page data={data} />, root);
}

void start();
