/**
 * The lease on an output tree: one Temporal works on a tree at a time. Leases are numbered files in the tree, and the
 * highest number counts. To take a tree over is to create the next number, which one contender alone can do; to renew
 * is to write the own number anew. No clock of another machine is believed: a contender sees whether the file changes.
 *
 * Rejected: `flock` and SQLite's locks, which do not hold on NFS; one file that is replaced when unchanged, which
 * POSIX cannot do; an expiry time, which needs clocks that agree.
 */
import { z } from 'zod';
import { LEASES, leaseKey } from './layout.ts';
import type { Store } from './store.ts';

/** Who works on a tree. */
export interface LeaseHolder {
  /** Id of the Temporal namespace: a UUID, another one for every database. All of its workers share the lease. */
  readonly temporal: string;
  /** The same for people: address, namespace, and the folder of an embedded server. */
  readonly where: string;
  readonly host: string;
  /** Of this start of the machine; null where it does not say. */
  readonly boot: string | null;
  readonly pid: number;
  /** Process of the embedded server; null where Temporal runs elsewhere. */
  readonly server: number | null;
  /** Tells apart those that renew, also within one process. */
  readonly renewer: string;
}

export interface LeaseRecord extends LeaseHolder {
  /** When this Temporal took the tree, by the clock of the host that did (ISO 8601, UTC). For people. */
  readonly since: string;
  /** Grows with each renewal. */
  readonly beats: number;
  /** Taken over from a Temporal that had not released it, and the tree has not got its new id yet. */
  readonly renewsIdentity: boolean;
}

export interface Lease {
  /** From 1. */
  readonly number: number;
  /** The file as it was read: it changes with every renewal. */
  readonly text: string;
  /** Null when it was released, or cannot be read. */
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

/** A file may go between the listing and the reading, with a takeover; so often in a row it does not. */
const LISTINGS = 5;

/** The lease that counts; null when there is none. */
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
  // Two takeovers may have passed since `former` was read, and this number been free again.
  if ((await newestLease(store))?.number !== number) {
    await store.remove(leaseKey(number));
    return null;
  }
  for (const other of await numbersOf(store)) {
    if (other < number) await store.remove(leaseKey(other));
  }
  return { number, text, record, released: false };
}

/** Writes the own lease anew. Null when another Temporal has taken the tree over. */
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

/** Gives the tree back, unless another one has renewed the lease since: then that one does. */
export async function releaseLease(store: Store, holder: LeaseHolder): Promise<void> {
  const lease = await newestLease(store);
  if (!isOf(lease, holder) || lease?.record?.renewer !== holder.renewer) return;
  // Without the names of machine and folder: an ended tree may be passed on.
  const disk = { format: FORMAT, released: true };
  await store.write(leaseKey(lease.number), `${JSON.stringify(disk)}\n`);
}

/** Whether the lease is that of the holder's Temporal, whichever of its processes has renewed it. */
export function isOf(lease: Lease | null, { temporal }: Pick<LeaseHolder, 'temporal'>): boolean {
  return lease?.record?.temporal === temporal;
}

function textOf({ renewsIdentity, ...same }: LeaseRecord): string {
  const disk: z.output<typeof held> = { format: FORMAT, ...same, renews_identity: renewsIdentity };
  return `${JSON.stringify(disk, null, 2)}\n`;
}
