import type { ServerResponse } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Kind } from '../../../src/domain/item.ts';
import type { ListOutcome } from '../../../src/domain/outcomes.ts';
import { createMoleculesClient } from '../../../src/services/molecules/client.ts';
import { createPredictionsClient } from '../../../src/services/predictions/client.ts';
import { quiet, TOKEN } from '../jobs.ts';
import { httpServer, json, type ScriptedServer, type SeenRequest } from '../scripted-server.ts';

async function listAt(
  server: Pick<ScriptedServer, 'url'>,
  { kind = 'sequence', token = TOKEN }: { kind?: Kind; token?: string } = {},
): Promise<ListOutcome> {
  const client = createPredictionsClient({ url: server.url, variant: 'current', token });
  try {
    return await client.list(kind, quiet());
  } finally {
    await client.close();
  }
}

async function listed(body: unknown, status = 200): Promise<ListOutcome> {
  await using server = await httpServer((_, response) => json(response, status, body));
  return await listAt(server);
}

const QUEUED = '2026-11-20T10:00:00+00:00';
const FINISHED = '2026-11-20T10:01:00+00:00';
const ENTRY = {
  request_id: 'job-0001',
  job_name: 'mine',
  status: 'FINISHED',
  timing: { queued_at: QUEUED, finished_at: FINISHED },
};
const JOB = {
  kind: 'sequence',
  remoteId: 'job-0001',
  jobName: 'mine',
  state: 'FINISHED',
  submittedAt: QUEUED,
  finishedAt: FINISHED,
};

describe('the list of past results (contract 4.7)', () => {
  test.each([
    ['a bare array', [ENTRY]],
    ['an array under a key', { results: [ENTRY] }],
    ['an object keyed by id', { 'job-0001': { ...ENTRY, request_id: undefined } }],
  ])('is read from %s', async (_, body) => {
    expect(await listed(body)).toEqual({ type: 'listed', jobs: [JOB] });
  });

  test('is read page by page, each job once', async () => {
    const pages = [
      { results: [ENTRY], next: '?page=2' },
      { results: [ENTRY, { ...ENTRY, request_id: 'job-0002' }], next: null },
    ];
    await using server = await httpServer((request, response) =>
      json(response, 200, pages[request.path.includes('page=2') ? 1 : 0]),
    );
    const outcome = await listAt(server);
    expect(outcome.type === 'listed' && outcome.jobs.map(({ remoteId }) => remoteId)).toEqual([
      'job-0001',
      'job-0002',
    ]);
  });

  test('returns null for what an entry does not contain', async () => {
    const { timing, job_name: _, ...bare } = ENTRY;
    expect(timing.queued_at).toBe(QUEUED);
    expect(await listed([{ ...bare, created_at: QUEUED }])).toEqual({
      type: 'listed',
      jobs: [{ ...JOB, jobName: null, finishedAt: null }],
    });
  });

  test('that breaks off has not been read', async () => {
    await using server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`[${JSON.stringify(ENTRY)},`, () => response.destroy());
    });
    expect(await listAt(server)).toMatchObject({ type: 'unavailable' });
  });

  test('is unsupported if the service has none, and unavailable if it does not answer', async () => {
    expect(await listed({ error: 'no' }, 404)).toMatchObject({ type: 'unsupported' });
    expect(await listed({ error: 'busy' }, 503)).toMatchObject({ type: 'unavailable' });
    expect(await listAt({ url: 'http://127.0.0.1:1' })).toMatchObject({ type: 'unavailable' });
  });

  test('does not exist at the molecule service, and nothing is requested', async () => {
    await using server = await httpServer((_, response) => json(response, 200, []));
    const client = createMoleculesClient({ url: server.url, token: 'moleculeT0' });
    expect(await client.list('molecule', quiet())).toMatchObject({ type: 'unsupported' });
    expect(server.requests).toEqual([]);
    await client.close();
  });
});

describe('the list of shift chains (contract 4.8)', () => {
  /** Needs escaping in a query. */
  const SECRET = 'q&9 se/cret+tok=n';
  const CHAINS = { request_id: 'job-0002', job_name: 'by chains', chains: [{ chainCode: 'A' }] };

  /** Answers the list of shift predictions with one job, and the list of their chains as given. */
  async function shiftsListed(
    chains: (response: ServerResponse) => void,
  ): Promise<{ outcome: ListOutcome; requests: readonly SeenRequest[] }> {
    await using server = await httpServer((request, response) => {
      if (request.path.includes('/shiftcrypt/alignment/')) chains(response);
      else json(response, 200, [ENTRY]);
    });
    return {
      outcome: await listAt(server, { kind: 'shifts', token: SECRET }),
      requests: server.requests,
    };
  }

  test('adds jobs that are missing in the list of shift predictions; its token is in the query', async () => {
    const { outcome, requests } = await shiftsListed((response) =>
      json(response, 200, [{ ...CHAINS, request_id: 'job-0001' }, CHAINS]),
    );
    const bare = { state: null, submittedAt: null, finishedAt: null };
    expect(outcome).toEqual({
      type: 'listed',
      jobs: [
        { ...JOB, kind: 'shifts' },
        { kind: 'shifts', remoteId: 'job-0002', jobName: 'by chains', ...bare },
      ],
    });
    const [first, second] = requests;
    expect(first?.path).not.toContain('token');
    const asked = new URL(second?.path ?? '', 'http://x');
    expect(asked.searchParams.get('token')).toBe(SECRET);
    expect(second?.headers, 'the header is not for this one').not.toHaveProperty('x-service-token');
  });

  test('is omitted if the service has none', async () => {
    const { outcome } = await shiftsListed((response) => json(response, 404, { error: 'no' }));
    expect(outcome).toEqual({ type: 'listed', jobs: [{ ...JOB, kind: 'shifts' }] });
  });

  test.each([
    ['an error that repeats the URL', (r: ServerResponse) => json(r, 503, { error: r.req.url })],
    ['a refusal that repeats the URL', (r: ServerResponse) => json(r, 400, { error: r.req.url })],
    ['text that is not JSON', (r: ServerResponse) => r.end('{')],
    [
      'a redirect to itself',
      (r: ServerResponse) => r.writeHead(302, { location: r.req.url }).end(),
    ],
    ['a connection that breaks off', (r: ServerResponse) => r.destroy()],
    [
      'a list without an end',
      (r: ServerResponse) => json(r, 200, { next: `?page=${Math.random()}` }),
    ],
  ])('that answers with %s leaves a note without the token', async (_, answer) => {
    const { outcome } = await shiftsListed(answer);
    expect(outcome).toMatchObject({
      type: 'listed',
      jobs: [{ remoteId: 'job-0001' }],
      missing: expect.stringContaining('/past-results/shiftcrypt/alignment/') as string,
    });
    const text = JSON.stringify(outcome);
    const forms = [
      SECRET,
      encodeURIComponent(SECRET),
      new URLSearchParams({ x: SECRET }).toString().slice(2),
    ];
    for (const form of [...forms, 'token=']) expect(text).not.toContain(form);
  });
});
