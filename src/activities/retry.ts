/**
 * What activities and the Temporal server tell each other: that it is too early (the server waits, and no event is
 * written), that a worker lives (heartbeats), and that a workflow has ended.
 */
import { Context, type Info } from '@temporalio/activity';
import { WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import { type ErrorCode, HundredfoldError } from '../domain/errors.ts';
import { computeGrowingDelay } from '../domain/limits.ts';
import { StoreError } from '../store/store.ts';

/** Between attempts of something that fails: 1 s, 2 s, 4 s, … up to a minute. `attempt` counts from 1. */
export function computeRetryDelay(attempt: number): number {
  return computeGrowingDelay({ first: 1_000, longest: 60_000 }, attempt);
}

/**
 * How long ago an activity was first scheduled when its attempt was (ms). Both stamps are the server's: the clock of this
 * host may be minutes off.
 */
export function computeAgeAtStart({
  scheduledTimestampMs,
  currentAttemptScheduledTimestampMs,
}: Pick<Info, 'scheduledTimestampMs' | 'currentAttemptScheduledTimestampMs'>): number {
  return currentAttemptScheduledTimestampMs - scheduledTimestampMs;
}

/** Not a failure, only too early: BENIGN keeps it out of failure counts and logs. */
export function createNotYet(message: string, delayMs: number): ApplicationFailure {
  return waitFor(delayMs, NOT_YET, message);
}

export const NOT_YET = 'NotYet';

/** Something hinders the item: while it waits, `items`, `status` and the live view show these words (runner/items.ts). */
export function createHindered(message: string, delayMs: number): ApplicationFailure {
  return waitFor(delayMs, 'Hindered', message);
}

function waitFor(delayMs: number, type: string, message: string): ApplicationFailure {
  return ApplicationFailure.create({
    type,
    message,
    nextRetryDelay: Math.max(1, Math.round(delayMs)),
    category: ApplicationFailureCategory.BENIGN,
  });
}

/** For a tree that this worker must not use, but another one may. */
const ELSEWHERE: readonly string[] = [
  'TREE_NOT_HERE',
  'TREE_LEASED',
  'TREE_OTHER_PLUGIN',
] satisfies ErrorCode[];
const MAX_ELSEWHERE_DELAY_MS = 5_000;

export function isElsewhere(error: unknown): error is StoreError {
  return error instanceof StoreError && ELSEWHERE.includes(error.code);
}

/** What ends an item, because no retry helps; null if one may. */
export function findLastingFault(
  error: unknown,
): { readonly code: string; readonly message: string } | null {
  if (!(error instanceof HundredfoldError)) return null;
  if (error instanceof StoreError && error.retryable) return null;
  return { code: error.code, message: `${error.message} ${error.remedy}` };
}

/** A store that cannot be written may be writable later (a full disk); if not, the item ends with its code. */
export function storeFailure(error: unknown, attempt = Context.current().info.attempt): unknown {
  if (!(error instanceof HundredfoldError)) return error;
  const delay = computeRetryDelay(attempt);
  return ApplicationFailure.create({
    type: error.code,
    message: `${error.message} ${error.remedy}`,
    nonRetryable: error instanceof StoreError && !error.retryable,
    nextRetryDelay: isElsewhere(error) ? Math.min(delay, MAX_ELSEWHERE_DELAY_MS) : delay,
  });
}

/** Between heartbeats: the death of a worker is noticed within seconds. */
const BEAT_INTERVAL_MS = 1_000;

/**
 * An activity with heartbeats. Without them, the work of a killed worker is retried only after its whole timeout: an
 * item stopped for 60 s in a poll, for 10 min in a download.
 *
 * With `details`, the first heartbeat is sent at once: if no other worker retries it, its workflow knows that it had
 * begun.
 */
export function withHeartbeat<A extends unknown[], R>(
  activity: (...args: A) => Promise<R>,
  details?: string,
): (...args: A) => Promise<R> {
  return async (...args) => {
    const context = Context.current();
    // A heartbeat replaces the previous one, and its details.
    const beatNow = (): void => context.heartbeat(details ?? context.info.heartbeatDetails);
    if (details !== undefined) beatNow();
    return runWithHeartbeat(beatNow, () => activity(...args));
  };
}

export async function runWithHeartbeat<R>(
  beatNow: () => void,
  work: () => Promise<R>,
  everyMs = BEAT_INTERVAL_MS,
): Promise<R> {
  const beat = setInterval(beatNow, everyMs);
  try {
    return await work();
  } finally {
    clearInterval(beat);
  }
}

/** The answer; null if there is no such workflow, or, for a message, if it has ended. */
export async function nullIfNotFound<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** Whether the message reached a workflow that runs. */
export async function wasDelivered(message: Promise<unknown>): Promise<boolean> {
  return (await nullIfNotFound(message.then(() => true))) ?? false;
}
