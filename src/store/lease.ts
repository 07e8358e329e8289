/**
 * The lease on an output tree: one Temporal works on a tree at a time. Leases are numbered files in the tree, and the
 * highest number counts. To take over a tree, a contender creates the next number, which only one can do; to renew, the
 * holder rewrites its own file. Clocks of other machines are not used: a contender observes whether the file changes.
 *
 * Rejected: `flock` and SQLite's locks, which do not work on NFS; one file that is replaced if unchanged, which POSIX
 * cannot do; an expiry time, which needs synchronised clocks.
 */
import { z } from 'zod';
import { LEASES, leaseKey } from './layout.ts';
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
