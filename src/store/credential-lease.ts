/**
 * The lease of a token in a bucket. One Temporal keeps the budget of a token; two that use the same token cannot see
 * each other's submissions. On one machine the ledger shows both. Hosts that share only a bucket detect each other
 * here: while a Temporal has sent with the token within its window, no other may use it.
 *
 * Each process looks for marks of other Temporals, writes its own before it sends, and looks again. So if two do this
 * concurrently, one sees the other, or both do: a process that may not send removes its mark, and the next attempt
 * decides. A mark older than the window is ignored: nothing has to clean up after a holder that has ended or died.
 */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../kinds/json.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import { isObjectAddress, parseObjectAddress } from './layout.ts';
import type { LeaseHolder } from './lease.ts';
import { type Store, StoreError } from './store.ts';

const MARKS = 'used-';

const mark = z.object({
  /** ISO 8601, UTC, by the clock of the host that wrote it. */
  at: z.iso.datetime(),
  temporal: z.string(),
  where: z.string(),
  host: z.string(),
});
type Mark = z.output<typeof mark>;

/**
 * A mark is written every few seconds, a submission may take 45 s, and clocks of hosts may differ: together less than
 * this (ms).
 */
const ALLOWANCE_MS = 10 * 60_000;

/** Address of the lease of this token: the same for all trees of a bucket. Null if the tree is in a folder. */
export function buildCredentialLeaseAddress(
  tree: string,
  { service, address, credential }: ServiceReference,
): string | null {
  if (!isObjectAddress(tree)) return null;
  const parsed = parseObjectAddress(tree);
  if ('fault' in parsed) return null;
  const place = hash('sha256', address).slice(0, 8);
  return `s3://${parsed.bucket}/.hundredfold-tokens/${service}-${place}-${credential}`;
}

/**
 * Returns when `holder` may send with the token.
 * @param windowMs of the token's limit
 * @param usedBefore whether an earlier call of the same process has returned
 * @throws StoreError `TOKEN_LEASED`: another Temporal has sent with it, and that may still count
 */
export async function useCredential(
  store: Store,
  holder: LeaseHolder,
  windowMs: number,
  usedBefore: boolean,
): Promise<void> {
  await checkCredential(store, holder, windowMs);
  try {
    await leaveMark(store, holder);
    await checkCredential(store, holder, windowMs);
  } catch (error) {
    // A process that has sent nothing must not block the Temporal that won, or both, until its mark is out of date. If
    // the mark cannot be removed, it does; nothing is sent in any case.
    if (!usedBefore) await store.remove(markKey(holder)).catch(() => undefined);
    throw error;
  }
  if (!usedBefore) await removeExpired(store, holder, windowMs);
}

/** Whether another one uses it. @throws StoreError `TOKEN_LEASED` */
export async function checkCredential(
  store: Store,
  holder: Pick<LeaseHolder, 'temporal'>,
  windowMs: number,
): Promise<void> {
  for (const { left } of await listMarks(store, (key) => !isOwnMark(key, holder)))
    if (isCounting(left, windowMs)) throw createLeasedError(store, left, windowMs);
}

async function leaveMark(store: Store, holder: LeaseHolder): Promise<void> {
  const { temporal, where, host } = holder;
  const left: Mark = { at: new Date().toISOString(), temporal, where, host };
  await store.write(markKey(holder), JSON.stringify(left));
}

/** Marks of earlier processes of the holder's Temporal. The mark of this process protects its Temporal meanwhile. */
async function removeExpired(store: Store, holder: LeaseHolder, windowMs: number): Promise<void> {
  for (const { key, left } of await listMarks(store, (key) => isOwnMark(key, holder)))
    if (!isCounting(left, windowMs)) await store.remove(key);
}

/** Whether a job that was sent with this mark may still count. */
function isCounting({ at }: Mark, windowMs: number): boolean {
  return Date.parse(at) + windowMs + ALLOWANCE_MS > Date.now();
}

/** One for each process, so that a process can remove its own without those of its Temporal's other processes. */
function markKey({ temporal, renewer }: LeaseHolder): string {
  return `${buildMarkPrefix(temporal)}-${hash('sha256', renewer).slice(0, 12)}.json`;
}

function isOwnMark(key: string, { temporal }: Pick<LeaseHolder, 'temporal'>): boolean {
  return key.startsWith(buildMarkPrefix(temporal));
}

function buildMarkPrefix(temporal: string): string {
  return `${MARKS}${hash('sha256', temporal).slice(0, 12)}`;
}

async function listMarks(
  store: Store,
  isSelected: (key: string) => boolean,
): Promise<{ readonly key: string; readonly left: Mark }[]> {
  const marks: { key: string; left: Mark }[] = [];
  for await (const key of store.list(MARKS)) {
    if (!isSelected(key)) continue;
    const text = await store.readText(key);
    const { data } = mark.safeParse(parseJson(text ?? ''));
    if (data) marks.push({ key, left: data });
  }
  return marks;
}

function createLeasedError(store: Store, by: Mark, windowMs: number): StoreError {
  const free = new Date(Date.parse(by.at) + windowMs + ALLOWANCE_MS);
  return new StoreError(
    'TOKEN_LEASED',
    `another Temporal server submits with this token: ${by.where}, on ${by.host}, last at ${by.at}.`,
    `Two servers with one token would use its limit twice. Rows wait here as long as that one uses it. If that one has stopped, this one continues automatically at ${free.toISOString()}. Only if it has certainly sent nothing within the window, remove the objects below ${store.location} to continue at once.`,
    { retryable: true },
  );
}
