/**
 * The prediction service: submissions (its contract, 4.1 to 4.3), results and history (4.4, 4.5), which need only the
 * id, and downloads and past results (4.6 to 4.8), only for the owner. Section 9 is the earlier variant.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { createDraft, type CheckedSubmission, type Services } from './admission.ts';
import type { Clock } from './clock.ts';
import { EARLIER_NAMES, PREDICTORS, type Predictor } from './contract.ts';
import type { OutputName } from './engines/engine.ts';
import { parseFasta, withHeader } from './fasta.ts';
import {
  ALIGNMENT_BODIES,
  checkForm,
  readForm,
  SEQUENCE_BODIES,
  SHIFTS_BODIES,
  readText,
  createTokenSchema,
  type Bodies,
  type Form,
} from './form.ts';
import type { Job, JobInput, RequestType } from './jobs.ts';
import { hashToken } from './journal.ts';
import type { Variant } from './options.ts';
import { checkInput, Refusal } from './refusal.ts';
import { detectFormat } from './star.ts';

/** By variant (contract, head and 9.1). */
const PATHS = { current: '/online_predictors/api', earlier: '/online-predictors/api' } as const;

type PredictionType = Exclude<RequestType, 'molecule'>;

interface Endpoint {
  readonly path: string;
  readonly requestType: PredictionType;
  readonly bodies: Readonly<Record<Variant, Bodies>>;
  readonly read: (form: Form, variant: Variant) => JobInput;
}

const ENDPOINTS: readonly Endpoint[] = [
  {
    path: 'single-sequence',
    requestType: 'single_sequence',
    bodies: { current: SEQUENCE_BODIES, earlier: SEQUENCE_BODIES },
    read: readSequences,
  },
  {
    path: 'msa',
    requestType: 'msa',
    bodies: { current: ALIGNMENT_BODIES, earlier: ALIGNMENT_BODIES },
    read: readAlignment,
  },
  { path: 'shiftcrypt', requestType: 'shiftcrypt', bodies: SHIFTS_BODIES, read: readShifts },
];

function readSequences({ fields, input }: Form, variant: Variant): JobInput {
  const predictor_type = readText(fields, 'predictor_type');
  const names = new Set(predictor_type?.split(',').map((name) => name.trim()));
  names.delete('');
  const own = (name: Predictor): string =>
    (variant === 'earlier' ? EARLIER_NAMES[name] : undefined) ?? name;
  const known = new Map<string, Predictor>(PREDICTORS.map((name) => [own(name), name]));
  const predictors = [...names].flatMap((name) => known.get(name) ?? []);
  const unknownPredictors = [...names].filter((name) => !known.has(name));
  const fasta = withHeader(input);
  const job = { kind: 'sequence', fasta, predictors, unknownPredictors } as const;
  return { job, original: input, details: { predictor_type } };
}

function readAlignment({ input }: Form): JobInput {
  const { plain, records } = parseFasta(input);
  if (plain !== '')
    throw new Refusal(400, 'The alignment must be FASTA text that begins with ">".');
  if (records.length < 2) throw new Refusal(400, 'The alignment must have at least two sequences.');
  const lengths = new Set(records.map(({ residues }) => residues.length));
  if (lengths.size > 1) {
    const words = 'The sequences of the alignment must be padded to the same length with "-"';
    throw new Refusal(400, `${words}; found lengths ${[...lengths].join(', ')}.`);
  }
  return { job: { kind: 'alignment', fasta: input }, original: input, details: {} };
}

function readShifts({ fields, input }: Form): JobInput {
  const modelClass = readText(fields, 'model_class') ?? '1';
  // A boolean in JSON, the text true or false in a multipart form (contract 4.3).
  const numbering = fields['original_numbering'] ?? true;
  const originalNumbering = numbering === true || numbering === 'true';
  const format = detectFormat(input);
  const job = { kind: 'shifts', text: input, format, modelClass, originalNumbering } as const;
  const details = { model_class: modelClass, original_numbering: String(originalNumbering) };
  return { job, original: input, details };
}

/**
 * A submission of the current variant as JSON.
 * @throws Refusal
 */
export function readPredictionSubmission(path: string, received: unknown): JobInput | null {
  const endpoint = ENDPOINTS.find((one) => one.path === path);
  const bodies = endpoint?.bodies.current;
  if (!endpoint || !bodies?.json) return null;
  return endpoint.read(checkForm(bodies.json, received, bodies), 'current');
}

type OfJob = FastifyRequest<{ Params: { id: string } }>;

export function addPredictionRoutes(app: FastifyInstance, services: Services): void {
  const base = PATHS[services.settings.variant];
  addSubmitRoutes(app, base, services);
  addResultRoutes(app, base, services);
  addPastResultRoutes(app, base, services);
}

