/** Reads the timing of a job from its processing log (contract 2.6); the result itself has none. */
import type { Timing } from '../../domain/outcomes.ts';
import { asObject } from '../../results/json.ts';
import { parseBoundedJson } from '../bounded-json.ts';
import { readLooseText } from '../tolerant.ts';

/** null when the log has no state with a time. */
export function timingOfHistory(text: string): Timing | null {
  const log = asObject(parseBoundedJson(text));
  const entries = [log?.['history'], log?.['timeline']].flatMap((list) =>
    Array.isArray(list) ? list.map(asObject) : [],
  );
  const at = (...states: string[]): string | null => {
    const entry = entries.find((one) => states.includes(String(one?.['state']).toUpperCase()));
    return readLooseText(entry?.['timestamp']);
  };
  const [queuedAt, startedAt] = [at('ENQUEUED', 'QUEUED'), at('RUNNING')];
  const finishedAt = at('FINISHED', 'FAILED');
  return startedAt === null && finishedAt === null
    ? null
    : timingOf(queuedAt, startedAt, finishedAt);
}

/** The timing of an ended job with these times (ISO 8601). */
export function timingOf(
  queuedAt: string | null,
  startedAt: string | null,
  finishedAt: string | null,
): Timing {
  return {
    queuedAt,
    startedAt,
    finishedAt,
    queueWaitSeconds: seconds(queuedAt, startedAt),
    elapsedSeconds: seconds(startedAt, finishedAt),
    leftSeconds: null,
    timeLimitSeconds: null,
    heartbeatAgeSeconds: null,
  };
}

function seconds(from: string | null, to: string | null): number | null {
  const length = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1_000;
  return Number.isFinite(length) ? length : null;
}
