/** The status and the results endpoint of the molecule service (contract 2.3, 2.4, 4.3, 4.4). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Job } from '../job.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';

/** 2.3, and `result_request` of 2.4. */
function requestRecord(job: Job, services: Services): Record<string, unknown> {
  const record = { id: job.seq, hash_id: job.id, public: false };
  switch (job.state) {
    case 'FINISHED':
      return {
        ...record,
        request_text: 'Your request has been processed.',
        location: `/api/${job.id}/`,
        status: 200,
      };
    case 'FAILED':
      return {
        ...record,
        request_text: `Your request has failed: ${job.error ?? ''}`,
        location: `/api/${job.id}/`,
        status: 422,
      };
    default: {
      const pending = String(services.jobs.pending('molecules'));
      return {
        ...record,
        request_text: `Your request is being processed. Processes still pending: ${pending}.`,
        location: 'not_available',
        status: 202,
      };
    }
  }
}

/**
 * 2.4. A failed job is done too, with the empty set that the engine's API returns on an exception: `results` is
 * `[{}]`, and `result_request` says why (docs/contract-choices.md).
 */
function finishedRecord(job: Job, services: Services): Record<string, unknown> {
  const { jobs, clock } = services;
  const result = jobs.output(job.seq, 'result');
  return {
    id: job.seq,
    creation_date: clock.iso(job.queuedAt),
    token: jobs.input(job.seq).details['token'],
    hash_id: job.id,
    log: jobs.engineLog(job.seq),
    views: 0,
    result_request: requestRecord(job, services),
    results: [result === undefined ? {} : (JSON.parse(result.body.toString()) as object)],
  };
}

export function recordRoutes(app: FastifyInstance, base: string, services: Services): void {
  const handler = (
    request: FastifyRequest<{ Params: { id: string } }>,
    reply: FastifyReply,
  ): Record<string, unknown> => {
    const job = services.jobs.get(request.params.id);
    if (job?.service !== 'molecules') throw new Refusal(404, 'Request not found');
    if (job.state === 'FINISHED' || job.state === 'FAILED') return finishedRecord(job, services);
    // No Retry-After: the contract of this service knows none.
    void reply.code(202);
    return requestRecord(job, services);
  };
  const status = { service: 'molecules', endpoint: 'status' } as const;
  const results = { service: 'molecules', endpoint: 'results' } as const;
  app.get(`${base}/api/queue/:id/`, { config: status }, handler);
  app.get(`${base}/api/:id/`, { config: results }, handler);
}
