import { describe, expect, test } from 'vitest';
import type { Kind } from '../../../src/domain/item.ts';
import type { ListOutcome } from '../../../src/domain/outcomes.ts';
import { createClient } from '../../../src/services/registry.ts';
import { quiet, TOKEN } from '../jobs.ts';
import { httpServer, json, type ScriptedServer } from '../scripted-server.ts';

async function listAt(
  server: Pick<ScriptedServer, 'url'>,
  { kind = 'sequence', token = TOKEN }: { kind?: Kind; token?: string } = {},
): Promise<ListOutcome> {
  const client = createClient({
    service: 'predictions',
    url: server.url,
    token,
  });
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
    const client = createClient({ service: 'molecules', url: server.url, token: 'moleculeT0' });
    expect(await client.list('molecule', quiet())).toMatchObject({ type: 'unsupported' });
    expect(server.requests).toEqual([]);
    await client.close();
  });
});
