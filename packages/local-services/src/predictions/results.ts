/**
 * Reading the prediction service: results and history (contract 4.4, 4.5), without a token, as the id is enough;
 * downloads and past results (4.6 to 4.8), only for their owner.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { checked } from '../checked.ts';
import type { Clock } from '../clock.ts';
import type { OutputName } from '../engines/engine.ts';
import { parseFasta } from '../fasta.ts';
import type { Job, JobInput } from '../job.ts';
import { ownerOf } from '../journal.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { statusEnvelope } from './envelope.ts';
import { alignmentQuery, downloadQuery } from './schemas.ts';

type OfJob = FastifyRequest<{ Params: { id: string } }>;

/** The job of a request_id. Throws the 404 of contract 7. */
function findJob(services: Services, { params }: OfJob): Job {
  const job = services.jobs.get(params.id);
  if (job?.service !== 'predictions') throw new Refusal(404, 'Request not found');
  return job;
}

export function resultRoutes(app: FastifyInstance, base: string, services: Services): void {
  const { jobs, clock, settings } = services;
  const earlier = settings.variant === 'earlier';
  const config = { service: 'predictions' } as const;
  app.get(
    `${base}/results/:id/`,
    { config: { ...config, endpoint: 'results' } },
    (request: OfJob, reply) => {
      const job = findJob(services, request);
      if (job.state === 'FAILED') {
        void reply.code(422);
        return earlier ? { error: job.error } : statusEnvelope(job, base, clock);
      }
      if (job.state !== 'FINISHED') {
        void reply.code(202).header('Retry-After', String(settings.retryAfterSeconds));
        return earlier ? { status: 'RUNNING' } : statusEnvelope(job, base, clock);
      }
      const { contentType, body } = resultOf(services, job);
      void reply.type(contentType);
      return earlier ? wrapEarlier(job, jobs.input(job.seq), body, clock) : body;
    },
  );
  app.get(
    `${base}/results/:id/history/`,
    { config: { ...config, endpoint: 'history' } },
    (request: OfJob) => historyOf(services, findJob(services, request)),
  );
  const download = { config: { ...config, endpoint: 'download' } } as const;
  const handler = (request: OfJob, reply: FastifyReply): unknown =>
    downloadOf(services, base, request, reply);
  app.get(`${base}/results/:id/download/`, download, handler);
  // One sample of the contract omits `/api/` (4.6).
  app.get(`${base.replace(/\/api$/, '')}/results/:id/download/`, download, handler);
  pastResultRoutes(app, base, services);
}

/** 2.6 */
function historyOf({ jobs, clock }: Services, { seq }: Job) {
  const timeline = jobs.entries(seq).map(({ kind, at, state, progress, message }) => {
    const timestamp = clock.iso(at);
    return kind === 'state'
      ? { kind, timestamp, state, message }
      : { kind, timestamp, progress, message };
  });
  return {
    timeline,
    history: timeline.filter((entry) => entry.kind === 'state'),
    messages: timeline.filter((entry) => entry.kind === 'message'),
  };
}

function resultOf(services: Services, job: Job): { contentType: string; body: Buffer } {
  const output = services.jobs.output(job.seq, 'result');
  if (output === undefined) throw new Error(`Job ${job.id} is finished without a result.`);
  return output;
}

/** 9.5: the wrapper around a finished result. The prediction is inserted byte by byte. */
function wrapEarlier(job: Job, input: JobInput, prediction: Buffer, clock: Clock): Buffer {
  const head = {
    status: 'success',
    predictor: input.details['predictor_type'] ?? job.requestType,
    timestamp: clock.iso(job.finishedAt ?? job.updatedAt),
  };
  const sequence = JSON.stringify(sequenceOf(input));
  return Buffer.concat([
    Buffer.from(
      `${JSON.stringify(head).slice(0, -1)},"results":{"sequence":${sequence},"prediction":`,
    ),
    prediction,
    Buffer.from('}}'),
  ]);
}

/** The residues of a single record; FASTA text for several; the text of the file for shifts. */
function sequenceOf(input: JobInput): string {
  if (input.job.kind !== 'sequence') return input.original;
  const { records } = parseFasta(input.job.fasta);
  const [only] = records;
  return only !== undefined && records.length === 1 ? only.residues : input.original;
}

