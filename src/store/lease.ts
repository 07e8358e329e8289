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
import { hash, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { parseJson } from '../kinds/json.ts';
import { buildLeaseKey, LEASES, TREE_IDENTITY } from './layout.ts';
import { StoreError, type Store } from './store.ts';

const FORMAT = 1;

/** The holder of a tree. */
const holder = z.object({
  /** Id of the Temporal namespace: a UUID, different for every database. All of its workers share the lease. */
  temporal: z.string(),
  /** The same for people: address, namespace, and the folder of an embedded server. */
  where: z.string(),
  host: z.string(),
  /** Id of the machine's current boot; null if the system does not report one. */
  boot: z.string().nullable(),
  pid: z.int(),
  /** The ledger of submissions that its process uses (src/ledger): a digest of the host and the folder. */
  ledger: z.string(),
  /** Process of the embedded server; null if Temporal runs elsewhere. */
  server: z.int().nullable(),
  /** Distinguishes renewers, also within one process. */
  renewer: z.string(),
});
export type LeaseHolder = Readonly<z.output<typeof holder>>;

/** The Temporal that held the tree before, until all that it may have sent counts here (runner/hold-tree.ts). */
const former = z.object({
  /** A digest of its id. */
  temporal: z.string(),
  /** Otherwise its workflows may be open: the tree gets a new id. */
  released: z.boolean(),
  /** The tree, or the ledger of this host, shows all that it has sent. */
  known: z.boolean(),
});
export type Former = Readonly<z.output<typeof former>>;

const held = holder.extend({
  format: z.literal(FORMAT),
  /** When this Temporal took the tree, by the clock of its host (ISO 8601, UTC). For people. */
  since: z.string(),
  /** Grows with each renewal. */
  beats: z.int(),
  former: former.nullable(),
});
export type LeaseRecord = Readonly<Omit<z.output<typeof held>, 'format'>>;

const free = z.object({ format: z.literal(FORMAT), released_by: former });

export interface Lease {
  /** From 1. */
  readonly number: number;
  /** The file as read: it changes with every renewal. */
  readonly text: string;
  /** Null when it was released or is unreadable. */
  readonly record: LeaseRecord | null;
  /** Who has released it; null if nobody has. */
  readonly released: Former | null;
}

/** A takeover may remove a file between listing and reading it, but not this often in a row. */
const LISTINGS = 5;

/** The current lease; null if there is none. */
export async function readNewestLease(store: Store): Promise<Lease | null> {
  for (let listings = 0; listings < LISTINGS; listings += 1) {
    const number = Math.max(0, ...(await listNumbers(store)));
    if (number === 0) return null;
    const text = await store.readText(buildLeaseKey(number));
    if (text !== null) return parseLease(number, text);
  }
  return null;
}

async function listNumbers(store: Store): Promise<number[]> {
  const numbers: number[] = [];
  for await (const key of store.list(LEASES)) {
    const number = Number(key.slice(LEASES.length, -'.json'.length));
    if (Number.isInteger(number) && buildLeaseKey(number) === key) numbers.push(number);
  }
  return numbers;
}

function parseLease(number: number, text: string): Lease {
  const json = parseJson(text);
  const released = free.safeParse(json).data?.released_by ?? null;
  const { format: _, ...record } = held.safeParse(json).data ?? { format: null };
  return { number, text, record: 'temporal' in record ? record : null, released };
}

/** Creates the lease after `found` (null: the first). Null when another contender was faster. */
export async function takeLease(
  store: Store,
  holder: LeaseHolder,
  found: Lease | null,
): Promise<Lease | null> {
  const number = (found?.number ?? 0) + 1;
  const since = new Date().toISOString();
  const record = { ...holder, since, beats: 0, former: findFormer(found, holder) };
  const text = serializeLease(record);
  if (!(await store.create(buildLeaseKey(number), text))) return null;
  // Two takeovers may have happened since `found` was read, which freed this number again.
  if ((await readNewestLease(store))?.number !== number) {
    await store.remove(buildLeaseKey(number));
    return null;
  }
  for (const other of await listNumbers(store)) {
    if (other < number) await store.remove(buildLeaseKey(other));
  }
  return { number, text, record, released: null };
}

/** Its own, and what is not yet counted of the one before that. */
function findFormer(found: Lease | null, holder: LeaseHolder): Former | null {
  if (found?.released)
    return found.released.temporal === digestTemporal(holder) ? null : found.released;
  if (found === null) return null;
  const { record } = found;
  // The workers of a Temporal elsewhere may have used others.
  const isSameLedger = record !== null && record.server !== null && record.ledger === holder.ledger;
  return {
    temporal: record?.former?.temporal ?? (record ? digestTemporal(record) : ''),
    released: false,
    known: isSameLedger && record.former?.known !== false,
  };
}

/** Without the names of machine and folder: an ended tree may be passed on. */
function digestTemporal({ temporal }: Pick<LeaseHolder, 'temporal'>): string {
  return hash('sha256', temporal).slice(0, 12);
}

/** Rewrites the own lease. Null when another Temporal has taken over the tree. */
export async function renewLease(
  store: Store,
  holder: LeaseHolder,
  { number, record }: Lease,
  former = record?.former ?? null,
): Promise<Lease | null> {
  const since = record?.since ?? new Date().toISOString();
  const renewed = { ...holder, since, beats: (record?.beats ?? 0) + 1, former };
  const text = serializeLease(renewed);
  await store.write(buildLeaseKey(number), text, { durable: false });
  if ((await readNewestLease(store))?.number !== number) return null;
  return { number, text, record: renewed, released: null };
}

/** Releases the tree, unless another process has renewed the lease since: then that process will release it. */
export async function releaseLease(store: Store, holder: LeaseHolder): Promise<void> {
  const lease = await readNewestLease(store);
  if (!isHeldBy(lease, holder) || lease?.record?.renewer !== holder.renewer) return;
  const by = lease.record.former ?? { temporal: digestTemporal(holder), known: true };
  const disk = { format: FORMAT, released_by: { ...by, released: true } };
  await store.write(buildLeaseKey(lease.number), `${JSON.stringify(disk)}\n`);
}

/** Whether the lease is that of the holder's Temporal, no matter which of its processes renewed it. */
export function isHeldBy(
  lease: Lease | null,
  { temporal }: Pick<LeaseHolder, 'temporal'>,
): boolean {
  return lease?.record?.temporal === temporal;
}

function serializeLease(record: LeaseRecord): string {
  const disk: z.output<typeof held> = { format: FORMAT, ...record };
  return `${JSON.stringify(disk, null, 2)}\n`;
}

/** A holder renews its lease this often, in ms. */
export const RENEW_INTERVAL_MS = 10_000;
/** A lease that does not change for this long while a contender watches has expired, in ms by the contender's clock. */
const STALE_AFTER_MS = 30_000;
const POLL_INTERVAL_MS = 500;

export interface HoldOptions {
  /** Whether the holder's processes are known to be gone, because they ran on this machine. */
  readonly isGone: (former: LeaseRecord) => boolean;
  /** Called once, when watching the former holder begins. */
  readonly onWatch?: (former: LeaseRecord | null) => void;
  /** In ms; default: `STALE_AFTER_MS`. */
  readonly staleAfterMs?: number;
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
    const found = await readNewestLease(store);
    if (isHeldBy(found, holder) && found) {
      const lease = await renewLease(store, holder, found);
      if (lease) {
        await renewIdentity(store, lease);
        return { lease, already: true, takenOver: null };
      }
    } else if (found === null || found.released) {
      const lease = await takeLease(store, holder, found);
      if (lease) return { lease, already: false, takenOver: null };
    } else if (await isAbandoned(store, found, options)) {
      const lease = await takeLease(store, holder, found);
      if (lease) {
        await renewIdentity(store, lease);
        return { lease, already: false, takenOver: { former: found.record } };
      }
    }
  }
}

