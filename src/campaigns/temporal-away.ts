/**
 * Handles a Temporal server that dies during a call. It comes back (ours is restarted at once), so calls that can be
 * repeated are retried; if there is no answer in time, the error says so instead of reporting a bug.
 */
import { setTimeout as delay } from 'node:timers/promises';
import type { ErrorCode } from '../domain/error-codes/registry.ts';
import { codedError, HundredfoldError } from '../domain/errors.ts';
import { reasonOf } from '../domain/plain-text.ts';
import type { Session } from '../host/session.ts';
import { Deadline } from '../domain/deadline.ts';
import { isTemporalAway } from '../temporal/grpc-status.ts';

/** A killed server is back within seconds; if a remote one is away for longer, this is reported. */
const PATIENCE_MS = 60_000;

export function temporalAway(cause: unknown): HundredfoldError {
  return codedError(
    'TEMPORAL_UNREACHABLE',
    { case: 'during the command', reason: reasonOf(cause) },
    cause,
  );
}

/** A server that dies again while it is being started or taken over: once more. */
const DIED_AGAIN: readonly string[] = [
  'TEMPORAL_NOT_STARTED',
  'TEMPORAL_NOT_HEALTHY',
  'TEMPORAL_UNREACHABLE',
] satisfies ErrorCode[];
/** Then something prevents it from running, and its error is reported. */
const MOST_DEATHS = 5;
const BETWEEN_MS = 1_000;

/** Returns when Temporal can be used again. Throws if it cannot come back. */
export async function recover(session: Session): Promise<void> {
  for (let deaths = 1; ; deaths += 1) {
    try {
      await session.recover();
      return;
    } catch (error) {
      const died = error instanceof HundredfoldError && DIED_AGAIN.includes(error.code);
      if (deaths >= MOST_DEATHS || !(died || isTemporalAway(error))) throw error;
      await delay(BETWEEN_MS);
    }
  }
}

/** @param ask may be called again although an earlier call has done its work: starting, which finds what runs. */
export async function retryWhileAway<T>(
  session: Session,
  signal: AbortSignal,
  ask: () => Promise<T>,
): Promise<T> {
  const deadline = new Deadline(PATIENCE_MS);
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!isTemporalAway(error) || signal.aborted || deadline.hasPassed) throw error;
      await recover(session);
    }
  }
}
