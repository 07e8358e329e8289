/** The processing log of a prediction (contract 2.6): the timing and the engine of its job, which the result does not say. */
import type { Timing } from '../../domain/outcomes.ts';
import { asObject, parseBoundedJson, readLooseText } from '../json.ts';
import { engineStated } from '../provenance.ts';

/** null when the log has no state with a time. */
export function timingOfHistory(text: string): Timing | null {
  const entries = entriesOf(text);
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

/** From the processing log of a prediction (contract of the prediction service, 2.6). */
export function engineOfHistory(text: string): string | null {
  const messages = entriesOf(text).map((entry) => entry?.['message']);
  // The last attempt counts.
  const said = messages.filter((message) => typeof message === 'string').map(engineStated);
  return said.findLast((words) => words !== null) ?? null;
}

function entriesOf(text: string) {
  const log = asObject(parseBoundedJson(text));
  return [log?.['history'], log?.['timeline']].flatMap((list) =>
    Array.isArray(list) ? list.map(asObject) : [],
  );
}
