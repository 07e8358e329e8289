/** What the page shows, as encoded in its address: `#item=aspirin`, `#q=amine&state=failed&sort=-mass`. */
import { useEffect, useState } from 'preact/hooks';
import type { ItemTable } from '../../src/report/page-data.ts';
import type { TableQuery } from './query.ts';

export interface Route extends TableQuery {
  readonly item: string | null;
  /** The item's row, if its id alone is ambiguous: a refused row may have the id of another. */
  readonly row: number | null;
  /** The columns shown (columns.ts); empty for the default. */
  readonly columns: string;
  /** `plot` for a plot above the table. */
  readonly view: string;
  /** Columns of the plot. */
  readonly x: string;
  readonly y: string;
  readonly colour: string;
  /** The id of the molecule that the others are compared with. */
  readonly like: string;
}

/** Of the texts, as in the address. */
const KEYS = [
  ...(['q', 'kind', 'state', 'code', 'only', 'sort', 'columns'] as const),
  ...(['view', 'x', 'y', 'colour', 'like'] as const),
];

function readRoute(hash: string): Route {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const texts = KEYS.map((key) => [key, params.get(key) ?? '']);
  return {
    item: params.get('item'),
    row: params.has('row') ? Number(params.get('row')) : null,
    ...(Object.fromEntries(texts) as Record<(typeof KEYS)[number], string>),
  };
}

/** An address that can be bookmarked; `#` alone is the overview with every item. */
export function formatHash(route: Partial<Route>): string {
  const params = new URLSearchParams();
  if (route.item != null) params.set('item', route.item);
  if (route.row != null) params.set('row', String(route.row));
  for (const key of KEYS) {
    const value = route[key] ?? '';
    if (value !== '') params.set(key, value);
  }
  return `#${params.toString()}`;
}

/** The current route; follows the address, so the browser's back button works. */
export function useRoute(): Route {
  const [route, setRoute] = useState(() => readRoute(location.hash));
  useEffect(() => {
    const follow = (): void => setRoute(readRoute(location.hash));
    addEventListener('hashchange', follow);
    return () => removeEventListener('hashchange', follow);
  }, []);
  return route;
}

/** Another filter or order of the table adds no history entry: the back button leaves the table. */
export function replaceRoute(route: Partial<Route>): void {
  const oldURL = location.href;
  history.replaceState(null, '', formatHash(route));
  // As the browser does, except after `replaceState`.
  dispatchEvent(new HashChangeEvent('hashchange', { oldURL, newURL: location.href }));
}

/** Null if there is no such item. */
export function findRow(table: ItemTable, id: string, row: number | null): number | null {
  if (row !== null && table.id[row] === id) return row;
  const first = table.id.indexOf(id);
  return first < 0 ? null : first;
}

/** The address of the item's page. With `route` its neighbours are those of the table, in its order. */
export function formatItemHash(table: ItemTable, row: number, route: Partial<Route> = {}): string {
  const id = table.id[row] ?? '';
  const isFirst = table.id.indexOf(id) === row;
  return formatHash({ ...route, item: id, row: isFirst ? null : row });
}
