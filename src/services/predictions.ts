/** The prediction service (its contract: sections 2 to 9): sequences, alignments and NMR shifts, in both variants. */
import { z } from 'zod';
import type { Timing } from '../domain/outcomes.ts';
import { toObject, readLooseText } from '../kinds/json.ts';
import { looseNumber, looseText, readServiceWords } from './answers.ts';
import {
  type ListedJob,
  type Answer,
  type Auth,
  defineService,
  type FileRequest,
  type Json,
  type PollMeaning,
  type Request,
} from './service.ts';
import { EARLIER_NAMES } from '../kinds/vocabulary.ts';
import { alignment, sequence, shifts } from '../kinds/protein/index.ts';

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
function readEnvelope(json: unknown): z.infer<typeof envelopeSchema> {
  return envelopeSchema.parse(toObject(json) ?? {});
}

const ID_KEYS = ['request_id', 'requestId', 'id', 'uuid'] as const;

/** The id of a request in an object that has one (contract 2.2); `task_id` is something else. */
function readRequestId(json: unknown): string | null {
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
function readPastResults(json: unknown): PastResults {
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

/** With dashes: a server may route only UUIDs to the endpoint of results. */
const NO_JOB = '00000000-0000-0000-0000-000000000000';
const IN_HEADER: readonly Auth[] = [{ secret: 'token', in: 'header', name: 'x-service-token' }];
const IN_BODY: readonly Auth[] = [{ secret: 'token', in: 'body', name: 'token' }];

/** The path between `{base_url}` and the endpoints (contract, opening paragraph, and section 9.1). */
const BASE = { current: 'online_predictors', earlier: 'online-predictors' } as const;

/** '' at the end: every path needs its slash (contract 1.6). */
function buildApiRequest({ variant }: Config, ...path: readonly string[]) {
  return { path: [BASE[variant], 'api', ...path, ''] };
}

const PAST_RESULTS: Readonly<Record<string, string>> = {
  sequence: 'single-sequence',
  alignment: 'msa',
  shifts: 'shiftcrypt',
};

/** A job of this name exists already: the contract leaves open how it says so (section 7). */
const NAME_TAKEN =
  /job.?name.*\b(?:already|exists?|taken|used|uniq|duplicat)|duplicate (?:job|name)|name.*already/i;

const config = z.object({
  variant: z.enum(['current', 'earlier']).default('current').meta({
    description: '`earlier` for a server that still implements section 9 of the contract.',
  }),
});
type Config = z.output<typeof config>;

export const predictions = defineService({
  name: 'predictions',
  title: 'the prediction service',
  software: {
    name: 'b2bTools (Bio2Byte), behind the prediction service',
    url: 'https://bio2byte.be/b2btools/',
    citation: 'https://doi.org/10.1093/nar/gkab425',
    version: /"name":\s*"b2bTools",\s*"version":\s*"([\w.]+)"/,
  },
  kinds: [sequence, alignment, shifts],
  url: {
    description: 'Address of the service (base_url in its contract; the path of the API is added)',
    example: 'https://predictions.example.org',
  },
  secrets: {
    token: {
      description: 'Source of your token for this service.',
      env: 'HUNDREDFOLD_PREDICTION_TOKEN',
      example: 'secrets/prediction-token',
      // Contract section 8.
      maxLength: 100,
    },
  },
  config,
  variants: [{ variant: 'current' }, { variant: 'earlier' }],
  budget: {
    description: 'Maximum number of jobs in a rolling window.',
    // Contract section 8.
    windows: [{ limit: 100, window: '60m' }],
    maxOpen: 100,
  },
  pace: { every: '5s', atMost: '60s' },
  // Unique for a token (section 7), and at most 120 characters (section 8).
  identity: { by: 'name', maxLength: 120 },
  jobId: { ignoreCase: true },
  // The rule for names is stated for all three endpoints, though the table of `submit/msa/` does not list the field.
  submit: {
    request: {
      sequence: ({ name, options, input }, config) =>
        buildSubmission(config, 'single-sequence', {
          job_name: name,
          predictor_type: options.predictors
            .map((one) => (config.variant === 'earlier' ? (EARLIER_NAMES[one] ?? one) : one))
            .join(','),
          sequence: input.text,
        }),
      alignment: ({ name, input }, config) =>
        buildSubmission(config, 'msa', { job_name: name, msa_data: input.text }),
      shifts: ({ name, options, input }, config) => {
        const fields = { job_name: name, model_class: options.modelClass };
        const { originalNumbering } = options;
        if (config.variant === 'current') {
          const numbering = { original_numbering: originalNumbering };
          return buildSubmission(config, 'shiftcrypt', {
            ...fields,
            chemical_shifts: input.text,
            ...numbering,
          });
        }
        // Section 9.4: the shift file as multipart; the field's name gives its format.
        const field = input.name.toLowerCase().endsWith('.nef') ? 'nef_file' : 'nrm_star_file';
        const multipart = { ...fields, original_numbering: String(originalNumbering) };
        const { name: file, text } = input;
        const body = { multipart, files: { [field]: { name: file, text } } };
        return { ...buildApiRequest(config, 'submit', 'shiftcrypt'), auth: IN_BODY, body };
      },
    },
    answers: {
      '2xx': ({ json }) => {
        const id = readRequestId(json);
        return id === null ? null : { type: 'accepted', id };
      },
      '4xx': ({ text, isPage }) =>
        !isPage && NAME_TAKEN.test(readServiceWords(text) ?? '') ? { type: 'nameTaken' } : null,
    },
  },
  poll: {
    request: (id, config) => buildApiRequest(config, 'results', id),
    // Contract 4.4: the status gives the outcome; in the earlier variant the body does (9.5, 9.6).
    answers: ({ variant }) => ({
      200: variant === 'current' ? { type: 'finished' } : readEarlier,
      202: readRunning,
      422: ({ json, isPage }) => {
        if (isPage) return null;
        const { error, timing } = readEnvelope(json);
        return { type: 'failed', message: error, timing };
      },
      ...(variant === 'earlier' && { '4xx': readEarlierRefusal }),
    }),
  },
  fetch: {
    result: { request: (id, config) => buildApiRequest(config, 'results', id) },
    history: { request: (id, config) => buildApiRequest(config, 'results', id, 'history') },
    csv: describeDownload('csv'),
    metadata: describeDownload('metadata'),
    distributions: describeDownload('distributions'),
  },
  // Contract 4.7. The list of shift chains (4.8) has no job that this one does not have.
  list: {
    request: ({ kind }, config) => buildPastResultsRequest(kind, config, {}),
    answers: {
      200: ({ json }, { kind, config }) => {
        if (json === undefined) return null;
        const { jobs, next } = readPastResults(json);
        return { type: 'page', jobs, next: next && buildPastResultsRequest(kind, config, next) };
      },
    },
    // A list of 100,000 jobs has some 90 MB, and grows by 100 jobs an hour.
    maxBytes: 128 * 1024 * 1024,
  },
  probe: {
    request: (config) => buildApiRequest(config, 'results', NO_JOB),
    // Contract section 7.
    answers: {
      404: ({ json }) => {
        const error = toObject(json)?.['error'];
        const isKnown = typeof error === 'string' && /^request not found\b/i.test(error);
        return isKnown ? { type: 'right' } : null;
      },
    },
    submitPath: (config) => buildApiRequest(config, 'submit', 'single-sequence'),
  },
});

function buildPastResultsRequest(
  kind: string,
  config: Config,
  query: Readonly<Record<string, string>>,
): Request | null {
  const type = PAST_RESULTS[kind];
  return type === undefined
    ? null
    : { ...buildApiRequest(config, 'past-results', type), query, auth: IN_HEADER };
}

function buildSubmission(
  config: Config,
  endpoint: string,
  json: Readonly<Record<string, Json>>,
): Request {
  return { ...buildApiRequest(config, 'submit', endpoint), auth: IN_BODY, body: { json } };
}

/**
 * One of the two samples of this call in the contract (4.6) omits `/api/`: if the first path is unknown, the second is
 * tried. It costs one GET, and only at services that follow that sample.
 */
function describeDownload(format: string): FileRequest<Config> {
  const common = { query: { format }, auth: IN_HEADER };
  return {
    request: (id, config) => ({ ...buildApiRequest(config, 'results', id, 'download'), ...common }),
    answers: {
      404: (_, { id, config: { variant } }) => ({
        type: 'at',
        request: { path: [BASE[variant], 'results', id, 'download', ''], ...common },
      }),
    },
  };
}

function readRunning({ json, isPage }: Answer): PollMeaning | null {
  if (isPage) return null;
  const { progress, status_message: message, timing } = readEnvelope(json);
  return { type: 'running', progress, message, timing };
}

const UNFINISHED = new Set(['running', 'enqueued', 'queued', 'pending', 'started', 'received']);

/** Sections 9.5 and 9.6: the body decides, whatever the status code says. */
function readEarlier(answer: Answer): PollMeaning | null {
  const { json, isTooLarge } = answer;
  // `{"status":"RUNNING"}` and `{"error":…}` are short; what is too large to be read is a result.
  if (isTooLarge) return { type: 'finished' };
  const { error, status, results, ...others } = toObject(json) ?? {};
  if (results !== undefined) return { type: 'finished' };
  const hasOthers = Object.keys(others).length > 0;
  if (error != null && status === undefined && !hasOthers) {
    const message = typeof error === 'string' ? error : JSON.stringify(error);
    return { type: 'failed', message };
  }
  if (typeof status === 'string' && UNFINISHED.has(status.toLowerCase()))
    return readRunning(answer);
  // A payload that is not wrapped; an unknown word, or nothing, says nothing of a job that was paid for.
  const isResult = Array.isArray(json) ? json.length > 0 : hasOthers && typeof status !== 'string';
  return isResult ? { type: 'finished' } : null;
}

/** "A failure returns an object with only `error`" (section 9.6): the status is not shown. */
function readEarlierRefusal(answer: Answer): PollMeaning | null {
  // A gateway that refuses us says nothing of the job.
  if (answer.status === 401 || answer.status === 403) return null;
  const read = readEarlier(answer);
  return read?.type === 'failed' ? read : null;
}