function addSubmitRoutes(app: FastifyInstance, base: string, services: Services): void {
  const { settings, admission } = services;
  const { variant } = settings;
  for (const { path, requestType, bodies, read } of ENDPOINTS) {
    const config = { service: 'predictions', endpoint: 'submit', requestType } as const;
    app.post(`${base}/submit/${path}/`, { config }, async (request, reply) => {
      const draft = createDraft(request);
      const accepted = await admission.receive(draft, async (): Promise<CheckedSubmission> => {
        const form = await readForm(request, bodies[variant], draft);
        const { token, jobName: uniqueName } = form;
        return { token, uniqueName, input: read(form, variant) };
      });
      void reply.headers(accepted.headers);
      const { id: request_id, taskId: task_id } = accepted;
      if (variant === 'earlier') return { request_id, status: 'enqueued' };
      const message = 'The request was accepted and waits for a worker.';
      return { request_id, task_id, status: 'enqueued', message };
    });
  }
}

/** The job of a request_id. Throws the 404 of contract 7. */
function findJob({ jobs }: Services, { params }: OfJob): Job {
  const job = jobs.get(params.id);
  if (job?.service !== 'predictions') throw new Refusal(404, 'Request not found');
  return job;
}

function addResultRoutes(app: FastifyInstance, base: string, services: Services): void {
  const { jobs, clock, settings } = services;
  const isEarlier = settings.variant === 'earlier';
  const config = (endpoint: 'results' | 'history' | 'download') =>
    ({ config: { service: 'predictions', endpoint } }) as const;
  app.get(`${base}/results/:id/`, config('results'), (request: OfJob, reply) => {
    const job = findJob(services, request);
    if (job.state === 'FAILED') {
      void reply.code(422);
      return isEarlier ? { error: job.error } : describeStatus(job, base, clock);
    }
    if (job.state !== 'FINISHED') {
      void reply.code(202).header('Retry-After', String(settings.retryAfterSeconds));
      return isEarlier ? { status: 'RUNNING' } : describeStatus(job, base, clock);
    }
    const { contentType, body } = readResult(services, job);
    void reply.type(contentType);
    return isEarlier ? wrapEarlier(job, jobs.input(job.seq), body, clock) : body;
  });
  app.get(`${base}/results/:id/history/`, config('history'), (request: OfJob) =>
    describeHistory(services, findJob(services, request)),
  );
  const download = (request: OfJob, reply: FastifyReply): unknown =>
    sendDownload(services, base, request, reply);
  app.get(`${base}/results/:id/download/`, config('download'), download);
  // One sample of the contract omits `/api/` (4.6).
  app.get(`${base.replace(/\/api$/, '')}/results/:id/download/`, config('download'), download);
}

/** 2.6 */
function describeHistory({ jobs, clock }: Services, { seq }: Job) {
  const timeline = jobs.entries(seq).map(({ kind, at, state, progress, message }) => {
    const timestamp = clock.format(at);
    return kind === 'state'
      ? { kind, timestamp, state, message }
      : { kind, timestamp, progress, message };
  });
  const ofKind = (only: string) => timeline.filter(({ kind }) => kind === only);
  return { timeline, history: ofKind('state'), messages: ofKind('message') };
}

function readResult({ jobs }: Services, job: Job): { contentType: string; body: Buffer } {
  const output = jobs.output(job.seq, 'result');
  if (output === undefined) throw new Error(`Job ${job.id} is finished without a result.`);
  return output;
}

/** 9.5: the wrapper around a finished result. The prediction is inserted byte by byte. */
function wrapEarlier(job: Job, input: JobInput, prediction: Buffer, clock: Clock): Buffer {
  const head = {
    status: 'success',
    predictor: input.details['predictor_type'] ?? job.requestType,
    timestamp: clock.format(job.finishedAt ?? job.updatedAt),
  };
  // The residues of a single record; FASTA text for several; the text of the file for shifts.
  const records = input.job.kind === 'sequence' ? parseFasta(input.job.fasta).records : [];
  const single = records.length === 1 ? records[0]?.residues : undefined;
  const sequence = JSON.stringify(single ?? input.original);
  const start = `${JSON.stringify(head).slice(0, -1)},"results":{"sequence":${sequence},"prediction":`;
  return Buffer.concat([Buffer.from(start), prediction, Buffer.from('}}')]);
}

const headerToken = createTokenSchema('X-Service-Token');

/**
 * The owner's key from the header X-Service-Token (contract 5.3).
 * @throws Refusal 401 without it, 400 if it cannot be a token
 */
function readOwner({ headers }: FastifyRequest): string {
  const sent = headers['x-service-token'];
  if (typeof sent !== 'string' || sent === '')
    throw new Refusal(401, 'The header X-Service-Token is required.');
  // Node reads the bytes of a header as Latin-1.
  const text = Buffer.from(sent, 'latin1').toString('utf8');
  return hashToken(checkInput(headerToken, text.includes('\uFFFD') ? sent : text));
}

const FORMATS = ['json', 'csv', 'metadata', 'input', 'distributions'] as const;
const downloadQuery = z.object({
  format: z.enum(FORMATS, `format is required and must be one of ${FORMATS.join(', ')}.`),
});

