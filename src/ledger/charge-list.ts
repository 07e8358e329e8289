/** All charges in the file, for people and their own programs. The program makes no decision from it. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { ServiceName } from '../domain/item.ts';
import { LONGEST_POST_MS } from '../domain/longest-post.ts';
import type { Account } from './charge.ts';
import { counts, release, type Counted } from './fullness.ts';
import type { Moment } from './steady-clock.ts';

/** A charge with its times, in ms since the epoch by the wall clock; null when unknown. */
export interface ListedCharge extends Account {
  /** `foreign`: a job from elsewhere, revealed by an answer of the service. */
  readonly source: 'ours' | 'foreign';
  /** `open`: in progress, or its process died before the answer. */
  readonly state: 'open' | 'charged';
  readonly remoteId: string | null;
  /** Just before the first byte; for an open one, when its slot was reserved. */
  readonly sentAt: number | null;
  readonly answeredAt: number | null;
  /** Start of its window: the answer, or the time when the job became known. */
  readonly countsFrom: number | null;
  /** When it leaves its window; null while it is in progress, and if there is no limit. */
  readonly releasedAt: number | null;
  /** Whether it counts now. */
  readonly counts: boolean;
}

/** Runs inside the transaction of its caller. In each account, the oldest first. */
export function listCharges(database: DatabaseSync, now: Moment): readonly ListedCharge[] {
  return database
    .prepare('SELECT * FROM charges ORDER BY service, address, credential, steady, seq')
    .all()
    .map((row) => listed(row, now));
}

function listed(row: Record<string, SQLOutputValue>, now: Moment): ListedCharge {
  const state = row['state'] === 'open' ? 'open' : 'charged';
  const steady = Number(row['steady']);
  const wallOf = (at: number): number => Math.round(now.wallMs + at - now.steadyMs);
  const reserved = state === 'open' ? wallOf(steady) : null;
  return {
    service: row['service'] as ServiceName,
    address: String(row['address']),
    credential: String(row['credential']),
    source: row['origin'] === 'service' ? 'foreign' : 'ours',
    state,
    remoteId: remoteIdOf(row['remote_id']),
    sentAt: numberOrNull(row['sent']) ?? reserved,
    answeredAt: numberOrNull(row['answered']),
    countsFrom: state === 'open' ? null : wallOf(steady),
    ...standing({ state, steady, own: true }, numberOrNull(row['window_ms']), now.steadyMs, wallOf),
  };
}

function standing(
  row: Counted,
  windowMs: number | null,
  now: number,
  wallOf: (at: number) => number,
): Pick<ListedCharge, 'releasedAt' | 'counts'> {
  if (windowMs === null) return { releasedAt: null, counts: false };
  const window = { limit: null, windowMs };
  const onItsWay = row.state === 'open' && now < row.steady + LONGEST_POST_MS;
  const releasedAt = onItsWay ? null : wallOf(release(row, window, now));
  return { releasedAt, counts: counts(row, window, now) };
}

/** A submission of unknown fate, read from a tree, has a substitute name instead of an id. */
function remoteIdOf(value: SQLOutputValue | undefined): string | null {
  return typeof value === 'string' && !value.startsWith('unsure ') ? value : null;
}

function numberOrNull(value: SQLOutputValue | undefined): number | null {
  return typeof value === 'number' ? value : null;
}
