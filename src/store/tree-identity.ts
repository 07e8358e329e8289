/**
 * The identity of an output tree: a random id in the tree, which its campaign carries. A worker must not work on the
 * tree if the folder of that name is missing or contains another tree. Another Temporal that takes over the tree gives
 * it a new id: operations that the former one still has in progress no longer match it (lease.ts).
 */
import { randomUUID } from 'node:crypto';
import { z } from 'zod';

import { TREE_IDENTITY } from './layout.ts';
import type { Store } from './store.ts';
import { type StoreError, storeError } from './store-error.ts';

const onDisk = z.object({ format: z.literal(1), id: z.string().min(1) });

/** Null if the tree has none, or an unreadable one. */
export async function readTreeId(store: Store): Promise<string | null> {
  const text = await store.readText(TREE_IDENTITY);
  return text === null ? null : idIn(text);
}

/** The id of the tree; creates one if it has none. `id`: the one that a running campaign carries, if any. */
export async function ensureTreeId(store: Store, id: string = randomUUID()): Promise<string> {
  const known = await readTreeId(store);
  if (known !== null) return known;
  if (await store.create(TREE_IDENTITY, textOf(id))) return id;
  const other = await readTreeId(store);
  // Damaged: no campaign can carry its content.
  return other ?? renewTreeId(store, id);
}

/** Replaces the id of the tree by a new one. */
export async function renewTreeId(store: Store, id: string = randomUUID()): Promise<string> {
  await store.write(TREE_IDENTITY, textOf(id));
  return id;
}

function textOf(id: string): string {
  return `${JSON.stringify({ format: 1, id })}\n`;
}

function idIn(text: string): string | null {
  try {
    return onDisk.parse(JSON.parse(text)).id;
  } catch {
    return null;
  }
}

/** @throws StoreError `TREE_NOT_HERE` */
export async function checkTreeId(store: Store, wanted: string): Promise<void> {
  const found = await readTreeId(store);
  if (found === wanted) return;
  const fault =
    found === null
      ? `it has no ${TREE_IDENTITY}`
      : 'it is another tree, or another Temporal server has taken it over since';
  throw treeNotHere(store.location, fault);
}

export function treeNotHere(folder: string, fault: string): StoreError {
  return storeError('TREE_NOT_HERE', { folder, fault });
}
