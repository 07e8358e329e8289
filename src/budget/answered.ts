/**
 * Requests that were answered a short while ago. A signal may be delivered twice, and an item that cannot know whether a
 * slot was requested requests one again: neither may be served a second time.
 *
 * An entry counts for the run of the item that requested the slot, and only as long as a repeated request can arrive.
 * Without the run, requests of the next campaign of the same name would count as repeated, and never be answered.
 */
import { LATEST_ACCEPTANCE_MS } from '../domain/longest-post.ts';
import type { Request } from './request.ts';

interface Answered {
  readonly run: string;
  readonly attempt: number;
  /** ms */
  readonly at: number;
}

/** By item, oldest first. */
export type AnsweredRequests = Record<string, Answered>;

/**
 * Signals are delivered within milliseconds; repeated requests come within seconds. Not less than a submission of
 * unknown fate keeps its slot: the same submission is not made beside it.
 */
const ANSWERED_FOR_MS = LATEST_ACCEPTANCE_MS;

/** Not with each answer: finding the oldest of thousands of entries takes a millisecond, because it lists all of them. */
const SWEPT_EVERY_MS = 5_000;

export function wasAnswered(
  answered: AnsweredRequests,
  { item, run, attempt }: Request,
  now: number,
): boolean {
  const known = answered[item];
  if (!known || isOver(known, now)) return false;
  return known.run === run && known.attempt >= attempt;
}

export function remember(
  answered: AnsweredRequests,
  { item, run, attempt }: Request,
  now: number,
): void {
  // Removed first, so that it goes to the end: the oldest stay in front.
  forget(answered, item);
  answered[item] = { run, attempt, at: now };
}

/** Drops what no longer counts. */
export function sweepAnswered(
  state: { readonly answered: AnsweredRequests; answeredSweptAt: number },
  now: number,
): void {
  const { answered, answeredSweptAt: before } = state;
  if (Math.abs(now - before) < SWEPT_EVERY_MS) return;
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
