/** Starts the page: the overview and the table, or one item, or a comparison, depending on the address. */
import { render } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { ELEMENT, type PageData } from '../../src/report/page-data.ts';
import { makeColumns } from './columns.ts';
import { readPageData } from './embedded.ts';
import { ItemPage } from './item.tsx';
import { ItemTableView } from './items.tsx';
import { Logistics, Overview } from './overview.tsx';
import { findRows, indexTexts } from './query.ts';
import { useRoute } from './route.ts';
import { useSelection } from './rows.tsx';
import { useSimilarity } from './similarity.ts';
import { formatCount, countText, formatDate, formatDuration } from './words.ts';

function Page({ data }: { readonly data: PageData }) {
  const route = useRoute();
  const { table } = data;
  const texts = useMemo(() => indexTexts(table), [table]);
  const similarity = useSimilarity(table, route.like);
  const columns = useMemo(() => {
    const [id, ...others] = makeColumns(table);
    return [id, similarity, ...others].filter((column) => column != null);
  }, [table, similarity]);
  const selection = useSelection();
  const { q, kind, state, code, only, sort, item } = route;
  const rows = useMemo(
    () => findRows(table, texts, columns, { q, kind, state, code, only, sort }),
    [table, texts, columns, q, kind, state, code, only, sort],
  );
  // Search and order change only the table: the same element is not rendered again.
  const overview = useMemo(() => <Overview data={data} columns={columns} />, [data, columns]);
  useEffect(() => {
    document.title = item === null ? data.name : `${item} · ${data.name}`;
  }, [data.name, item]);
  const shown = { data, columns, rows, route, selection };
  return (
    <>
      <a class="skip" href="#content" onClick={skipToContent}>
        Skip to the content
      </a>
      <Masthead data={data} isOverview={item === null} />
      <main id="content" tabIndex={-1}>
        {item !== null ? (
          <ItemPage key={`${item} ${route.row ?? ''}`} {...shown} id={item} />
        ) : (
          <>
            {overview}
            <ItemTableView {...shown} />
            <Logistics data={data} />
          </>
        )}
      </main>
    </>
  );
}

/** Name and end of the campaign, how far it has come if it still runs, and the link back to the overview. */
function Masthead({ data, isOverview }: { data: PageData; isOverview: boolean }) {
  const { name, state, startedAt, endedAt, soFar } = data;
  const took = endedAt === null ? null : Date.parse(endedAt) - Date.parse(startedAt);
  return (
    <header class="masthead">
      {isOverview ? (
        <h1>{name}</h1>
      ) : (
        <p class="name">
          <a href="#">{name}</a>
        </p>
      )}
      <p class="quiet">
        {state}, {formatDate(startedAt)}
        {took !== null && <>, took {formatDuration(took)}</>}
      </p>
      {soFar !== null && (
        <p class="notice so-far" role="note">
          <strong>
            So far: {countText(soFar.ended)} of {formatCount(soFar.items, 'item')}.
          </strong>{' '}
          The campaign was still running when this report was written.
        </p>
      )}
    </header>
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
  const data = await readPageData();
  root.replaceChildren();
  render(<Page data={data} />, root);
}

void start();
