/** The result and history endpoints (contract 4.4, 4.5): no token; whoever holds the id can read. */
import type { FastifyInstance } from 'fastify';
import type { Job } from '../job.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { wrapEarlier } from './earlier.ts';
import { statusEnvelope } from './envelope.ts';

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
    { config: { service: 'predictions', endpoint: 'results' } },
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
    (request) => {
      const job = findJob(services, request.params.id);
      const timeline = jobs.entries(job.seq).map((entry) => {
        const timestamp = clock.iso(entry.at);
        return entry.kind === 'state'
          ? { kind: entry.kind, timestamp, state: entry.state, message: entry.message }
          : { kind: entry.kind, timestamp, progress: entry.progress, message: entry.message };
      });
      return {
        timeline,
        history: timeline.filter((entry) => entry.kind === 'state'),
        messages: timeline.filter((entry) => entry.kind === 'message'),
      };
    },
  );
}

export function resultOf(services: Services, job: Job): { contentType: string; body: Buffer } {
  const output = services.jobs.output(job.seq, 'result');
  if (output === undefined) throw new Error(`Job ${job.id} is finished without a result.`);
  return output;
}
