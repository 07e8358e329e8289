/** The download endpoint (contract 4.6): a finished result as a file, only for its owner. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { checked } from '../checked.ts';
import type { OutputName } from '../engines/engine.ts';
import { ownerOf } from '../journal.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { statusEnvelope } from './envelope.ts';
import { findJob } from './results.ts';
import { downloadQuery } from './schemas.ts';

type Format = z.infer<typeof downloadQuery>['format'];

const OUTPUT_OF: Readonly<Record<Exclude<Format, 'input'>, OutputName>> = {
  json: 'result',
  csv: 'csv',
  metadata: 'metadata',
  distributions: 'distributions',
};

/** The owner's key from the header X-Service-Token (contract 5.3). Throws 401 without it. */
export function ownerFromHeader(request: FastifyRequest): string {
  const token = request.headers['x-service-token'];
  if (typeof token !== 'string' || token === '') {
    throw new Refusal(401, 'The header X-Service-Token is required.');
  }
  return ownerOf(token);
}

export function downloadRoutes(app: FastifyInstance, base: string, services: Services): void {
  const handler = (
    request: FastifyRequest<{ Params: { id: string }; Querystring: unknown }>,
    reply: FastifyReply,
  ): unknown => {
    const owner = ownerFromHeader(request);
    const job = findJob(services, request.params.id);
    if (job.owner !== owner) throw new Refusal(403, 'The result belongs to another token.');
    const { format } = checked(downloadQuery, request.query);
    if (job.state === 'FAILED') {
      void reply.code(422);
      return statusEnvelope(job, base, services.clock);
    }
    if (job.state !== 'FINISHED') {
      throw new Refusal(
        409,
        'The result is not finished yet; nothing can be downloaded.',
        {},
        {
          'Retry-After': String(services.settings.retryAfterSeconds),
        },
      );
    }
    const output =
      format === 'input'
        ? {
            contentType: 'text/plain; charset=utf-8',
            body: Buffer.from(services.jobs.input(job.seq).original),
          }
        : services.jobs.output(job.seq, OUTPUT_OF[format]);
    if (output === undefined) throw new Refusal(404, `This result has no ${format}.`);
    void reply
      .type(output.contentType)
      .header(
        'Content-Disposition',
        `attachment; filename="${job.id}.${ending(format, output.contentType)}"`,
      );
    return output.body;
  };
  const config = { service: 'predictions', endpoint: 'download' } as const;
  app.get(`${base}/results/:id/download/`, { config }, handler);
  // One sample of the contract omits `/api/` (4.6).
  app.get(`${base.replace(/\/api$/, '')}/results/:id/download/`, { config }, handler);
}

function ending(format: Format, contentType: string): string {
  if (format === 'input') return 'input.txt';
  const type = contentType.startsWith('text/csv') ? 'csv' : 'json';
  return format === 'json' || format === 'csv' ? type : `${format}.${type}`;
}
