/** The website of the molecule service (contract 1.6, 2.4): the newest public jobs, and a page for each, which counts. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Services } from './admission.ts';
import type { MoleculeJob } from './engines/engine.ts';
import { findMolecule, MOLECULES } from './molecules.ts';
import { Refusal } from './refusal.ts';

const MAX_JOBS = 100;
const HEADERS = {
  'Content-Security-Policy': "default-src 'none'",
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
};

/** Text of users: isolated, so that control characters for the writing direction do not affect the page. */
function escapeHtml(text: string): string {
  const escaped = text.replace(/[&<>"']/g, (sign) => `&#${String(sign.charCodeAt(0))};`);
  return `<bdi>${escaped}</bdi>`;
}

function renderPage(reply: FastifyReply, title: string, rows: readonly string[]): string {
  void reply.type('text/html; charset=utf-8').headers(HEADERS);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Molecule jobs</title></head>
<body><h1>${title}</h1>
<table>${rows.map((row) => `<tr>${row}</tr>`).join('\n')}</table></body></html>
`;
}

export function addPublicPage(app: FastifyInstance, services: Services): void {
  const { jobs, clock } = services;
  const titleOf = (seq: number): string =>
    escapeHtml((jobs.input(seq).job as MoleculeJob).fileName);
  app.get(`${MOLECULES}/`, (_request, reply) => {
    const rows = jobs.published('molecules', MAX_JOBS).map(({ id, seq, state, views }) => {
      const link = `<a href="${MOLECULES}/jobs/${id}/">${titleOf(seq)}</a>`;
      return `<td>${link}</td><td>${state.toLowerCase()}</td><td>${String(views)} views</td>`;
    });
    return renderPage(reply, 'Public molecule jobs', rows);
  });
  app.get<{ Params: { id: string } }>(`${MOLECULES}/jobs/:id/`, (request, reply) => {
    const job = findMolecule(services, request.params.id);
    if (!job.public) throw new Refusal(404, 'Request not found');
    jobs.countView(job.seq);
    const { chargeMethod, netCharge, atomType } = jobs.input(job.seq).job as MoleculeJob;
    const facts = {
      State: job.error === null ? job.state.toLowerCase() : `failed: ${job.error}`,
      Options: `${chargeMethod}, ${atomType}, net charge ${String(netCharge ?? 'automatic')}`,
      Submitted: clock.format(job.queuedAt),
      Views: String(job.views + 1),
      Record: `${MOLECULES}/api/${job.id}/`,
    };
    const rows = Object.entries(facts).map(
      ([name, value]) => `<th>${name}</th><td>${escapeHtml(value ?? '')}</td>`,
    );
    return renderPage(reply, titleOf(job.seq), rows);
  });
}
