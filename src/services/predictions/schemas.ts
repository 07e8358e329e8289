/** Answers of the prediction service (contract section 2), read tolerantly: unknown keys are kept. */
import { z } from 'zod';
import { asObject } from '../../results/json.ts';
import { looseNumber, looseText, readLooseText } from '../tolerant.ts';

/** Contract 2.4. A duration is given in seconds and as a clock string; either may be missing. */
export const timingSchema = z.looseObject({
  queued_at: looseText,
  started_at: looseText,
  finished_at: looseText,
  queue_wait: looseText,
  queue_wait_seconds: looseNumber,
  elapsed_time: looseText,
  elapsed_seconds: looseNumber,
  left_time: looseText,
  left_seconds: looseNumber,
  time_limit: looseText,
  time_limit_seconds: looseNumber,
  heartbeat_age_seconds: looseNumber,
});

/** Contract 2.3: the body of 202 and 422; in the earlier variant only `status` or only `error`. */
const envelopeSchema = z.looseObject({
  status: looseText,
  progress: looseNumber,
  error: looseText,
  status_message: looseText,
  timing: z.unknown().optional(),
});
type Envelope = z.infer<typeof envelopeSchema>;

/** An answer that is not an object reads as an envelope of nulls. */
export function readEnvelope(json: unknown): Envelope {
  return envelopeSchema.parse(asObject(json) ?? {});
}

const ID_KEYS = ['request_id', 'requestId', 'id', 'uuid'] as const;
/** Wrappers that services put around an acknowledgement. */
const WRAPPER_KEYS = ['data', 'result', 'request'] as const;

/** The id of a request in an object that has one (contract 2.2); `task_id` is something else. */
export function readRequestId(json: unknown): string | null {
  const object = asObject(json);
  if (object === null) return null;
  for (const key of ID_KEYS) {
    const id = readLooseText(object[key]);
    if (id !== null && id.trim() !== '') return id.trim();
  }
  return null;
}

/** The id in an acknowledgement, also one level down. */
export function readAcknowledgedId(json: unknown): string | null {
  const object = asObject(json);
  const inside = WRAPPER_KEYS.map((key) => readRequestId(object?.[key]));
  return readRequestId(json) ?? inside.find((id) => id !== null) ?? null;
}
