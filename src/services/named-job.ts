/** Whether an answer names the requested job: `hash_id` (molecules, 2.4), `request_id` (predictions). */
import { asObject } from '../results/json.ts';
import { readResultJson } from '../results/result-json.ts';
import { RESULT_PROBLEMS, resultProblem, type ResultProblem } from '../results/result-problems.ts';

const ID_KEYS = ['hash_id', 'hashId', 'request_id', 'requestId'] as const;
const HAS_ID = /"(?:hash_id|hashId|request_id|requestId)"/;

/**
 * An answer need not name its job: then there is nothing to compare.
 * @param name of the answer, for the message
 * @param remoteId of the requested job
 */
export function otherJob(name: string, text: string, remoteId: string): ResultProblem | null {
  // Most answers are long and contain no id.
  if (!HAS_ID.test(text)) return null;
  const read = readResultJson(text);
  const other = read.ok ? idsIn(read.json).find((id) => !isSame(id, remoteId)) : undefined;
  if (other === undefined) return null;
  const shown = JSON.stringify(other.slice(0, 80));
  const message = `The service was asked for the ${name} of job ${remoteId} and sent that of job ${shown}.`;
  return resultProblem(RESULT_PROBLEMS.otherJob, message);
}

/** At the top, in the request repeated in a record, and in metadata. */
function idsIn(json: unknown): string[] {
  const tops: readonly unknown[] = Array.isArray(json) ? json : [json];
  return tops.flatMap((top) => {
    const object = asObject(top);
    return [object, asObject(object?.['result_request']), asObject(object?.['metadata'])].flatMap(
      (one) => ID_KEYS.flatMap((key) => textOf(one?.[key])),
    );
  });
}

function textOf(value: unknown): string[] {
  return typeof value === 'string' && value.trim() !== '' ? [value.trim()] : [];
}

/** A UUID may be written in upper or lower case. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.trim().toLowerCase();
}
