/** The result and history endpoints (contract 4.4, 4.5): without a token; the id is enough. */
import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { prefixFor } from '../behind-proxy.ts';
import { json, refusal, RETRY_AFTER } from '../answers.ts';
import type { Job } from '../job.ts';
import type { Variant } from '../options.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import {
  earlierFailureSchema,
  earlierStatusSchema,
  historySchema,
  predictionSchema,
  statusEnvelopeSchema,
  wrappedPredictionSchema,
  type History,
} from './answers.ts';
import { wrapEarlier } from './earlier.ts';
import { statusEnvelope } from './envelope.ts';

export const JOB_PATH = z.object({
  id: z.string().meta({ description: 'The request_id of the acknowledgement' }),
});
const NOT_FOUND = refusal('No request with that id');

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
      config: {
        service: 'predictions',
        endpoint: 'results',
        operation: resultOperation(settings.variant),
      },
    },
    (request, reply) => {
      const job = findJob(services, request.params.id);
      if (job.state === 'FAILED') {
        void reply.code(422);
        return earlier
          ? { error: job.error }
          : statusEnvelope(job, prefixFor(request, settings) + base, clock);
      }
      if (job.state !== 'FINISHED') {
        void reply.code(202).header('Retry-After', String(settings.retryAfterSeconds));
        return earlier
          ? { status: 'RUNNING' }
          : statusEnvelope(job, prefixFor(request, settings) + base, clock);
      }
      const { contentType, body } = resultOf(services, job);
      void reply.type(contentType);
      return earlier ? wrapEarlier(job, jobs.input(job.seq), body, clock) : body;
    },
  );

  app.get<{ Params: { id: string } }>(
    `${base}/results/:id/history/`,
    { config: { service: 'predictions', endpoint: 'history', operation: HISTORY } },
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

function resultOperation(variant: Variant): ZodOpenApiOperationObject {
  const earlier = variant === 'earlier';
  return {
    operationId: 'getResult',
    tags: ['results'],
    summary: 'The prediction, or how far it is (4.4)',
    requestParams: { path: JOB_PATH },
    responses: {
      200: json('Finished', earlier ? wrappedPredictionSchema : predictionSchema),
      202: json(
        'Waiting or running',
        earlier ? earlierStatusSchema : statusEnvelopeSchema,
        RETRY_AFTER,
      ),
      404: NOT_FOUND,
      422: json('The prediction failed', earlier ? earlierFailureSchema : statusEnvelopeSchema),
    },
  };
}

const HISTORY: ZodOpenApiOperationObject = {
  operationId: 'getHistory',
  tags: ['results'],
  summary: 'The processing log (4.5)',
  requestParams: { path: JOB_PATH },
  responses: { 200: json('State changes and progress notes', historySchema), 404: NOT_FOUND },
};
