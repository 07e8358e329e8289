/** Converts item.json between memory and disk: snake_case keys, checked when read (docs/output-tree.md). */
import { z } from 'zod';
import { KINDS, SERVICES } from '../domain/item.ts';
import type { Timing } from '../domain/outcomes.ts';
import { FINAL_STATES, OPEN_STATES } from '../domain/states.ts';
import { attempt, attemptFromDisk, attemptToDisk } from './attempt-format.ts';
import { optionsFromDisk, optionsToDisk } from './item-options.ts';
import type { EarlierEnd, ItemRecord, RecordedInput } from './item-record.ts';
import { warningsOf } from './item-warnings.ts';
import { type StoreError, storeError } from './store-error.ts';

/** Raised when a reader of the former format would misunderstand the new one. */
const FORMAT = 1;

const digest = {
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  // Absent in a folder, and in trees written before ETags were recorded.
  etag: z.string().optional(),
};
const text = z.string().nullable();
const number = z.number().nullable();

/** Not `z.record`, which drops a column named `__proto__`. */
function dictionary<T>(value: z.ZodType<T>): z.ZodType<Readonly<Record<string, T>>> {
  return z.custom<Readonly<Record<string, T>>>(
    (found) =>
      typeof found === 'object' &&
      found !== null &&
      !Array.isArray(found) &&
      Object.values(found).every((one) => value.safeParse(one).success),
    'expected an object whose values all have the same shape',
  );
}

const timing = z.object({
  queued_at: text,
  started_at: text,
  finished_at: text,
  queue_wait_seconds: number,
  elapsed_seconds: number,
  left_seconds: number,
  time_limit_seconds: number,
  heartbeat_age_seconds: number,
});

const failure = z.object({ code: z.string(), message: z.string() }).nullable();

const earlier = z.object({
  state: z.enum(FINAL_STATES),
  error: failure,
  remote_id: text,
  job_name: text,
  submitted_at: text,
  finished_at: text,
  retried_at: z.string(),
});

const resultFrom = z.discriminatedUnion('type', [
  z.object({ type: z.literal('duplicate'), id: z.string() }),
  z.object({ type: z.literal('cache'), campaign: z.string(), id: z.string() }),
]);

const record = z.object({
  format: z.literal(FORMAT),
  id: z.string(),
  kind: z.enum(KINDS),
  state: z.enum([...OPEN_STATES, ...FINAL_STATES]),
  error: failure,
  input: z.object({
    name: z.string(),
    ...digest,
    original: z.object({ name: z.string(), ...digest }).optional(),
    names: dictionary(z.string()).optional(),
  }),
  options: z.unknown(),
  // Absent in trees written before work was shared between rows.
  job_options: z.unknown().optional(),
  work: text.default(null),
  result_from: resultFrom.optional(),
  // `not_checked` is for people.
  adopted: z.object({ input_known: z.boolean(), not_checked: z.string().optional() }).optional(),
  // Absent in trees written before `retry` existed.
  generation: z.int().nonnegative().default(0),
  job_number: z.int().nonnegative().default(0),
  earlier: z.array(earlier).default([]),
  email: text,
  title: text,
  // Absent without a title, and in trees written before titles were sent.
  job_label: z.string().optional(),
  service: z.enum(SERVICES),
  address: text,
  remote_id: text,
  // Absent if the campaign has one token only.
  credential: z.string().optional(),
  job_name: text,
  attempts: z.array(attempt),
  submitted_at: text,
  // Absent in trees written before these times were recorded.
  sent_at: text.default(null),
  answered_at: text.default(null),
  finished_at: text,
  timing: timing.nullable(),
  // `redacted` is absent if nothing was redacted, and in trees written before it was counted.
  files: dictionary(z.object({ ...digest, redacted: z.int().positive().optional() })),
  source: z.object({ file: z.string(), line: z.int() }),
  row: dictionary(z.string()),
  user: dictionary(z.string()),
  engine: z.string().optional(),
  // Written for readers; derived from the files.
  warnings: z.array(z.object({ code: z.string(), message: z.string() })).optional(),
});

/** The text of item.json. */
export function itemToDisk(item: ItemRecord): string {
  const warnings = warningsOf(item).map((warning) => ({ ...warning }));
  const disk: z.infer<typeof record> = {
    format: FORMAT,
    id: item.id,
    kind: item.kind,
    state: item.state,
    error: item.error,
    input: item.input,
    options: optionsToDisk(item.options),
    ...(item.jobOptions && { job_options: optionsToDisk(item.jobOptions) }),
    work: item.work,
    ...(item.resultFrom && { result_from: item.resultFrom }),
    ...(item.adopted && { adopted: adoptedToDisk(item.adopted) }),
    generation: item.generation,
    job_number: item.jobNumber,
    earlier: item.earlier.map(earlierToDisk),
    email: item.email,
    title: item.title,
    ...(item.jobLabel === undefined ? {} : { job_label: item.jobLabel }),
    service: item.service,
    address: item.address,
    remote_id: item.remoteId,
    ...(item.credential === undefined ? {} : { credential: item.credential }),
    job_name: item.jobName,
    attempts: item.attempts.map(attemptToDisk),
    submitted_at: item.submittedAt,
    sent_at: item.sentAt,
    answered_at: item.answeredAt,
    finished_at: item.finishedAt,
    timing: item.timing === null ? null : timingToDisk(item.timing),
    files: item.files,
    source: item.source,
    row: item.row,
    user: item.user,
    ...(item.engine === undefined ? {} : { engine: item.engine }),
    ...(warnings.length === 0 ? {} : { warnings }),
  };
  return `${JSON.stringify(disk, null, 2)}\n`;
}

