/**
 * The website of the molecule service (contract 1.6, 2.4): a list of the public jobs, and a page for each, with a view
 * counter. Plain HTML without scripts or external resources.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { checked } from '../checked.ts';
import type { MoleculeJob } from '../engines/engine.ts';
import type { Job } from '../job.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { findJob } from './records.ts';

const JOBS_A_PAGE = 100;
const STYLE =
  'body { font: 1rem/1.5 system-ui, sans-serif; color-scheme: light dark; max-width: 60rem; margin: 2rem auto } th, td { text-align: left; padding: .4rem .8rem .4rem 0 } bdi { overflow-wrap: anywhere }';
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
  'X-Content-Type-Options': 'nosniff',
  // Views are counted: a cache would hide them.
  'Cache-Control': 'no-store',
};

/** `before`: jobs older than the one with this number. */
const query = z.object({
  before: z
    .string()
    .regex(/^\d{1,15}$/, 'before must be the number of a job.')
    .optional(),
});

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Text of users: isolated, so that control characters for the writing direction do not affect the page. */
function isolated(text: string): string {
  return `<bdi>${escaped(text)}</bdi>`;
}

/** @param body HTML */
function answer(reply: FastifyReply, title: string, body: string): string {
  void reply.type('text/html; charset=utf-8').headers(HEADERS);
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8" /><title>${escaped(title)}</title><style>${STYLE}</style></head>
<body><main>${body}</main></body>
</html>
`;
}

function moleculeOf(services: Services, job: Job): MoleculeJob {
  return services.jobs.input(job.seq).job as MoleculeJob;
}

function stateOf({ state, error }: Job): string {
  const words = state === 'enqueued' ? 'waiting' : state.toLowerCase();
  return error === null ? words : `${words}: ${error}`;
}

function submitted(services: Services, job: Job): string {
  return services.clock.iso(job.queuedAt).slice(0, 16).replace('T', ' ');
}

export function pageRoutes(app: FastifyInstance, base: string, services: Services): void {
  listRoute(app, base, services);
  jobRoute(app, base, services);
}

function listRoute(app: FastifyInstance, base: string, services: Services): void {
  app.get(`${base}/`, (request, reply) => {
    const { before = String(Number.MAX_SAFE_INTEGER) } = checked(query, request.query);
    const jobs = services.jobs.published('molecules', Number(before), JOBS_A_PAGE);
    const rows = jobs.map((job) => {
      const title = isolated(moleculeOf(services, job).fileName);
      const state = job.state === 'FAILED' ? 'failed' : stateOf(job);
      return `<tr><td><a href="${base}/jobs/${job.id}/">${title}</a></td><td>${state}</td><td>${submitted(services, job)}</td><td class="number">${String(job.views)}</td></tr>`;
    });
    const last = jobs.length === JOBS_A_PAGE ? jobs.at(-1) : undefined;
    const older =
      last === undefined
        ? ''
        : `<p><a href="${base}/?before=${String(last.seq)}">Older jobs</a></p>`;
    const head = ['Title', 'State', 'Submitted (UTC)', 'Views'].map((name) => `<th>${name}</th>`);
    return answer(
      reply,
      'Public molecule jobs',
      `<h1>Public molecule jobs</h1>
<table>
<caption>Jobs whose submission asked to be listed, the newest first</caption>
<tr>${head.join('')}</tr>
${rows.join('\n')}
</table>
${rows.length === 0 ? '<p>No job is listed here.</p>' : older}`,
    );
  });
}

function jobRoute(app: FastifyInstance, base: string, services: Services): void {
  app.get<{ Params: { id: string } }>(`${base}/jobs/:id/`, (request, reply) => {
    const job = findJob(services, request.params.id);
    if (!job.public) throw new Refusal(404, 'Request not found');
    services.jobs.countView(job.seq);
    const { fileName, chargeMethod, netCharge, atomType } = moleculeOf(services, job);
    const facts = {
      State: stateOf(job),
      'Charge method': chargeMethod,
      'Net charge': netCharge === null ? 'automatic' : String(netCharge),
      'Atom type': atomType,
      Views: String(job.views + 1),
      'Submitted (UTC)': submitted(services, job),
    };
    const rows = Object.entries(facts).map(
      ([name, value]) => `<tr><th scope="row">${name}</th><td>${isolated(value)}</td></tr>`,
    );
    return answer(
      reply,
      `${fileName} - molecule job`,
      `<h1>${isolated(fileName)}</h1>
<table>${rows.join('\n')}</table>
<p><a href="${base}/api/${job.id}/">The record with its files, as JSON</a></p>
<p><a href="${base}/">All public jobs</a></p>`,
    );
  });
}