/**
 * The tree no longer has the id that the former holder's workflows carry. Repeated until all that the former has sent
 * counts here; no campaign is started before that.
 */
async function renewIdentity(store: Store, { record }: Lease): Promise<void> {
  if (record?.former?.released === false) await renewTreeId(store);
}

/**
 * True when the holder has ended without releasing the tree, or its lease no longer changes. False when the tree was
 * released meanwhile: it keeps its id, and is looked at again.
 * @throws StoreError `TREE_LEASED`
 */
async function isAbandoned(store: Store, found: Lease, options: HoldOptions): Promise<boolean> {
  const { isGone, onWatch, staleAfterMs = STALE_AFTER_MS } = options;
  if (found.record && isGone(found.record)) return true;
  onWatch?.(found.record);
  const since = performance.now();
  while (performance.now() - since < staleAfterMs) {
    await delay(POLL_INTERVAL_MS);
    const now = await readNewestLease(store);
    // Released, or removed with its folder.
    if (now === null || now.released) return false;
    if (now.number !== found.number || now.text !== found.text)
      throw createTreeLeasedError(store, now.record);
    if (found.record && isGone(found.record)) return true;
  }
  return true;
}

export function createTreeLeasedError(store: Store, by: LeaseRecord | null): StoreError {
  const who = by === null ? 'its lease cannot be read' : describeHolder(by);
  return new StoreError(
    'TREE_LEASED',
    `${store.location} is in use by another Temporal server: ${who}.`,
    `To continue with it here, ${describeHowToStop(by)} and type this command again. Otherwise wait until the campaign there has ended, or choose another output folder with --out.`,
    { retryable: true },
  );
}