/** The owner's key from the header X-Service-Token (contract 5.3). Throws 401 without it. */
function ownerFromHeader(request: FastifyRequest): string {
  const token = request.headers['x-service-token'];
  if (typeof token !== 'string' || token === '') {
    throw new Refusal(401, 'The header X-Service-Token is required.');
  }
  return ownerOf(token);
}

type Format = z.infer<typeof downloadQuery>['format'];

const OUTPUT_OF: Readonly<Record<Exclude<Format, 'input'>, OutputName>> = {
  json: 'result',
  csv: 'csv',
  metadata: 'metadata',
  distributions: 'distributions',
};

/** 4.6: a finished result as a file. */
function downloadOf(
  services: Services,
  base: string,
  request: OfJob,
  reply: FastifyReply,
): unknown {
  const { jobs, clock, settings } = services;
  const owner = ownerFromHeader(request);
  const job = findJob(services, request);
  if (job.owner !== owner) throw new Refusal(403, 'The result belongs to another token.');
  const { format } = checked(downloadQuery, request.query);
  if (job.state === 'FAILED') {
    void reply.code(422);
    return statusEnvelope(job, base, clock);
  }
  if (job.state !== 'FINISHED') {
    const error = 'The result is not finished yet; nothing can be downloaded.';
    throw new Refusal(409, error, {}, { 'Retry-After': String(settings.retryAfterSeconds) });
  }
  const input = (): { contentType: string; body: Buffer } => ({
    contentType: 'text/plain; charset=utf-8',
    body: Buffer.from(jobs.input(job.seq).original),
  });
  const output = format === 'input' ? input() : jobs.output(job.seq, OUTPUT_OF[format]);
  if (output === undefined) throw new Refusal(404, `This result has no ${format}.`);
  const { contentType, body } = output;
  const name = `${job.id}.${ending(format, contentType)}`;
  void reply.type(contentType).header('Content-Disposition', `attachment; filename="${name}"`);
  return body;
}

function ending(format: Format, contentType: string): string {
  if (format === 'input') return 'input.txt';
  const type = contentType.startsWith('text/csv') ? 'csv' : 'json';
  return format === 'json' || format === 'csv' ? type : `${format}.${type}`;
}

/** 4.7, 4.8: all jobs of a token, newest first. */
function pastResultRoutes(app: FastifyInstance, base: string, services: Services): void {
  const { jobs, clock } = services;
  const config = { service: 'predictions', endpoint: 'past-results' } as const;
  for (const [path, requestType] of [
    ['single-sequence', 'single_sequence'],
    ['msa', 'msa'],
    ['shiftcrypt', 'shiftcrypt'],
  ] as const) {
    app.get(`${base}/past-results/${path}/`, { config }, (request, reply) => {
      const past = jobs.ofOwner('predictions', ownerFromHeader(request), requestType);
      const entryOf = (job: Job): object => ({
        job_name: job.jobName,
        ...statusEnvelope(job, base, clock),
      });
      const text = Readable.from(listText(past, entryOf), { highWaterMark: 1 });
      return reply.type('application/json; charset=utf-8').send(text);
    });
  }
  app.get(`${base}/past-results/shiftcrypt/alignment/`, { config }, (request) => {
    const { token } = checked(alignmentQuery, request.query);
    return [...jobs.ofOwner('predictions', ownerOf(token), 'shiftcrypt')]
      .filter((job) => job.state === 'FINISHED')
      .map((job) => ({
        request_id: job.id,
        job_name: job.jobName,
        chains: chainsOf(services, job),
      }));
  });
}

/** Characters. */
const CHUNK_LENGTH = 64 * 1024;

/** In chunks, as fast as the client reads them: the list of a token may be long, and a client may need its beginning. */
function* listText<T>(values: Iterable<T>, entryOf: (value: T) => unknown): Generator<string> {
  let text = '[';
  let separator = '';
  for (const value of values) {
    text += separator + JSON.stringify(entryOf(value));
    separator = ',';
    if (text.length < CHUNK_LENGTH) continue;
    yield text;
    text = '';
  }
  yield `${text}]`;
}

/** The part of ShiftCrypt chains that an alignment of past results needs. */
function chainsOf(services: Services, job: Job): object[] {
  const result: unknown = JSON.parse(resultOf(services, job).body.toString());
  if (!Array.isArray(result)) return [];
  return (result as Readonly<Record<string, unknown>>[]).map(
    ({ ID_file, chainCode, sequence, seqCodes }) => ({ ID_file, chainCode, sequence, seqCodes }),
  );
}
