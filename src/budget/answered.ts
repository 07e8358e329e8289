/**
 * Requests that were answered a short while ago. A signal may be delivered twice, and an item that cannot know whether a
 * slot was requested requests one again: neither may be served a second time.
 *
 * An entry counts for the run of the item that requested the slot, and only as long as a repeated request can arrive.
 * Without the run, requests of the next campaign of the same name would count as repeated, and never be answered.
 */
import type { Request } from './request.ts';

interface Answered {
  /** Absent for requests of workflows that did not send it. */
  readonly run?: string;
  readonly generation: number;
  readonly attempt: number;
  /** ms */
  readonly at: number;
}

/** By item, oldest first. */
export type AnsweredRequests = Record<string, Answered>;

/** Signals are delivered within milliseconds; repeated requests come within seconds. */
const ANSWERED_FOR_MS = 60_000;

/** Not with each answer: finding the oldest of thousands of entries takes a millisecond, because it lists all of them. */
const SWEPT_EVERY_MS = 5_000;

export function wasAnswered(
  answered: AnsweredRequests,
  { item, run, attempt, job: { generation } }: Request,
  now: number,
): boolean {
  const known = answered[item];
  if (!known || isOver(known, now)) return false;
  if (run !== undefined) return known.run === run && known.attempt >= attempt;
  // Without a run, generations are compared: a later one is the item after a `retry`.
  return known.generation === generation ? known.attempt >= attempt : known.generation > generation;
}

export function remember(
  answered: AnsweredRequests,
  { item, run, attempt, job }: Request,
  now: number,
): void {
  // Removed first, so that it goes to the end: the oldest stay in front.
  forget(answered, item);
  const { generation } = job;
  answered[item] = { ...(run !== undefined && { run }), generation, attempt, at: now };
}

/** Drops what no longer counts. */
export function sweepAnswered(
  state: { readonly answered: AnsweredRequests; answeredSweptAt?: number },
  now: number,
): void {
  const { answered, answeredSweptAt: before } = state;
  if (before !== undefined && Math.abs(now - before) < SWEPT_EVERY_MS) return;
  state.answeredSweptAt = now;
  for (const old in answered) {
    if (!isOver(answered[old] as Answered, now)) break;
    forget(answered, old);
  }
}

export function forget(answered: AnsweredRequests, item: string): void {
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- plain data: it is serialised as it stands
  delete answered[item];
}

/** Both ways: the clock may have been set back. */
function isOver({ at }: Answered, now: number): boolean {
  return Math.abs(now - at) >= ANSWERED_FOR_MS;
}
