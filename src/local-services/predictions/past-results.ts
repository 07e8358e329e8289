/** The past-results endpoints (contract 4.7, 4.8): all jobs of a token, newest first. */
import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { ZodOpenApiOperationObject } from 'zod-openapi';
import { prefixFor } from '../behind-proxy.ts';
import { json, refusal } from '../answers.ts';
import { checked } from '../checked.ts';
import { ownerOf } from '../journal.ts';
import type { Job, RequestType } from '../job.ts';
import type { Services } from '../services.ts';
import { pastResultsSchema, shiftAlignmentSchema, type PastResults } from './answers.ts';
import { NO_TOKEN, ownerFromHeader, OWNER_HEADER } from './downloads.ts';
import { statusEnvelope } from './envelope.ts';
import { resultOf } from './results.ts';
import { alignmentQuery } from './schemas.ts';

const PATHS: readonly (readonly [path: string, RequestType, operationId: string])[] = [
  ['single-sequence', 'single_sequence', 'listSequences'],
  ['msa', 'msa', 'listAlignments'],
  ['shiftcrypt', 'shiftcrypt', 'listShifts'],
];

const PAST_RESULTS: ZodOpenApiOperationObject = {
  tags: ['past results'],
  summary: 'All requests of a token, the newest first (4.7)',
  requestParams: { header: OWNER_HEADER },
  responses: { 200: json('The requests', pastResultsSchema), 401: NO_TOKEN },
};
const SHIFT_ALIGNMENT: ZodOpenApiOperationObject = {
  operationId: 'listShiftChains',
  tags: ['past results'],
  summary: 'The chains of all finished shift predictions of a token (4.8)',
  requestParams: { query: alignmentQuery },
  responses: {
    200: json('The chains', shiftAlignmentSchema),
    400: refusal('The query parameter token is missing'),
  },
};

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
  for (const [path, requestType, operationId] of PATHS) {
    app.get(
      `${base}/past-results/${path}/`,
      { config: { ...config, operation: { ...PAST_RESULTS, operationId } } },
      (request, reply) => {
        const owner = ownerFromHeader(request);
        const root = prefixFor(request, services.settings) + base;
        const entryOf = (job: Job): PastResults[number] => ({
          job_name: job.jobName,
          ...statusEnvelope(job, root, services.clock),
        });
        const jobs = services.jobs.ofOwner('predictions', owner, requestType);
        const text = Readable.from(listText(jobs, entryOf), { highWaterMark: 1 });
        return reply.type(JSON_TYPE).send(text);
      },
    );
  }
  app.get(
    `${base}/past-results/shiftcrypt/alignment/`,
    { config: { ...config, operation: SHIFT_ALIGNMENT } },
    (request) => {
      const { token } = checked(alignmentQuery, request.query);
      return [...services.jobs.ofOwner('predictions', ownerOf(token), 'shiftcrypt')]
        .filter((job) => job.state === 'FINISHED')
        .map((job) => ({
          request_id: job.id,
          job_name: job.jobName,
          chains: chainsOf(services, job),
        }));
    },
  );
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
