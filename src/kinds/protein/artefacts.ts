/** The files of a finished prediction, what is checked of each, and what the processing log says (contract 2.6). */
import { checkPrediction, type PredictionOptions } from './check.ts';
import { checkDistributions } from './files.ts';
import { checksAnswer, engineStated, isSynthetic } from '../provenance.ts';
import type { Artefact, JobFacts } from '../kind.ts';
import { NO_TIMING, type Timing } from '../../domain/outcomes.ts';
import { asObject, parseBoundedJson, readLooseText } from '../json.ts';

export const RESULT = {
  result: {
    file: 'result.json',
    presence: 'required',
    check: checksAnswer('result', (bytes, { options, input }: JobFacts<unknown>) =>
      checkPrediction(bytes, options as PredictionOptions, input),
    ),
    describe: statedEngine,
  },
} as const satisfies Readonly<Record<string, Artefact<unknown>>>;

/** A result says whether it is synthetic; the processing log names other engines. */
function statedEngine(text: string) {
  return isSynthetic(text) ? { engine: 'synthetic' } : {};
}

/** They are compared with the result. */
export const COMPARED = {
  history: {
    file: 'history.json',
    presence: 'usual',
    when: 'ended',
    describe: (text: string) => ({ engine: engineOfHistory(text), timing: timingOfHistory(text) }),
  },
  csv: { file: 'result.csv', presence: 'usual' },
  metadata: { file: byType('metadata'), presence: 'usual' },
} as const satisfies Readonly<Record<string, Artefact<unknown>>>;

/** Fetched only on request. Not result.json or input.*: those are the result, and the input sent. */
export const EXTRA = {
  json: { file: 'downloaded.json', presence: 'optional' },
  input: { file: 'downloaded-input.txt', presence: 'optional' },
} as const satisfies Readonly<Record<string, Artefact<unknown>>>;

export const DISTRIBUTIONS = {
  distributions: {
    file: byType('distributions'),
    presence: 'usual',
    check: checksAnswer('distributions', (bytes, { input }: JobFacts<unknown>) =>
      checkDistributions(bytes, input),
    ),
  },
} as const satisfies Readonly<Record<string, Artefact<unknown>>>;

/** The contract does not show the content (4.6): the content type decides, CSV by default. */
function byType(name: string) {
  return (contentType: string | null): string => {
    const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    return `${name}.${type === 'application/json' || type.endsWith('+json') ? 'json' : 'csv'}`;
  };
}

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
    ...NO_TIMING,
    queuedAt,
    startedAt,
    finishedAt,
    queueWaitSeconds: seconds(queuedAt, startedAt),
    elapsedSeconds: seconds(startedAt, finishedAt),
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
