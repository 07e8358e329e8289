import { describe, expect, test } from 'vitest';
import type { Kind } from '../../../src/domain/item.ts';
import type { FindOutcome } from '../../../src/domain/outcomes.ts';
import { createClient } from '../../../src/services/registry.ts';
import { quiet, TOKEN } from '../jobs.ts';
import { httpServer, json, type ScriptedServer } from '../scripted-server.ts';

const ID = '3f1c5a1e-0000-4000-8000-000000000001';
const NAME = 'demo.one.1a2b3c';
const OTHER = { request_id: 'other-1', job_name: 'demo.two.1a2b3c', status: 'RUNNING', timing: {} };

async function findAt(server: ScriptedServer, kind: Kind = 'sequence'): Promise<FindOutcome> {
  const client = createClient({
    service: 'predictions',
    url: server.url,
    token: TOKEN,
  });
  try {
    return await client.find(kind, NAME, quiet());
  } finally {
    await client.close();
  }
}

async function foundIn(body: unknown, status = 200): Promise<FindOutcome> {
  await using server = await httpServer((_, response) => json(response, status, body));
  return await findAt(server);
}

const ENTRY = { request_id: ID, job_name: NAME, timing: {} };

describe('past results (contract 4.7)', () => {
  test('with the token in the job id are inconclusive, and not taken as "absent"', async () => {
    expect(await foundIn([OTHER, { ...ENTRY, request_id: `${TOKEN}-1` }])).toEqual({
      type: 'unsupported',
    });
  });

  test.each([
    ['too long', [{ ...OTHER, note: 'x'.repeat(135_000_000) }]],
    ['nested without end', `[${'['.repeat(200_000)}${']'.repeat(200_000)}]`],
  ])('that are %s are inconclusive, and are not requested again', async (_, body) => {
    expect(await foundIn(body)).toEqual({ type: 'unsupported' });
  });

  test.each([
    ['sequence', 'single-sequence'],
    ['alignment', 'msa'],
    ['shifts', 'shiftcrypt'],
  ] as const)('of %s are requested with the token in the header', async (kind, type) => {
    await using server = await httpServer((_, response) => json(response, 200, [ENTRY]));
    expect(await findAt(server, kind)).toEqual({ type: 'found', remoteId: ID });
    expect(server.requests[0]?.path).toBe(`/online_predictors/api/past-results/${type}/`);
    expect(server.requests[0]?.headers['x-service-token']).toBe(TOKEN);
  });

  test.each([
    ['a bare array', [OTHER, ENTRY]],
    ['results', { count: 2, results: [OTHER, ENTRY] }],
    ['data', { data: [OTHER, ENTRY] }],
    ['items', { items: [OTHER, ENTRY] }],
    ['requests', { requests: [OTHER, ENTRY] }],
    ['nested', { status: 'ok', data: { past: { results: [OTHER, ENTRY] } } }],
    ['keyed by id', { [ID]: { job_name: NAME, timing: {} }, 'other-1': { job_name: 'x' } }],
    ['jobName and requestId', [{ requestId: ID, jobName: NAME }]],
    ['name and id', [{ id: ID, name: NAME }]],
    ['label and uuid', [{ uuid: ID, label: NAME }]],
    ['a number as id', [{ id: 17, name: NAME }]],
  ])('shape: %s', async (shape, body) => {
    const remoteId = shape === 'a number as id' ? '17' : ID;
    expect(await foundIn(body)).toEqual({ type: 'found', remoteId });
  });

  test.each([
    ['an empty array', []],
    ['an empty object', {}],
    ['others', [OTHER]],
    ['a longer name', [{ ...ENTRY, job_name: `${NAME}x` }]],
    ['no results', { results: [], next: null }],
    ['the name without an id', { query: { name: NAME }, results: [OTHER] }],
  ])('%s: absent', async (_, body) => {
    expect(await foundIn(body)).toEqual({ type: 'absent' });
  });

  test('a job is found among 40,000', async () => {
    const note = 'x'.repeat(900);
    const others = Array.from({ length: 40_000 }, (_, n) => ({ ...OTHER, id: `other-${n}`, note }));
    expect(await foundIn([...others, ENTRY])).toEqual({ type: 'found', remoteId: ID });
    expect(await foundIn(others)).toEqual({ type: 'absent' });
  });

  test('entries without names cannot prove that one is absent', async () => {
    expect(await foundIn([{ request_id: ID, timing: {} }])).toEqual({ type: 'unsupported' });
  });

  test('a service without this list cannot prove that a job is absent', async () => {
    expect(await foundIn({ error: 'not found' }, 404)).toEqual({ type: 'unsupported' });
  });

  test.each([401, 429, 500, 503])('HTTP %i: unavailable', async (status) => {
    expect((await foundIn({ error: 'x' }, status)).type).toBe('unavailable');
  });

  test('an answer that is not JSON, or is truncated, is unavailable, not absent', async () => {
    expect((await foundIn('<html>')).type).toBe('unavailable');
    expect((await foundIn('[{"request_id":')).type).toBe('unavailable');
  });

  test('molecules have no list of past results', async () => {
    await using server = await httpServer((_, response) => json(response, 200, []));
    expect(await findAt(server, 'molecule')).toEqual({ type: 'unsupported' });
    expect(server.requests).toEqual([]);
  });
});

describe('pages', () => {
  test('are followed to the one with the job, on the host of the service, whatever host a link names', async () => {
    await using server = await httpServer((request, response) => {
      const page = new URL(request.path, 'http://x').searchParams.get('page') ?? '1';
      if (page === '1')
        json(response, 200, { results: [OTHER], next: 'http://inner.invalid/y/?page=2' });
      else json(response, 200, { results: [ENTRY], next: null });
    });
    expect(await findAt(server)).toEqual({ type: 'found', remoteId: ID });
    expect(server.requests.map(({ path }) => path)).toEqual([
      '/online_predictors/api/past-results/single-sequence/',
      '/online_predictors/api/past-results/single-sequence/?page=2',
    ]);
  });

  test('to the end without it: absent', async () => {
    await using server = await httpServer((request, response) => {
      const last = request.path.includes('page=2');
      json(response, 200, { results: [OTHER], links: { next: last ? null : '?page=2' } });
    });
    expect(await findAt(server)).toEqual({ type: 'absent' });
  });

  test('in a cycle: unavailable, not absent', async () => {
    await using server = await httpServer((_, response) =>
      json(response, 200, { results: [OTHER], next: '?page=2' }),
    );
    expect((await findAt(server)).type).toBe('unavailable');
    expect(server.requests).toHaveLength(2);
  });
});
