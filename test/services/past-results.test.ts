/** The past results of a token (contract 4.7): a job found by its name, and all of them listed. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import type { Kind } from '../../src/domain/campaign.ts';
import { listRemoteJobs } from '../../src/runner/adopt.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { clientAt, clientOfAnswer, quiet, TOKEN } from './jobs.ts';
import { deadUrl, httpServer, json } from './scripted-server.ts';

const ID = '3f1c5a1e-0000-4000-8000-000000000001';
const NAME = 'demo.one.1a2b3c';
const QUEUED = '2026-11-20T10:00:00+00:00';
const FINISHED = '2026-11-20T10:01:00+00:00';
const ENTRY = {
  request_id: ID,
  job_name: NAME,
  status: 'FINISHED',
  timing: { queued_at: QUEUED, finished_at: FINISHED },
};
const OTHER = { request_id: 'other-1', job_name: 'demo.two.1a2b3c', status: 'RUNNING', timing: {} };
const JOB = {
  kind: 'sequence',
  remoteId: ID,
  jobName: NAME,
  state: 'FINISHED',
  submittedAt: QUEUED,
  finishedAt: FINISHED,
};
const FOUND = { type: 'found', remoteId: ID };
const PATH = '/online_predictors/api/past-results/single-sequence/';

const findAt = (url: string, kind: Kind = 'sequence') => clientAt(url).find(kind, NAME, quiet());

async function askBoth(body: unknown, status = 200) {
  const { client, requests } = await clientOfAnswer({ status, body });
  const found = await client.find('sequence', NAME, quiet());
  return { found, listed: await client.list('sequence', quiet()), requests };
}

test.each([
  ['sequence', 'single-sequence'],
  ['alignment', 'msa'],
  ['shifts', 'shiftcrypt'],
] as const)('those of kind %s are requested with the token in the header', async (kind, type) => {
  await using server = await httpServer((_, response) => json(response, 200, [ENTRY]));
  expect(await findAt(server.url, kind)).toEqual(FOUND);
  expect(server.requests[0]?.path).toBe(`/online_predictors/api/past-results/${type}/`);
  expect(server.requests[0]?.headers['x-service-token']).toBe(TOKEN);
});

test('those of molecules do not exist, and nothing is requested', async () => {
  for (const service of ['predictions', 'molecules'] as const) {
    const { client, requests } = await clientOfAnswer({ body: [] }, { service });
    expect(await client.find('molecule', NAME, quiet())).toEqual({ type: 'unsupported' });
    expect(await client.list('molecule', quiet())).toMatchObject({ type: 'unsupported' });
    expect(requests).toEqual([]);
  }
});

test.each([
  ['a bare array', [OTHER, ENTRY]],
  ['an array under a key', { count: 2, requests: [OTHER, ENTRY] }],
  ['nested', { status: 'ok', data: { past: { results: [OTHER, ENTRY] } } }],
  ['keyed by id', { [ID]: { ...ENTRY, request_id: undefined }, 'other-1': { job_name: 'x' } }],
])('read from %s', async (_, body) => {
  const { found, listed } = await askBoth(body);
  expect(found).toEqual(FOUND);
  expect(listed).toMatchObject({ type: 'listed', jobs: expect.arrayContaining([JOB]) as unknown });
});

test.each([
  ['jobName and requestId', { requestId: ID, jobName: NAME }, ID],
  ['label and uuid', { uuid: ID, label: NAME }, ID],
  ['name, and a number as id', { id: 17, name: NAME }, '17'],
])('read with other names of keys: %s', async (_, entry, remoteId) => {
  expect((await askBoth([entry])).found).toEqual({ type: 'found', remoteId });
});

test('a list shows null for what an entry does not contain', async () => {
  const { timing: _, job_name: __, ...bare } = ENTRY;
  const jobs = [{ ...JOB, jobName: null, finishedAt: null }];
  expect((await askBoth([{ ...bare, created_at: QUEUED }])).listed).toEqual({
    type: 'listed',
    jobs,
  });
});

describe('a name is absent only if the list shows it', () => {
  test.each<[string, unknown, object, number?]>([
    ['an empty array', [], { type: 'absent' }],
    ['an empty object', {}, { type: 'absent' }],
    ['a longer name', [{ ...ENTRY, job_name: `${NAME}x` }], { type: 'absent' }],
    ['the name without an id', { query: { name: NAME }, results: [OTHER] }, { type: 'absent' }],
    ['entries without names', [{ request_id: ID, timing: {} }], { type: 'unsupported' }],
    [
      'the token in the id of the job',
      [OTHER, { ...ENTRY, request_id: `${TOKEN}-1` }],
      { type: 'unsupported' },
    ],
    ['a list that is too long', [{ note: 'x'.repeat(135_000_000) }], { type: 'unsupported' }],
    [
      'a list nested without end',
      `[${'['.repeat(200_000)}${']'.repeat(200_000)}]`,
      { type: 'unsupported' },
    ],
    ['a service without this list', { error: 'not found' }, { type: 'unsupported' }, 404],
    ['a page', '<html>', { type: 'unavailable' }],
    ['a truncated list', '[{"request_id":', { type: 'unavailable' }],
    ['HTTP 401', { error: 'x' }, { type: 'unavailable' }, 401],
    ['HTTP 429', { error: 'x' }, { type: 'unavailable' }, 429],
    ['HTTP 503', { error: 'x' }, { type: 'unavailable' }, 503],
  ])('%s', async (_, body, found, status = 200) => {
    const { client } = await clientOfAnswer({ status, body }, { deadlineMs: 30_000 });
    expect(await client.find('sequence', NAME, quiet())).toEqual(expect.objectContaining(found));
  });

  test('a job is found among 40,000', async () => {
    const others = Array.from({ length: 40_000 }, (_, n) => ({ ...OTHER, id: `other-${n}` }));
    const { client } = await clientOfAnswer({ body: [...others, ENTRY] });
    expect(await client.find('sequence', NAME, quiet())).toEqual(FOUND);
  });
});

describe('a list', () => {
  test('is unsupported if the service has none, and unavailable if it does not answer', async () => {
    expect((await askBoth({ error: 'no' }, 404)).listed).toMatchObject({ type: 'unsupported' });
    expect((await askBoth({ error: 'busy' }, 503)).listed).toMatchObject({ type: 'unavailable' });
    const unavailable = { type: 'unavailable' };
    expect(await clientAt(await deadUrl()).list('sequence', quiet())).toMatchObject(unavailable);
    await using server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`[${JSON.stringify(ENTRY)},`, () => response.destroy());
    });
    expect(await clientAt(server.url).list('sequence', quiet())).toMatchObject(unavailable);
  });
});

describe('pages', () => {
  /** The second page ends the list. */
  async function paged(first: object, second: object) {
    const server = await httpServer(({ path }, response) =>
      json(response, 200, path.includes('page=2') ? second : first),
    );
    return Object.assign(server, { client: clientAt(server.url) });
  }

  test('are read to the end, each job once, on the host of the service, whatever host a link names', async () => {
    await using server = await paged(
      { results: [OTHER], next: `http://inner.invalid/y/?page=2&token=${TOKEN}` },
      { results: [OTHER, ENTRY], next: null },
    );
    expect(await server.client.find('sequence', NAME, quiet())).toEqual(FOUND);
    expect(server.requests.map(({ path }) => path)).toEqual([PATH, `${PATH}?page=2`]);
    const listed = await server.client.list('sequence', quiet());
    expect(listed).toMatchObject({ jobs: [{ remoteId: 'other-1' }, { remoteId: ID }] });
  });

  test('to the end without it: absent', async () => {
    await using server = await paged(
      { results: [OTHER], links: { next: '?page=2' } },
      { results: [OTHER], links: { next: null } },
    );
    expect(await server.client.find('sequence', NAME, quiet())).toEqual({ type: 'absent' });
    expect(server.requests).toHaveLength(2);
  });

  test('in a cycle: unavailable, not absent', async () => {
    const body = { results: [OTHER], next: '?page=2' };
    await using server = await paged(body, body);
    const found = await server.client.find('sequence', NAME, quiet());
    expect(found.type).toBe('unavailable');
    expect(server.requests).toHaveLength(2);
  });
});

test('`adopt` asks for them in the way that is configured for the service', async () => {
  await using gateway = await httpServer((_, response) => json(response, 200, [ENTRY]));
  const folder = await temporaryFolder();
  const file = join(folder, 'hundredfold.yaml');
  writeFileSync(
    file,
    `services: { predictions: { url: "${gateway.url}", headers: { X-Lab: { env: LAB } } } }`,
  );
  const environment = { HUNDREDFOLD_PREDICTION_TOKEN: TOKEN, LAB: 'lab-7' };
  const settings = loadSettings(file, environment);
  const { jobs } = await listRemoteJobs({ service: 'predictions', settings, local: null, folder });
  expect(jobs).toMatchObject([JOB, { kind: 'alignment' }, { kind: 'shifts' }]);
  expect(gateway.requests.map(({ headers }) => headers['x-lab'])).toEqual(Array(3).fill('lab-7'));
});
