/** The result and history endpoints (contract 4.4, 4.5): without a token; the id is enough. */
import type { FastifyInstance } from 'fastify';
import type { Job, JobInput } from '../job.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import type { History } from './answers.ts';
import { statusEnvelope } from './envelope.ts';
import type { Clock } from '../clock.ts';
import { parseFasta } from '../fasta.ts';

/** The job of a request_id. Throws the 404 of contract 7. */
export function findJob(services: Services, id: string): Job {
  const job = services.jobs.get(id);
  if (job?.service !== 'predictions') throw new Refusal(404, 'Request not found');
  return job;
}

export function resultRoutes(app: FastifyInstance, base: string, services: Services): void {
  const { jobs, clock, settings } = services;
  const earlier = settings.variant === 'earlier';

  app.get<{ Params: { id: string } }>(
    `${base}/results/:id/`,
    {
      config: { service: 'predictions', endpoint: 'results' },
    },
    (request, reply) => {
      const job = findJob(services, request.params.id);
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

  app.get<{ Params: { id: string } }>(
    `${base}/results/:id/history/`,
    { config: { service: 'predictions', endpoint: 'history' } },
    (request): History => historyOf(services, findJob(services, request.params.id)),
  );
}

function historyOf({ jobs, clock }: Services, { seq }: Job): History {
  const timeline = jobs.timeline.entries(seq).map(({ kind, at, state, progress, message }) => {
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

export function resultOf(services: Services, job: Job): { contentType: string; body: Buffer } {
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
