/** What the page shows, as encoded in its address: `#item=aspirin`, `#q=amine&state=failed&sort=-mass`. */
import { useEffect, useState } from 'preact/hooks';
import type { TableQuery } from './items/table-model.ts';

export interface Route extends TableQuery {
  readonly item: string | null;
  /** The item's row, if its id alone is ambiguous: a refused row may have the id of another. */
  readonly row: number | null;
  /** Ids of the items to compare, separated by spaces; empty for none. */
  readonly compare: string;
  /** The columns shown (columns.ts); empty for the default. */
  readonly columns: string;
  /** The view above the table: `plot`, `structures`, or none. */
  readonly view: string;
  /** Columns of the plot. */
  readonly x: string;
  readonly y: string;
  readonly colour: string;
  readonly size: string;
  /** Order of the structures: the id of the molecule that the others are compared with. */
  readonly like: string;
}

const KEYS = {
  query: 'q',
  kind: 'kind',
  state: 'state',
  code: 'code',
  where: 'where',
  sort: 'sort',
  compare: 'compare',
  columns: 'columns',
  view: 'view',
  x: 'x',
  y: 'y',
  colour: 'colour',
  size: 'size',
  like: 'like',
} as const;
type Key = keyof typeof KEYS;

function readRoute(hash: string): Route {
  const params = new URLSearchParams(hash.replace(/^#/, ''));
  const of = (key: string): string => params.get(key) ?? '';
  return {
    item: params.get('item'),
    row: params.has('row') ? Number(params.get('row')) : null,
    ...(Object.fromEntries(Object.entries(KEYS).map(([name, key]) => [name, of(key)])) as Record<
      Key,
      string
    >),
  };
}

/** An address that can be bookmarked; `#` alone is the overview with every item. */
export function hashOf(route: Partial<Route>): string {
  const params = new URLSearchParams();
  if (route.item != null) params.set('item', route.item);
  if (route.row != null) params.set('row', String(route.row));
  for (const [name, key] of Object.entries(KEYS)) {
    const value = route[name as keyof typeof KEYS];
    if (value !== undefined && value !== '') params.set(key, value);
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
  history.replaceState(null, '', hashOf(route));
  // As the browser does, except after `replaceState`.
  dispatchEvent(new HashChangeEvent('hashchange', { oldURL, newURL: location.href }));
}
