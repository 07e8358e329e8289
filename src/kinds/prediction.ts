/** What the results of the three kinds of predictions have in common: their files, and what is checked of each. */
import { engineOfHistory, timingOfHistory } from './protein/history.ts';
import { checkPrediction, type PredictionOptions } from './protein/check.ts';
import { checkDistributions } from './protein/files.ts';
import { isSynthetic } from './provenance.ts';
import { checkAnswer } from './check-answer.ts';
import type { Artefact, JobFacts } from './kind.ts';

export const RESULT = {
  result: {
    file: 'result.json',
    presence: 'required',
    check(bytes: Uint8Array, { options, input, remoteId }: JobFacts<unknown>) {
      const fault = checkAnswer('result', bytes, remoteId);
      if (fault !== null) return fault;
      const check = checkPrediction(bytes, options as PredictionOptions, input);
      return check.ok ? null : check;
    },
    describe: statedEngine,
  },
} as const satisfies Readonly<Record<string, Artefact<unknown>>>;

/** A result says whether it is synthetic; the processing log names other engines. */
function statedEngine(text: string) {
  return isSynthetic(Buffer.from(text)) ? { engine: 'synthetic' } : {};
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
    check(bytes: Uint8Array, { input, remoteId }: JobFacts<unknown>) {
      const fault = checkAnswer('distributions', bytes, remoteId);
      if (fault !== null) return fault;
      const check = checkDistributions(bytes, input);
      return check.ok ? null : check;
    },
  },
} as const satisfies Readonly<Record<string, Artefact<unknown>>>;

/** The contract does not show the content (4.6): the content type decides, CSV by default. */
function byType(name: string) {
  return (contentType: string | null): string => {
    const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    return `${name}.${type === 'application/json' || type.endsWith('+json') ? 'json' : 'csv'}`;
  };
}
