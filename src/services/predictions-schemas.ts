/** Reads answers of the prediction service (contract section 2) tolerantly: unknown keys are kept. */
import { z } from 'zod';
import type { Timing } from '../domain/outcomes.ts';
import { toObject, readLooseText } from '../kinds/json.ts';
import { looseNumber, looseText } from './answers.ts';
import type { ListedJob } from './service.ts';

const timingSchema = z
  .looseObject({
    queued_at: looseText,
    started_at: looseText,
    finished_at: looseText,
    queue_wait_seconds: looseNumber,
    elapsed_seconds: looseNumber,
    left_seconds: looseNumber,
    time_limit_seconds: looseNumber,
    heartbeat_age_seconds: looseNumber,
  })
  .transform((block): Timing => ({
    queuedAt: block.queued_at,
    startedAt: block.started_at,
    finishedAt: block.finished_at,
    queueWaitSeconds: block.queue_wait_seconds,
    elapsedSeconds: block.elapsed_seconds,
    leftSeconds: block.left_seconds,
    timeLimitSeconds: block.time_limit_seconds,
    heartbeatAgeSeconds: block.heartbeat_age_seconds,
  }));

/** Contract 2.3: the body of 202 and 422; in the earlier variant only `status` or only `error`. */
const envelopeSchema = z.looseObject({
  progress: looseNumber,
  error: looseText,
  status_message: looseText,
  /** Contract 2.4: how long a job waited, runs and may run, and the age of its heartbeat. */
  timing: z
    .unknown()
    .optional()
    .transform((json) => (toObject(json) === null ? null : timingSchema.parse(json))),
});

/** An answer that is not an object reads as an envelope of nulls. */
export function readEnvelope(json: unknown): z.infer<typeof envelopeSchema> {
  return envelopeSchema.parse(toObject(json) ?? {});
}

const ID_KEYS = ['request_id', 'requestId', 'id', 'uuid'] as const;

/** The id of a request in an object that has one (contract 2.2); `task_id` is something else. */
export function readRequestId(json: unknown): string | null {
  const object = toObject(json);
  const ids = ID_KEYS.map((key) => readLooseText(object?.[key])?.trim() ?? '');
  return ids.find((id) => id !== '') ?? null;
}

/*
 * A list whose form the contract does not show (2.7, 4.7): a bare array, an array under any key, pages, an object keyed
 * by id. In any form, an entry is an object with a name and an id.
 */

const NAME_KEYS = ['job_name', 'jobName', 'name', 'label'] as const;
const DEPTH_LIMIT = 8;

/** If entries are keyed by id, a key counts as an id only when it looks like one: it contains a digit. */
const KEY_ID = /^(?=.*\d)[\w-]{6,}$/;

interface PastResults {
  readonly jobs: readonly ListedJob[];
  /** The query of the next page; null at the end of the list. */
  readonly next: Readonly<Record<string, string>> | null;
}

/** A page of the list of past results. */
export function readPastResults(json: unknown): PastResults {
  const jobs = findEntries(json).map(({ id, names, object }): ListedJob => {
    // Only these two fields of the timing block (2.4): there are tens of thousands of entries.
    const timing = toObject(object['timing']);
    return {
      id,
      names,
      state: readLooseText(object['status'] ?? object['state']),
      submittedAt: readLooseText(timing?.['queued_at']) ?? readLooseText(object['created_at']),
      finishedAt: readLooseText(timing?.['finished_at']),
    };
  });
  return { jobs, next: nextPage(json) };
}

interface Entry {
  readonly id: string;
  /** From all keys that may contain one. */
  readonly names: readonly string[];
  readonly object: Readonly<Record<string, unknown>>;
}

function findEntries(json: unknown): readonly Entry[] {
  const entries: Entry[] = [];
  visit(json, null, 0, (object, key) => {
    const id = readRequestId(object) ?? (key !== null && KEY_ID.test(key) ? key : null);
    if (id === null) return;
    const names = NAME_KEYS.flatMap((nameKey) => readLooseText(object[nameKey]) ?? []);
    if (names.length > 0 || isEntry(object)) entries.push({ id, names, object });
  });
  return entries;
}

/** The query of the next page, or null. Only the query: the host of such a link is often an internal one. */
function nextPage(json: unknown): Readonly<Record<string, string>> | null {
  const object = toObject(json);
  const places = [object, toObject(object?.['links']), toObject(object?.['pagination'])];
  for (const place of places) {
    const next = place?.['next'];
    if (typeof next !== 'string' || next === '') continue;
    const query = URL.parse(next, 'http://page.invalid/')?.searchParams;
    // A link that repeats the token is never stored, and our token is always sent.
    query?.delete('token');
    if (query && query.size > 0) return Object.fromEntries(query);
  }
  return null;
}

/** Without a name, an entry is recognised by a job's state or timing (contract 2.7). */
function isEntry(object: Readonly<Record<string, unknown>>): boolean {
  return 'timing' in object || 'status' in object || 'state' in object;
}

function visit(
  json: unknown,
  key: string | null,
  depth: number,
  entry: (object: Readonly<Record<string, unknown>>, key: string | null) => void,
): void {
  if (depth > DEPTH_LIMIT) return;
  if (Array.isArray(json)) {
    for (const item of json) visit(item, null, depth + 1, entry);
    return;
  }
  const object = toObject(json);
  if (object === null) return;
  entry(object, key);
  for (const [inner, value] of Object.entries(object))
    if (typeof value === 'object') visit(value, inner, depth + 1, entry);
}
