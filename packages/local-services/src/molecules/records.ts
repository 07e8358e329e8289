/** The status and the results endpoint of the molecule service (contract 2.3, 2.4, 4.3, 4.4). */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Job } from '../job.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';

/** 2.3, and `result_request` of 2.4. */
function requestRecord(job: Job, services: Services) {
  const { seq: id, id: hash_id, public: isPublic, state, error } = job;
  const record = { id, hash_id, public: isPublic };
  const location = `/api/${hash_id}/`;
  switch (state) {
    case 'FINISHED':
      return { ...record, location, status: 200, request_text: 'Your request has been processed.' };
    case 'FAILED':
      return {
        ...record,
        location,
        status: 422,
        request_text: `Your request has failed: ${error ?? ''}`,
      };
    default: {
      const pending = String(services.jobs.pending('molecules'));
      const request_text = `Your request is being processed. Processes still pending: ${pending}.`;
      return { ...record, location: 'not_available', status: 202, request_text };
    }
  }
}

/** Shown instead of the token of a public job, which identifies its owner. */
const HIDDEN_TOKEN = '*'.repeat(10);

/**
 * 2.4. A failed job is finished too, with the empty set that the engine's API returns on an exception: `results` is
 * `[{}]`, and `result_request` has the reason (docs/contract-choices.md). The file set is inserted as the stored bytes,
 * because parsing and serialising its megabyte would cost more than the rest of the response.
 */
function finishedRecord(job: Job, services: Services): Buffer {
  const { jobs, clock } = services;
  const head = {
    id: job.seq,
    creation_date: clock.iso(job.queuedAt),
    token: job.public ? HIDDEN_TOKEN : (jobs.details(job.seq)['token'] ?? ''),
    hash_id: job.id,
    log: jobs.engineLog(job.seq),
    views: job.views,
    result_request: requestRecord(job, services),
  };
  const files = jobs.output(job.seq, 'result')?.body ?? Buffer.from('{}');
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"results":[`),
    files,
    Buffer.from(']}'),
  ]);
}

export function findJob(services: Services, id: string): Job {
  const job = services.jobs.get(id);
  if (job?.service !== 'molecules') throw new Refusal(404, 'Request not found');
  return job;
}

export function recordRoutes(app: FastifyInstance, base: string, services: Services): void {
  const handler = (request: FastifyRequest<{ Params: { id: string } }>, reply: FastifyReply) => {
    const job = findJob(services, request.params.id);
    if (job.state === 'FINISHED' || job.state === 'FAILED') {
      void reply.type('application/json; charset=utf-8');
      return finishedRecord(job, services);
    }
    // No Retry-After: it is not in the contract of this service.
    void reply.code(202);
    return requestRecord(job, services);
  };
  const config = { service: 'molecules' } as const;
  app.get(`${base}/api/queue/:id/`, { config: { ...config, endpoint: 'status' } }, handler);
  app.get(`${base}/api/:id/`, { config: { ...config, endpoint: 'results' } }, handler);
}
