/**
 * How a command or a worker becomes the holder of a tree: immediately if it has no holder, after a crash of the former
 * holder, and never while another Temporal works on it. A tree that was taken over gets a new identity
 * (tree-identity.ts).
 */
import { setTimeout as delay } from 'node:timers/promises';

import {
  isOf,
  newestLease,
  renewLease,
  takeLease,
  type Lease,
  type LeaseHolder,
  type LeaseRecord,
} from './lease.ts';
import type { Store } from './store.ts';
import { type StoreError, storeError } from './store-error.ts';
import { renewTreeId } from './tree-identity.ts';

/** A holder renews its lease this often, in ms. */
export const RENEW_EVERY_MS = 10_000;
/** A lease that does not change for this long while a contender watches has expired, in ms by the contender's clock. */
const STALE_AFTER_MS = 30_000;
const LOOK_EVERY_MS = 500;

export interface HoldOptions {
  /** Whether the holder's processes are known to be gone, because they ran on this machine. */
  readonly isGone: (former: LeaseRecord) => boolean;
  /** Called once, when watching the former holder begins. */
  readonly onWatch?: (former: LeaseRecord | null) => void;
  /** In ms; default: `STALE_AFTER_MS`. */
  readonly staleAfterMs?: number;
  readonly signal?: AbortSignal;
}

interface Held {
  readonly lease: Lease;
  /** Whether this Temporal held the tree before. */
  readonly already: boolean;
  /** The holder that had not released it; its record is null if its lease could not be read. */
  readonly takenOver: { readonly former: LeaseRecord | null } | null;
}

/** @throws StoreError `TREE_LEASED`: another Temporal works on it */
export async function holdTree(
  store: Store,
  holder: LeaseHolder,
  options: HoldOptions,
): Promise<Held> {
  for (;;) {
    const found = await newestLease(store);
    if (isOf(found, holder) && found) {
      const lease = await renewLease(store, holder, found);
      if (lease) return { lease: await withIdentity(store, holder, lease), ...ALREADY };
    } else if (found === null || found.released) {
      const lease = await takeLease(store, holder, found, false);
      if (lease) return { lease, already: false, takenOver: null };
    } else if (await isAbandoned(store, found, options)) {
      const lease = await takeLease(store, holder, found, true);
      const takenOver = { former: found.record };
      if (lease)
        return { lease: await withIdentity(store, holder, lease), already: false, takenOver };
    }
  }
}

const ALREADY = { already: true, takenOver: null } as const;

/** The tree no longer has the id that the former holder's workflows carry. Repeated after a crash in the middle. */
async function withIdentity(store: Store, holder: LeaseHolder, lease: Lease): Promise<Lease> {
  if (!lease.record?.renewsIdentity) return lease;
  await renewTreeId(store);
  const renewed = await renewLease(store, holder, lease, false);
  if (renewed) return renewed;
  throw treeLeased(store, (await newestLease(store))?.record ?? null);
}

/**
 * True when the holder has ended without releasing the tree, or its lease no longer changes. False when the tree was
 * released meanwhile: it keeps its id, and is looked at again.
 * @throws StoreError `TREE_LEASED`
 */
async function isAbandoned(store: Store, found: Lease, options: HoldOptions): Promise<boolean> {
  const { isGone, onWatch, staleAfterMs = STALE_AFTER_MS, signal } = options;
  if (found.record && isGone(found.record)) return true;
  onWatch?.(found.record);
  const since = performance.now();
  while (performance.now() - since < staleAfterMs) {
    await delay(LOOK_EVERY_MS, undefined, { signal });
    const now = await newestLease(store);
    // Released, or removed with its folder.
    if (now === null || now.released) return false;
    if (now.number !== found.number || now.text !== found.text) throw treeLeased(store, now.record);
    if (found.record && isGone(found.record)) return true;
  }
  return true;
}

export function treeLeased(store: Store, by: LeaseRecord | null): StoreError {
  const who = by === null ? 'its lease cannot be read' : holderInWords(by);
  return storeError('TREE_LEASED', { location: store.location, holder: who });
}

/** A description of the holder, for people. */
export function holderInWords({ where, pid, host, since }: LeaseRecord): string {
  return `${where}, process ${pid} on ${host}, since ${since}`;
}
