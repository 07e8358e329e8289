/** The molecules that are shown, drawn side by side: in table order, by similarity, or by similarity to one of them. */
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { PageData, Structures } from '../../../src/report/page-data.ts';
import { structureList } from '../embedded.ts';
import type { ShownRows } from '../items/shown-rows.ts';
import { replaceRoute, type Route } from '../route.ts';
import { counted, countText } from '../words.ts';
import { orderBySimilarity, orderLike } from './similarity.ts';
import { StructureCard } from './structure-card.tsx';

interface StructurePanelProps extends ShownRows {
  readonly data: PageData;
}

/** In the address instead of an id: no id contains a space. */
const ALL_ALIKE = ' ';
const ON_PAGE = 24;

interface Placed {
  readonly row: number;
  /** To the molecule that the others are compared with; null without one. */
  readonly similarity: number | null;
}

export function StructurePanel(props: StructurePanelProps) {
  const { data, rows, route } = props;
  const [list, setList] = useState<Structures | 'none' | null>(null);
  useEffect(() => {
    void structureList().then((found) => setList(found ?? 'none'));
  }, []);
  if (list === null) return <p role="status">Reading …</p>;
  if (list === 'none') return <p class="empty">This report has no molecule that could be drawn.</p>;
  return <Grid {...props} list={list} key={`${route.like} ${rows.length}`} ids={data.table.id} />;
}

interface GridProps extends StructurePanelProps {
  readonly list: Structures;
  readonly ids: readonly string[];
}

function Grid({ data, columns, rows, route, selection, list, ids }: GridProps) {
  const { like: model } = route;
  const placed = useMemo(() => inOrder(list, rows, ids, model), [list, rows, ids, model]);
  const [wanted, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(placed.length / ON_PAGE));
  const page = Math.min(wanted, pages - 1);
  const shown = placed.slice(page * ON_PAGE, (page + 1) * ON_PAGE);
  const like = (id: string): void => replaceRoute({ ...route, like: id });
  return (
    <section class="panel" aria-label="Structures of the rows shown">
      <Controls route={route} />
      <p class="status" role="status">
        {`${counted(placed.length, 'structure')} in ${counted(rows.length, 'row')}.`}{' '}
        <button
          type="button"
          disabled={placed.length === 0}
          onClick={() => selection.replace(placed.map(({ row }) => row))}
        >
          Select all of these
        </button>
      </p>
      <ul class="structures">
        {shown.map(({ row, similarity }) => (
          <StructureCard
            key={row}
            data={data}
            columns={columns}
            row={row}
            similarity={similarity}
            route={route}
            selection={selection}
            onLike={() => like(ids[row] ?? '')}
          />
        ))}
      </ul>
      {pages > 1 && <GridPager page={page} pages={pages} setPage={setPage} />}
    </section>
  );
}

interface GridPagerProps {
  /** From 0. */
  readonly page: number;
  readonly pages: number;
  readonly setPage: (page: number) => void;
}

function GridPager({ page, pages, setPage }: GridPagerProps) {
  return (
    <nav class="pager" aria-label="Pages of structures">
      <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
        Previous
      </button>
      <span>
        {countText(page + 1)} of {countText(pages)}
      </span>
      <button type="button" disabled={page + 1 >= pages} onClick={() => setPage(page + 1)}>
        Next
      </button>
    </nav>
  );
}

function Controls({ route }: { readonly route: Route }) {
  const { like } = route;
  return (
    <div class="filters">
      <label>
        Order
        <select
          value={like}
          onChange={({ currentTarget }) => replaceRoute({ ...route, like: currentTarget.value })}
        >
          <option value="">table order</option>
          <option value={ALL_ALIKE}>by similarity</option>
          {like.trim() !== '' && <option value={like}>most similar to {like}</option>}
        </select>
      </label>
    </div>
  );
}

function inOrder(
  list: Structures,
  rows: readonly number[],
  ids: readonly string[],
  like: string,
): readonly Placed[] {
  const placeOf = new Map(list.rows.map((row, place) => [row, place]));
  const places = rows.flatMap((row) => placeOf.get(row) ?? []);
  const rowAt = (place: number): number => list.rows[place] ?? 0;
  if (like === '') return places.map((place) => ({ row: rowAt(place), similarity: null }));
  const prints = Uint8Array.from(atob(list.fingerprints), (letter) => letter.charCodeAt(0));
  const model = list.rows.findIndex((row) => ids[row] === like);
  if (model < 0) {
    return orderBySimilarity(prints, places).map((place) => ({
      row: rowAt(place),
      similarity: null,
    }));
  }
  return orderLike(prints, places, model).map(({ place, similarity }) => ({
    row: rowAt(place),
    similarity,
  }));
}