/** `where` names the folder of an embedded server, which can be stopped from anywhere on its machine. */
function describeHowToStop(by: LeaseRecord | null): string {
  const [, dir] = /^the Temporal server of (.+)$/.exec(by?.where ?? '') ?? [];
  if (by === null || dir === undefined)
    return 'stop its workers (Ctrl-C, or hundredfold stop where they run)';
  const there = by.host === hostname() ? '' : ` on ${by.host}`;
  return `stop that one${there} (HUNDREDFOLD_EMBEDDED_DIR='${dir}' hundredfold stop)`;
}

/** A description of the holder, for people. */
export function describeHolder({ where, pid, host, since }: LeaseRecord): string {
  return `${where}, process ${pid} on ${host}, since ${since}`;
}

const onDisk = z.object({ format: z.literal(1), id: z.string().min(1) });

/** Null if the tree has none, or an unreadable one. */
export async function readTreeId(store: Store): Promise<string | null> {
  const text = (await store.readText(TREE_IDENTITY)) ?? '';
  return onDisk.safeParse(parseJson(text)).data?.id ?? null;
}

/** The id of the tree; creates one if it has none. `id`: the one that a running campaign carries, if any. */
export async function ensureTreeId(store: Store, id: string = randomUUID()): Promise<string> {
  const known = await readTreeId(store);
  if (known !== null) return known;
  if (await store.create(TREE_IDENTITY, serializeIdentity(id))) return id;
  const other = await readTreeId(store);
  // Damaged: no campaign can carry its content.
  return other ?? renewTreeId(store, id);
}

/** Replaces the id of the tree by a new one. */
async function renewTreeId(store: Store, id: string = randomUUID()): Promise<string> {
  await store.write(TREE_IDENTITY, serializeIdentity(id));
  return id;
}

function serializeIdentity(id: string): string {
  return `${JSON.stringify({ format: 1, id })}\n`;
}

/** @throws StoreError `TREE_NOT_HERE` */
export async function checkTreeId(store: Store, expected: string): Promise<void> {
  const found = await readTreeId(store);
  if (found === expected) return;
  const fault =
    found === null
      ? `it has no ${TREE_IDENTITY}`
      : 'it is another tree, or another Temporal server has taken it over since';
  throw createTreeNotHereError(store.location, fault);
}

export function createTreeNotHereError(folder: string, fault: string): StoreError {
  return new StoreError(
    'TREE_NOT_HERE',
    `${folder} is not the output tree of this campaign here: ${fault}.`,
    'Give every worker that folder under that path (mount its disk), or stop the worker that does not have it. If the folder was removed, end the campaign with "hundredfold cancel NAME --abandon" and run its "hundredfold run" command again.',
    { retryable: true },
  );
}