/** 4.6: a finished result as a file. */
function sendDownload(
  services: Services,
  base: string,
  request: OfJob,
  reply: FastifyReply,
): unknown {
  const { jobs, clock, settings } = services;
  const owner = readOwner(request);
  const job = findJob(services, request);
  if (job.owner !== owner) throw new Refusal(403, 'The result belongs to another token.');
  const { format } = checkInput(downloadQuery, request.query);
  if (job.state === 'FAILED') {
    void reply.code(422);
    return describeStatus(job, base, clock);
  }
  if (job.state !== 'FINISHED') {
    const error = 'The result is not finished yet; nothing can be downloaded.';
    throw new Refusal(409, error, {}, { 'Retry-After': String(settings.retryAfterSeconds) });
  }
  const send = (body: Buffer, type: string, ending: string): Buffer => {
    const name = `attachment; filename="${job.id}.${ending}"`;
    void reply.type(type).header('Content-Disposition', name);
    return body;
  };
  if (format === 'input')
    return send(Buffer.from(jobs.input(job.seq).original), 'text/plain; charset=utf-8', 'txt');
  const output = jobs.output(job.seq, format === 'json' ? 'result' : (format satisfies OutputName));
  if (output === undefined) throw new Refusal(404, `This result has no ${format}.`);
  const type = output.contentType.startsWith('text/csv') ? 'csv' : 'json';
  const ending = format === type ? type : `${format}.${type}`;
  return send(output.body, output.contentType, ending);
}

const alignmentQuery = z.object({
  token: createTokenSchema('token', 'The query parameter token is required.'),
});

/** 4.7, 4.8: all jobs of a token, newest first. */
function addPastResultRoutes(app: FastifyInstance, base: string, services: Services): void {
  const { jobs, clock } = services;
  const config = { service: 'predictions', endpoint: 'past-results' } as const;
  for (const { path, requestType } of ENDPOINTS)
    app.get(`${base}/past-results/${path}/`, { config }, (request) =>
      jobs
        .ofOwner('predictions', readOwner(request), requestType)
        .map((job) => ({ job_name: job.jobName, ...describeStatus(job, base, clock) })),
    );
  app.get(`${base}/past-results/shiftcrypt/alignment/`, { config }, (request) => {
    const { token } = checkInput(alignmentQuery, request.query);
    return jobs
      .ofOwner('predictions', hashToken(token), 'shiftcrypt')
      .filter(({ state }) => state === 'FINISHED')
      .map((job) => {
        const { id: request_id, jobName: job_name } = job;
        return { request_id, job_name, chains: readChains(readResult(services, job).body) };
      });
  });
}

/** The part of ShiftCrypt chains that an alignment of past results needs. */
function readChains(result: Buffer): object[] {
  const chains: unknown = JSON.parse(result.toString());
  if (!Array.isArray(chains)) return [];
  return (chains as Readonly<Record<string, unknown>>[]).map(
    ({ ID_file, chainCode, sequence, seqCodes }) => ({ ID_file, chainCode, sequence, seqCodes }),
  );
}

/** The status envelope (2.3). */
function describeStatus(job: Job, base: string, clock: Clock) {
  return {
    request_id: job.id,
    status: job.state,
    request_type: job.requestType,
    progress: job.progress,
    attempt: job.attempt,
    created_at: clock.format(job.queuedAt),
    updated_at: clock.format(job.updatedAt),
    error: job.error,
    status_message: job.statusMessage,
    history_url: `${base}/results/${job.id}/history/`,
    timing: describeTiming(job, clock),
  };
}

/** `HH:MM:SS`; hours may have more than two digits. */
function formatClock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((value) => String(value).padStart(2, '0')).join(':');
}

function countSeconds(from: number, to: number): number {
  return Math.max(0, Math.floor((to - from) / 1000));
}

/** The timing block (2.4). Wall and left are computed from the rounded parts, so that the block is consistent. */
function describeTiming(job: Job, clock: Clock) {
  const { queuedAt, startedAt, finishedAt, heartbeatAt } = job;
  const end = finishedAt ?? clock.now();
  const wait = countSeconds(queuedAt, startedAt ?? end);
  const elapsed = startedAt === null ? 0 : countSeconds(startedAt, end);
  const limit = Math.round(job.timeLimitMs / 1000);
  const left = job.state === 'RUNNING' ? Math.max(0, limit - elapsed) : null;
  return {
    queued_at: clock.format(queuedAt),
    started_at: clock.format(startedAt),
    finished_at: clock.format(finishedAt),
    queue_wait: formatClock(wait),
    queue_wait_seconds: wait,
    elapsed_time: formatClock(elapsed),
    elapsed_seconds: elapsed,
    left_time: left === null ? null : formatClock(left),
    left_seconds: left,
    wall_time: formatClock(wait + elapsed),
    wall_seconds: wait + elapsed,
    time_limit: formatClock(limit),
    time_limit_seconds: limit,
    last_heartbeat_at: clock.format(heartbeatAt),
    // Fixed after the end: a finished job's worker is not silent.
    heartbeat_age_seconds: heartbeatAt === null ? null : countSeconds(heartbeatAt, end),
  };
}
