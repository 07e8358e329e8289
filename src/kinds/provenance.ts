/**
 * What a result says of itself: which job it belongs to, what computed it, and whether it was computed at all.
 */
import { isOnLocalNetwork } from '../domain/hosts.ts';
import { toObject, readResultJson, createResultProblem, type ResultProblem } from './json.ts';
import type { JobFacts, ResultFault } from './kind.ts';

/** The check of an artefact with JSON: it names this job, if it names any, and passes `check`. */
export function withAnswerCheck<O>(
  name: string,
  check: (
    bytes: Uint8Array,
    job: JobFacts<O>,
  ) => ResultProblem | null | Promise<ResultProblem | null>,
) {
  return async (bytes: Uint8Array, job: JobFacts<O>): Promise<ResultFault | null> =>
    checkJobId(name, bytes, job.remoteId) ?? (await check(bytes, job));
}

/** Whether an answer names the requested job: `hash_id` (molecules, 2.4), `request_id` (predictions). */
const ID_KEYS = ['hash_id', 'hashId', 'request_id', 'requestId'] as const;
const HAS_ID = /"(?:hash_id|hashId|request_id|requestId)"/;

/**
 * An answer need not name its job: then there is nothing to compare.
 * @param name of the answer, for the message
 * @param remoteId of the requested job
 */
export function checkJobId(
  name: string,
  answer: Uint8Array | string,
  remoteId: string,
): ResultProblem | null {
  const text = typeof answer === 'string' ? answer : new TextDecoder().decode(answer);
  // Most answers are long and contain no id.
  if (!HAS_ID.test(text)) return null;
  const read = readResultJson(text);
  const other = read.ok ? listIds(read.json).find((id) => !isSame(id, remoteId)) : undefined;
  if (other === undefined) return null;
  const shown = JSON.stringify(other.slice(0, 80));
  const message = `The service was asked for the ${name} of job ${remoteId} and sent that of job ${shown}.`;
  return createResultProblem('RESULT_OTHER_JOB', message);
}

/** At the top, in the request repeated in a record, and in metadata. */
function listIds(json: unknown): string[] {
  const tops: readonly unknown[] = Array.isArray(json) ? json : [json];
  return tops.flatMap((top) => {
    const object = toObject(top);
    return [object, toObject(object?.['result_request']), toObject(object?.['metadata'])].flatMap(
      (one) => ID_KEYS.flatMap((key) => toTexts(one?.[key])),
    );
  });
}

function toTexts(value: unknown): string[] {
  return typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [];
}

/** A UUID may be written in upper or lower case. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.trim().toLowerCase();
}

/**
 * What computed a result, if the service reports it. This project's own services state it explicitly; ACPYPE prints its
 * version at the head of each log, on any service.
 */
const STATEMENT = /^engine: (.+)$/m;
const BANNER = /^\| ACPYPE: AnteChamber PYthon Parser interfacE v\. (\S+)/m;
/** A statement is on a line of its own, and is not long. */
const LENGTH = 200;

/** The engine's own statement; null without one. `synthetic` is never mistaken for science. */
export function parseEngineStatement(text: string): string | null {
  const words = STATEMENT.exec(text)?.[1]?.trim().slice(0, LENGTH) ?? null;
  return words?.startsWith('synthetic,') === true ? 'synthetic' : words;
}

/** From the log of a molecule; null if it has none. */
export function findEngine(log: string): string | null {
  const banner = BANNER.exec(log)?.[1];
  return parseEngineStatement(log) ?? (banner === undefined ? null : `ACPYPE ${banner}`);
}

/**
 * Whether a result is labelled as not computed: the local services' synthetic engine labels every payload
 * (packages/local-services/choices.md). Such a result is good for a test, and must never be mistaken for science later.
 */
const LABEL = /"synthetic":\s*true|\bSYNTHETIC: shape only/;

/** Whether the label is accepted: a remote service that sends it has not computed the requested job. */
export function canBeSynthetic({ hostname }: URL): boolean {
  return isOnLocalNetwork(hostname);
}

export function isSynthetic(result: Uint8Array | string): boolean {
  const text = typeof result === 'string' ? result : Buffer.from(result).toString('latin1');
  return LABEL.test(text);
}
