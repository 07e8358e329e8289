/** Tests whether a bucket is usable, because permissions and manuals alone do not show it. */
import { randomUUID } from 'node:crypto';
import type { Store } from './store.ts';
import { type StoreError, storeError } from './store-error.ts';

/** Separate from the campaigns, whose names do not begin with a dot. */
const PROBES = '.hundredfold-probe/';

/**
 * Writes, creates, reads, lists and removes one small object. `store`: the store that contains the campaigns.
 * @throws StoreError `STORE_NOT_CONDITIONAL` for a server that ignores `If-None-Match`, and what the store throws
 */
export async function probe(store: Store): Promise<void> {
  const key = `${PROBES}${randomUUID()}`;
  const text = 'Written by hundredfold to test the bucket; can be removed.\n';
  try {
    const first = await store.create(key, text);
    const second = await store.create(key, text);
    if (!first || second) throw notConditional(store);
    let listed = false;
    for await (const found of store.list(key)) listed ||= found === key;
    if ((await store.readText(key)) !== text || !listed) throw notConsistent(store);
  } finally {
    // The first error is reported.
    await store.remove(key).catch(() => undefined);
  }
}

function notConditional({ location }: Store): StoreError {
  return storeError('STORE_NOT_CONDITIONAL', { case: 'not conditional', location });
}

function notConsistent({ location }: Store): StoreError {
  return storeError('STORE_NOT_CONDITIONAL', { case: 'not consistent', location });
}
