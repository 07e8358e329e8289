/** The past-results endpoints (contract 4.7, 4.8): all jobs of a token, newest first. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { checked } from '../checked.ts';
import { ownerOf } from '../journal.ts';
import type { Job, RequestType } from '../job.ts';
import type { Services } from '../services.ts';
import type { PastResult } from './answers.ts';
import { ownerFromHeader } from './downloads.ts';
import { statusEnvelope } from './envelope.ts';
import { resultOf } from './results.ts';
import { alignmentQuery } from './schemas.ts';

const PATHS: readonly (readonly [path: string, RequestType])[] = [
  ['single-sequence', 'single_sequence'],
  ['msa', 'msa'],
  ['shiftcrypt', 'shiftcrypt'],
];

const JSON_TYPE = 'application/json; charset=utf-8';
/** Characters. */
const CHUNK_LENGTH = 64 * 1024;

/** The part of a ShiftCrypt chain that an alignment of past results needs. */
interface Chain {
  readonly ID_file?: unknown;
  readonly chainCode?: unknown;
  readonly sequence?: unknown;
  readonly seqCodes?: unknown;
}

export function pastResultRoutes(app: FastifyInstance, base: string, services: Services): void {
  const config = { service: 'predictions', endpoint: 'past-results' } as const;
  for (const [path, requestType] of PATHS) {
    app.get(`${base}/past-results/${path}/`, { config }, (request, reply) => {
      const owner = ownerFromHeader(request);
      const entryOf = (job: Job): PastResult => ({
        job_name: job.jobName,
        ...statusEnvelope(job, base, services.clock),
      });
      const jobs = services.jobs.ofOwner('predictions', owner, requestType);
      const text = Readable.from(listText(jobs, entryOf), { highWaterMark: 1 });
      return reply.type(JSON_TYPE).send(text);
    });
  }
  app.get(`${base}/past-results/shiftcrypt/alignment/`, { config }, (request) => {
    const { token } = checked(alignmentQuery, request.query);
    return [...services.jobs.ofOwner('predictions', ownerOf(token), 'shiftcrypt')]
      .filter((job) => job.state === 'FINISHED')
      .map((job) => ({
        request_id: job.id,
        job_name: job.jobName,
        chains: chainsOf(services, job),
      }));
  });
}

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
