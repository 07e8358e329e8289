/**
 * The items of a large campaign are in shards, 256 folders for each kind: a folder with a million entries is slow to
 * list, to copy and to delete, on every file system. A bucket has the same names, so that a tree can move.
 *
 * A tree keeps the layout that it began with: rows may be added to its campaign at any time.
 */
import { KINDS, FOLDER_OF_KIND, type Kind } from '../domain/item.ts';
import { SHARDED } from './layout.ts';
import { openStore } from './open-store.ts';
import type { Store } from './store.ts';

/** With more rows than this, a new tree is laid out in shards. */
const MOST_UNSHARDED = 100_000;

const EXPLANATION =
  'The folder of an item is <kind>/<xx>/<id>: xx are the first two hexadecimal digits of the SHA-256 of the id.\n';

/** The tree, in shards if it has no items yet and gets so many. Before its items are prepared. */
export async function laidOutFor(
  store: Store,
  items: number,
  most = MOST_UNSHARDED,
): Promise<Store> {
  if (store.sharded || items <= most) return store;
  if ((await emptyKinds(store)).size < KINDS.length) return store;
  await store.create(SHARDED, EXPLANATION);
  return openStore(store.location);
}

/** Those without any file in the tree. */
export async function emptyKinds(store: Store): Promise<ReadonlySet<Kind>> {
  const empty = new Set<Kind>();
  for (const kind of KINDS) {
    const first = await store.list(`${FOLDER_OF_KIND[kind]}/`)[Symbol.asyncIterator]().next();
    if (first.done === true) empty.add(kind);
  }
  return empty;
}
