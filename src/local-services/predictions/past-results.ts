/** The past-results endpoints (contract 4.7, 4.8): everything that a token has asked for, the newest first. */
import type { FastifyInstance } from 'fastify';
import { ownerOf } from '../journal.ts';
import type { Job, RequestType } from '../job.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { ownerFromHeader } from './downloads.ts';
import { statusEnvelope } from './envelope.ts';
import { resultOf } from './results.ts';

const PATHS: readonly (readonly [string, RequestType])[] = [
  ['single-sequence', 'single_sequence'],
  ['msa', 'msa'],
  ['shiftcrypt', 'shiftcrypt'],
];

/** One chain of a ShiftCrypt result, what an alignment of past results needs of it. */
interface Chain {
  readonly ID_file?: unknown;
  readonly chainCode?: unknown;
  readonly sequence?: unknown;
  readonly seqCodes?: unknown;
}

export function pastResultRoutes(app: FastifyInstance, base: string, services: Services): void {
  const config = { service: 'predictions', endpoint: 'past-results' } as const;
  for (const [path, requestType] of PATHS) {
    app.get(`${base}/past-results/${path}/`, { config }, (request) => {
      const owner = ownerFromHeader(request);
      return services.jobs.ofOwner('predictions', owner, requestType).map((job) => ({
        job_name: job.jobName,
        ...statusEnvelope(job, base, services.clock),
      }));
    });
  }
  app.get<{ Querystring: { token?: unknown } }>(
    `${base}/past-results/shiftcrypt/alignment/`,
    { config },
    (request) => {
      const { token } = request.query;
      if (typeof token !== 'string' || token === '') {
        throw new Refusal(400, 'The query parameter token is required.');
      }
      return services.jobs
        .ofOwner('predictions', ownerOf(token), 'shiftcrypt')
        .filter((job) => job.state === 'FINISHED')
        .map((job) => ({
          request_id: job.id,
          job_name: job.jobName,
          chains: chainsOf(services, job),
        }));
    },
  );
}

function chainsOf(services: Services, job: Job): Chain[] {
  const result: unknown = JSON.parse(resultOf(services, job).body.toString());
  if (!Array.isArray(result)) return [];
  return (result as Chain[]).map(({ ID_file, chainCode, sequence, seqCodes }) => ({
    ID_file,
    chainCode,
    sequence,
    seqCodes,
  }));
}