/** @throws StoreError `STORE_RECORD_UNREADABLE` */
export function itemFromDisk(json: string, key: string): ItemRecord {
  try {
    const disk = record.parse(JSON.parse(json));
    const {
      format: _,
      warnings: __,
      job_number,
      remote_id,
      job_name,
      job_label,
      submitted_at,
      sent_at,
      answered_at,
      finished_at,
      engine,
      input,
      job_options,
      result_from,
      adopted,
      credential,
      ...same
    } = disk;
    return {
      ...same,
      input: inputFromDisk(input),
      ...(job_options === undefined ? {} : { jobOptions: optionsFromDisk(disk.kind, job_options) }),
      ...(result_from === undefined ? {} : { resultFrom: result_from }),
      ...(adopted && { adopted: { inputKnown: adopted.input_known } }),
      options: optionsFromDisk(disk.kind, disk.options),
      earlier: disk.earlier.map(earlierFromDisk),
      jobNumber: job_number,
      remoteId: remote_id,
      ...(credential === undefined ? {} : { credential }),
      jobName: job_name,
      ...(job_label === undefined ? {} : { jobLabel: job_label }),
      attempts: disk.attempts.map(attemptFromDisk),
      submittedAt: submitted_at,
      sentAt: sent_at,
      answeredAt: answered_at,
      finishedAt: finished_at,
      timing: disk.timing === null ? null : timingFromDisk(disk.timing),
      ...(engine === undefined ? {} : { engine }),
    };
  } catch (cause) {
    throw unreadable(key, cause);
  }
}

function inputFromDisk({
  original,
  names,
  ...same
}: z.infer<typeof record>['input']): RecordedInput {
  return { ...same, ...(original && { original }), ...(names && { names }) };
}

const NOT_CHECKED =
  'Input and options of the job are not known: the result was not compared with them, and `options` are those of the row or the defaults.';

function adoptedToDisk({ inputKnown }: NonNullable<ItemRecord['adopted']>) {
  return { input_known: inputKnown, ...(!inputKnown && { not_checked: NOT_CHECKED }) };
}

function earlierToDisk(end: EarlierEnd): z.infer<typeof earlier> {
  const { state, error } = end;
  return {
    state,
    error,
    remote_id: end.remoteId,
    job_name: end.jobName,
    submitted_at: end.submittedAt,
    finished_at: end.finishedAt,
    retried_at: end.retriedAt,
  };
}

function earlierFromDisk(disk: z.infer<typeof earlier>): EarlierEnd {
  const { state, error } = disk;
  return {
    state,
    error,
    remoteId: disk.remote_id,
    jobName: disk.job_name,
    submittedAt: disk.submitted_at,
    finishedAt: disk.finished_at,
    retriedAt: disk.retried_at,
  };
}

function timingToDisk(seen: Timing): z.infer<typeof timing> {
  return {
    queued_at: seen.queuedAt,
    started_at: seen.startedAt,
    finished_at: seen.finishedAt,
    queue_wait_seconds: seen.queueWaitSeconds,
    elapsed_seconds: seen.elapsedSeconds,
    left_seconds: seen.leftSeconds,
    time_limit_seconds: seen.timeLimitSeconds,
    heartbeat_age_seconds: seen.heartbeatAgeSeconds,
  };
}

function timingFromDisk(disk: z.infer<typeof timing>): Timing {
  return {
    queuedAt: disk.queued_at,
    startedAt: disk.started_at,
    finishedAt: disk.finished_at,
    queueWaitSeconds: disk.queue_wait_seconds,
    elapsedSeconds: disk.elapsed_seconds,
    leftSeconds: disk.left_seconds,
    timeLimitSeconds: disk.time_limit_seconds,
    heartbeatAgeSeconds: disk.heartbeat_age_seconds,
  };
}

function unreadable(key: string, cause: unknown): StoreError {
  const where =
    cause instanceof z.ZodError
      ? cause.issues.map((issue) => `${issue.path.join('.') || 'record'}: ${issue.message}`)
      : [cause instanceof Error ? cause.message : String(cause)];
  return storeError('STORE_RECORD_UNREADABLE', { case: 'item', key, faults: where }, cause);
}
