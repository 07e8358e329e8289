/**
 * The lease on an output tree, and its identity: one Temporal works on a tree at a time. Leases are numbered files in the tree, and the
 * highest number counts. To take over a tree, a contender creates the next number, which only one can do; to renew, the
 * holder rewrites its own file. Clocks of other machines are not used: a contender observes whether the file changes.
 * A command or a worker becomes the holder immediately if there is none, after a crash of the former holder, and never
 * while another Temporal works on the tree.
 *
 * A tree has an identity, a random id that its campaign carries: a worker must not work on the tree if the folder of that
 * name is missing or contains another tree. Another Temporal that takes over the tree gives it a new id: operations that
 * the former one still has in progress no longer match it.
 *
 * Rejected: `flock` and SQLite's locks, which do not work on NFS; one file that is replaced if unchanged, which POSIX
 * cannot do; an expiry time, which needs synchronised clocks.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { leaseKey, LEASES, TREE_IDENTITY } from './layout.ts';
import { type StoreError, storeError } from './store-error.ts';
import type { Store } from './store.ts';

/** The holder of a tree. */
export interface LeaseHolder {
  /** Id of the Temporal namespace: a UUID, different for every database. All of its workers share the lease. */
  readonly temporal: string;
  /** The same for people: address, namespace, and the folder of an embedded server. */
  readonly where: string;
  readonly host: string;
  /** Id of the machine's current boot; null if the system does not report one. */
  readonly boot: string | null;
  readonly pid: number;
  /** Process of the embedded server; null if Temporal runs elsewhere. */
  readonly server: number | null;
  /** Distinguishes renewers, also within one process. */
  readonly renewer: string;
}

export interface LeaseRecord extends LeaseHolder {
  /** When this Temporal took the tree, by the clock of its host (ISO 8601, UTC). For people. */
  readonly since: string;
  /** Grows with each renewal. */
  readonly beats: number;
  /** Taken over from a Temporal that had not released it; the tree does not have its new id yet. */
  readonly renewsIdentity: boolean;
}

export interface Lease {
  /** From 1. */
  readonly number: number;
  /** The file as read: it changes with every renewal. */
  readonly text: string;
  /** Null when it was released or is unreadable. */
  readonly record: LeaseRecord | null;
  readonly released: boolean;
}

const FORMAT = 1;

const held = z.object({
  format: z.literal(FORMAT),
  temporal: z.string(),
  where: z.string(),
  host: z.string(),
  boot: z.string().nullable(),
  pid: z.int(),
  server: z.int().nullable(),
  renewer: z.string(),
  since: z.string(),
  beats: z.int(),
  renews_identity: z.boolean(),
});
const free = z.object({ format: z.literal(FORMAT), released: z.literal(true) });

/** A takeover may remove a file between listing and reading it, but not this often in a row. */
const LISTINGS = 5;

/** The current lease; null if there is none. */
export async function newestLease(store: Store): Promise<Lease | null> {
  for (let listings = 0; listings < LISTINGS; listings += 1) {
    const number = Math.max(0, ...(await numbersOf(store)));
    if (number === 0) return null;
    const text = await store.readText(leaseKey(number));
    if (text !== null) return leaseOf(number, text);
  }
  return null;
}

async function numbersOf(store: Store): Promise<number[]> {
  const numbers: number[] = [];
  for await (const key of store.list(LEASES)) {
    const number = Number(key.slice(LEASES.length, -'.json'.length));
    if (Number.isInteger(number) && leaseKey(number) === key) numbers.push(number);
  }
  return numbers;
}

function leaseOf(number: number, text: string): Lease {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { number, text, record: null, released: false };
  }
  if (free.safeParse(json).success) return { number, text, record: null, released: true };
  const read = held.safeParse(json);
  if (!read.success) return { number, text, record: null, released: false };
  const { format: _, renews_identity: renewsIdentity, ...same } = read.data;
  return { number, text, record: { ...same, renewsIdentity }, released: false };
}

/**
 * Creates the lease after `former` (null: the first). Null when another contender was faster. `over`: the former was
 * not released, and the tree must get a new id.
 */
export async function takeLease(
  store: Store,
  holder: LeaseHolder,
  former: Lease | null,
  over: boolean,
): Promise<Lease | null> {
  const number = (former?.number ?? 0) + 1;
  const since = new Date().toISOString();
  const record = { ...holder, since, beats: 0, renewsIdentity: over };
  const text = textOf(record);
  if (!(await store.create(leaseKey(number), text))) return null;
  // Two takeovers may have happened since `former` was read, which freed this number again.
  if ((await newestLease(store))?.number !== number) {
    await store.remove(leaseKey(number));
    return null;
  }
  for (const other of await numbersOf(store)) {
    if (other < number) await store.remove(leaseKey(other));
  }
  return { number, text, record, released: false };
}

/** Rewrites the own lease. Null when another Temporal has taken over the tree. */
export async function renewLease(
  store: Store,
  holder: LeaseHolder,
  { number, record }: Lease,
  renewsIdentity = record?.renewsIdentity ?? false,
): Promise<Lease | null> {
  const since = record?.since ?? new Date().toISOString();
  const renewed = { ...holder, since, beats: (record?.beats ?? 0) + 1, renewsIdentity };
  const text = textOf(renewed);
  await store.write(leaseKey(number), text, { durable: false });
  if ((await newestLease(store))?.number !== number) return null;
  return { number, text, record: renewed, released: false };
}

/** Releases the tree, unless another process has renewed the lease since: then that process will release it. */
export async function releaseLease(store: Store, holder: LeaseHolder): Promise<void> {
  const lease = await newestLease(store);
  if (!isOf(lease, holder) || lease?.record?.renewer !== holder.renewer) return;
  // Without the names of machine and folder: an ended tree may be passed on.
  const disk = { format: FORMAT, released: true };
  await store.write(leaseKey(lease.number), `${JSON.stringify(disk)}\n`);
}

/** Whether the lease is that of the holder's Temporal, no matter which of its processes renewed it. */
export function isOf(lease: Lease | null, { temporal }: Pick<LeaseHolder, 'temporal'>): boolean {
  return lease?.record?.temporal === temporal;
}

function textOf({ renewsIdentity, ...same }: LeaseRecord): string {
  const disk: z.output<typeof held> = { format: FORMAT, ...same, renews_identity: renewsIdentity };
  return `${JSON.stringify(disk, null, 2)}\n`;
}

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
  if (await store.create(TREE_IDENTITY, identityText(id))) return id;
  const other = await readTreeId(store);
  // Damaged: no campaign can carry its content.
  return other ?? renewTreeId(store, id);
}

/** Replaces the id of the tree by a new one. */
export async function renewTreeId(store: Store, id: string = randomUUID()): Promise<string> {
  await store.write(TREE_IDENTITY, identityText(id));
  return id;
}

function identityText(id: string): string {
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
