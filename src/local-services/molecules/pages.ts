/**
 * The website of the molecule service (contract 1.6, 2.4): a list of the public jobs, and a page for each, with a view
 * counter. Plain HTML without scripts or external resources.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { z } from 'zod';
import { checked } from '../checked.ts';
import type { MoleculeJob } from '../engines/engine.ts';
import { html, Html } from '../html.ts';
import type { Job } from '../job.ts';
import { Refusal } from '../refusal.ts';
import type { Services } from '../services.ts';
import { findJob } from './records.ts';

const JOBS_A_PAGE = 100;

const STATES: Readonly<Record<Job['state'], string>> = {
  enqueued: 'waiting',
  RUNNING: 'running',
  FINISHED: 'finished',
  FAILED: 'failed',
};

const STYLE = new Html(`
  :root { color-scheme: light dark; }
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
  table { border-collapse: collapse; width: 100%; }
  th, td { text-align: left; vertical-align: top; padding: .4rem .8rem .4rem 0; border-bottom: 1px solid #8886; }
  bdi { overflow-wrap: anywhere; }
  .number { text-align: right; font-variant-numeric: tabular-nums; }
`);

/** `before`: jobs older than the one with this number. */
const query = z.object({
  before: z
    .string()
    .regex(/^\d{1,15}$/, 'before must be the number of a job.')
    .optional(),
});

function page(title: string, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <main>${body}</main>
      </body>
    </html> `;
}

/** Titles come from users: isolated, so that control characters for the writing direction do not affect the page. */
function titleOf(services: Services, job: Job): string {
  return (services.jobs.input(job.seq).job as MoleculeJob).fileName;
}

function listPage(base: string, services: Services, jobs: readonly Job[], before: number): Html {
  const rows = jobs.map(
    (job) =>
      html`<tr>
        <td>
          <a href="${base}/jobs/${job.id}/"><bdi>${titleOf(services, job)}</bdi></a>
        </td>
        <td>${STATES[job.state]}</td>
        <td>${moment(services, job)}</td>
        <td class="number">${job.views}</td>
      </tr>`,
  );
  const last = jobs.at(-1);
  const older =
    last !== undefined && jobs.length === JOBS_A_PAGE
      ? html`<p><a href="${base}/?before=${last.seq}">Older jobs</a></p>`
      : html``;
  const none = before === Number.MAX_SAFE_INTEGER ? 'No job is public yet.' : 'No older jobs.';
  const table = html`<table>
    <caption>
      Jobs whose submission asked to be listed, the newest first
    </caption>
    <thead>
      <tr>
        <th scope="col">Title</th>
        <th scope="col">State</th>
        <th scope="col">Submitted (UTC)</th>
        <th scope="col" class="number">Views</th>
      </tr>
    </thead>
    <tbody>
      ${rows}
    </tbody>
  </table>`;
  return page(
    'Public molecule jobs',
    html`<h1>Public molecule jobs</h1>
      ${jobs.length === 0 ? html`<p>${none}</p>` : table} ${older}`,
  );
}

function moment(services: Services, job: Job): Html {
  const iso = services.clock.iso(job.queuedAt);
  return html`<time datetime="${iso}">${iso.slice(0, 16).replace('T', ' ')}</time>`;
}

function jobPage(base: string, services: Services, job: Job): Html {
  const { fileName, chargeMethod, netCharge, atomType } = services.jobs.input(job.seq)
    .job as MoleculeJob;
  const rows = [
    ['State', job.error === null ? STATES[job.state] : `${STATES[job.state]}: ${job.error}`],
    ['Charge method', chargeMethod],
    ['Net charge', netCharge === null ? 'automatic' : String(netCharge)],
    ['Atom type', atomType],
    ['Views', String(job.views)],
  ].map(
    ([name = '', value = '']) =>
      html`<tr>
        <th scope="row">${name}</th>
        <td><bdi>${value}</bdi></td>
      </tr>`,
  );
  return page(
    `${fileName} - molecule job`,
    html`<h1><bdi>${fileName}</bdi></h1>
      <table>
        <tbody>
          ${rows}
          <tr>
            <th scope="row">Submitted (UTC)</th>
            <td>${moment(services, job)}</td>
          </tr>
        </tbody>
      </table>
      <p><a href="${base}/api/${job.id}/">The record with its files, as JSON</a></p>
      <p><a href="${base}/">All public jobs</a></p>`,
  );
}

function answer(reply: FastifyReply, { text }: Html): string {
  void reply.type('text/html; charset=utf-8').headers({
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
    'X-Content-Type-Options': 'nosniff',
    // Views are counted: a cache would hide them.
    'Cache-Control': 'no-store',
  });
  return text;
}

export function pageRoutes(app: FastifyInstance, base: string, services: Services): void {
  app.get(`${base}/`, (request, reply) => {
    const { before: text } = checked(query, request.query);
    const before = text === undefined ? Number.MAX_SAFE_INTEGER : Number(text);
    const jobs = services.jobs.published('molecules', before, JOBS_A_PAGE);
    return answer(reply, listPage(base, services, jobs, before));
  });
  app.get<{ Params: { id: string } }>(`${base}/jobs/:id/`, (request, reply) => {
    const job = findJob(services, request.params.id);
    if (!job.public) throw new Refusal(404, 'Request not found');
    services.jobs.countView(job.seq);
    return answer(
      reply,
      jobPage(base, services, {
        ...job,
        views: job.views + 1,
      }),
    );
  });
}
