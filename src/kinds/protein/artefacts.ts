/** The files of a finished prediction, what is checked of each, and what the processing log says (contract 2.6). */
import { checkPrediction, type PredictionOptions } from './check.ts';
import { withAnswerCheck, parseEngineStatement, isSynthetic } from '../provenance.ts';
import type { Artefact, JobFacts } from '../kind.ts';
import { NO_TIMING, type Timing } from '../../domain/outcomes.ts';
import { toObject, parseBoundedJson, readLooseText } from '../json.ts';

export const RESULT = {
  result: {
    file: 'result.json',
    presence: 'required',
    check: withAnswerCheck('result', (bytes, { options, input }: JobFacts<PredictionOptions>) =>
      checkPrediction(bytes, options, input),
    ),
    // The processing log names other engines.
    describe: (text: string) => (isSynthetic(text) ? { engine: 'synthetic' } : {}),
  },
} as const satisfies Readonly<Record<string, Artefact<PredictionOptions>>>;

/** They are compared with the result. */
export const COMPARED = {
  history: {
    file: 'history.json',
    presence: 'usual',
    when: 'ended',
    describe: (text: string) => ({ engine: readEngine(text), timing: readTiming(text) }),
  },
  csv: { file: 'result.csv', presence: 'usual' },
  metadata: { file: nameByType('metadata'), presence: 'usual' },
} as const satisfies Readonly<Record<string, Artefact<PredictionOptions>>>;

/** Fetched only on request. Not result.json or input.*: those are the result, and the input sent. */
export const EXTRA = {
  json: { file: 'downloaded.json', presence: 'optional' },
  input: { file: 'downloaded-input.txt', presence: 'optional' },
} as const satisfies Readonly<Record<string, Artefact<PredictionOptions>>>;

export const DISTRIBUTIONS = {
  distributions: { file: nameByType('distributions'), presence: 'usual' },
} as const satisfies Readonly<Record<string, Artefact<PredictionOptions>>>;

/** The contract does not show the content (4.6): the content type decides, CSV by default. */
function nameByType(name: string) {
  return (contentType: string | null): string => {
    const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    return `${name}.${type === 'application/json' || type.endsWith('+json') ? 'json' : 'csv'}`;
  };
}

/** From the processing log of a prediction (contract of the prediction service, 2.6); null if it has no times. */
export function readTiming(text: string): Timing | null {
  const entries = readLog(text);
  const at = (...states: string[]): string | null => {
    const entry = entries.find((one) => states.includes(String(one?.['state']).toUpperCase()));
    return readLooseText(entry?.['timestamp']);
  };
  const [queuedAt, startedAt] = [at('ENQUEUED', 'QUEUED'), at('RUNNING')];
  const finishedAt = at('FINISHED', 'FAILED');
  if (startedAt === null && finishedAt === null) return null;
  const queueWaitSeconds = countSeconds(queuedAt, startedAt);
  const elapsedSeconds = countSeconds(startedAt, finishedAt);
  return { ...NO_TIMING, queuedAt, startedAt, finishedAt, queueWaitSeconds, elapsedSeconds };
}

function countSeconds(from: string | null, to: string | null): number | null {
  const length = (Date.parse(to ?? '') - Date.parse(from ?? '')) / 1_000;
  return Number.isFinite(length) ? length : null;
}

/** From the same log; the last attempt counts. */
export function readEngine(text: string): string | null {
  const messages = readLog(text).map((entry) => entry?.['message']);
  const said = messages.filter((message) => typeof message === 'string').map(parseEngineStatement);
  return said.findLast((words) => words !== null) ?? null;
}

function readLog(text: string) {
  const log = toObject(parseBoundedJson(text));
  return [log?.['history'], log?.['timeline']].flatMap((list) =>
    Array.isArray(list) ? list.map(toObject) : [],
  );
}
