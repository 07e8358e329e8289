/** What a definition can say that the two services do not: each of its requests, answers and identities over HTTP. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { makeClient } from '../../src/services/client.ts';
import {
  defineService,
  type Identity,
  type Job,
  type PollMeaning,
  type Request,
  type SubmitMeaning,
} from '../../src/services/service.ts';
import { bytesOf, quiet } from './jobs.ts';
import { httpServer, json } from './scripted-server.ts';

const SECRETS = { user: 'lab', password: 'open-sesame-1', token: 'tok-9f3a7c1234' };
const JOB = {
  kind: 'text',
  options: {},
  input: { name: 'input.txt', text: 'a b' },
  name: 'c.one.0123456789abcdef',
  title: null,
  email: null,
};
const auth = [
  { secret: 'token', in: 'query', name: 'key' },
  { secret: 'token', in: 'body', name: 'api_key' },
  { in: 'basic', user: 'user', password: 'password' },
] as const;

interface Says {
  readonly submit?: SubmitMeaning | null;
  readonly poll?: PollMeaning | null;
  readonly identity?: Identity;
  readonly sends?: Request;
}

/** A service that says this, whatever it is answered. */
function define({ submit = null, poll = null, identity = { by: 'nothing' }, sends }: Says) {
  return defineService({
    name: 'other',
    title: 'the other service',
    kinds: [{ name: 'text' }],
    url: {},
    origins: ['https://*.files.invalid'],
    secrets: Object.fromEntries(
      Object.keys(SECRETS).map((key) => [key, { description: key, env: key.toUpperCase() }]),
    ),
    config: z.object({ size: z.int().default(2) }),
    budget: { windows: [], maxOpen: 5 },
    pace: { every: '5s', atMost: '60s' },
    identity,
    jobId: { pattern: /^r-\d+$/ },
    submit: {
      request: {
        text: ({ input }: Job) =>
          sends ?? { path: ['run'], auth, body: { form: { q: input.text } } },
      },
      answers: {
        201: () => {
          throw new Error('a fault of the definition');
        },
        '2xx': () => submit,
        '4xx': () => submit,
        '5xx': () => submit,
      },
    },
    poll: {
      request: (id) => ({ path: ['status', id] }),
      answers: {
        200: () => poll,
        '5xx': () => poll,
      },
    },
    fetch: {
      file: {
        request: (id) => ({ path: ['status', id] }),
        answers: {
          303: ({ location }, { config: { size } }) =>
            location === null
              ? null
              : { type: 'at', request: { link: location, query: { size: String(size) }, auth } },
          200: ({ json: body }) =>
            body !== undefined && typeof body === 'object' && body !== null && 'wait' in body
              ? { type: 'notYet' }
              : null,
        },
      },
      elsewhere: {
        request: (id) => ({ path: ['files', id] }),
        answers: { 404: { type: 'at', request: { link: 'https://other.invalid/x' } } },
      },
    },
    list: {
      request: ({ name }) => ({ path: ['jobs'], query: name === null ? {} : { name } }),
      answers: {
        200: ({ json: body, nextLink }) => ({
          type: 'page',
          jobs: (body as string[]).map((name, n) => ({
            id: `r-${n + 1}`,
            names: [name],
            state: null,
            submittedAt: null,
            finishedAt: null,
          })),
          next: nextLink === null ? null : { link: nextLink },
        }),
      },
    },
    probe: { request: () => ({ path: [] }), answers: {} },
  });
}

type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

async function scene(says: Says, ...answers: readonly Answer[]) {
  let turn = 0;
  const server = await httpServer((_, response) => {
    const [status, body, headers] = answers[Math.min(turn, answers.length - 1)] ?? [200, ''];
    turn += 1;
    json(response, status, body, headers);
  });
  const client = makeClient(define(says), {
    url: `${server.url}/api`,
    secrets: SECRETS,
    deadlineMs: 2_000,
  });
  onTestFinished(async () => {
    await client.close();
    await server[Symbol.asyncDispose]();
  });
  return { client, requests: server.requests };
}

test('secrets go to their places, and nowhere in what is told', async () => {
  const refused = {
    type: 'notNow',
    why: 'rateLimited',
    message: 'RATELIMIT',
    after: '10m',
  } as const;
  const { client, requests } = await scene({ submit: refused }, [200, { echo: SECRETS.token }]);
  const outcome = await client.submit(JOB, quiet());
  expect(outcome).toMatchObject({ type: 'notNow', reason: 'rate-limited', retryAfterMs: 600_000 });
  expect(requests[0]).toMatchObject({
    method: 'POST',
    path: `/api/run?key=${SECRETS.token}`,
    body: `api_key=${SECRETS.token}&q=a+b`,
    headers: {
      authorization: `Basic ${Buffer.from('lab:open-sesame-1').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
  });
});

const notNow = { type: 'notNow', why: 'unavailable', message: 'x' } as const;
test.each<[string, SubmitMeaning | null, number, object]>([
  ['an id that does not fit its pattern', { type: 'accepted', id: 'x-1' }, 200, { type: 'unsure' }],
  [
    'an id',
    { type: 'accepted', id: 'r-1', pollAfter: '30s' },
    500,
    { remoteId: 'r-1', retryAfterMs: 30_000 },
  ],
  ['"not now" in a 500', notNow, 500, { type: 'unsure' }],
  ['"not now" in a 503', notNow, 503, { type: 'notNow' }],
  ['a refused credential', { ...notNow, why: 'credential' }, 200, { reason: 'blocked' }],
  [
    'a name that is taken, where names find nothing',
    { type: 'nameTaken' },
    400,
    { type: 'refused', message: 'oh' },
  ],
  ['nothing', null, 200, { type: 'unsure' }],
  ['what throws', { type: 'accepted', id: 'r-1' }, 201, { type: 'unsure' }],
])('%s is believed only as far as it can be', async (_, submit, status, outcome) => {
  const { client } = await scene({ submit }, [status, { error: 'oh' }]);
  const seen = await client.submit(JOB, quiet());
  expect(seen).toMatchObject(outcome);
  expect(seen).not.toHaveProperty('taken');
});

test('the end of a job in a 500 is asked for once more', async () => {
  const { client } = await scene({ poll: { type: 'failed', message: 'no' } }, [500, '']);
  expect(await client.poll('r-1', quiet())).toMatchObject({
    type: 'unavailable',
    retryAfterMs: 60_000,
  });
  expect(await client.poll('r-1', quiet())).toMatchObject({ type: 'failed', message: 'no' });
});

describe('a file', () => {
  test('behind a link of an answer, with its secrets', async () => {
    const found = [303, '', { location: '/results/r-1?x=1' }] as const;
    const { client, requests } = await scene({}, [200, { wait: 1 }], found, [200, [1]]);
    expect(await client.fetch('r-1', 'file', quiet())).toMatchObject({ type: 'unavailable' });
    expect((await bytesOf(await client.fetch('r-1', 'file', quiet()))).toString()).toBe('[1]');
    const file = `/results/r-1?x=1&size=2&key=${SECRETS.token}`;
    expect(requests.map(({ path }) => path)).toEqual(['/api/status/r-1', '/api/status/r-1', file]);
  });

  test('at a foreign origin is not asked for', async () => {
    const { client, requests } = await scene({}, [404, '']);
    expect(await client.fetch('r-1', 'elsewhere', quiet())).toMatchObject({ type: 'absent' });
    expect(requests.map(({ path }) => path)).toEqual(['/api/files/r-1']);
  });
});

describe('after a lost answer', () => {
  test('the same request is sent again, with its key; another one has another digest', async () => {
    const identity = { by: 'request', within: '24h', header: 'Idempotency-Key' } as const;
    const { client, requests } = await scene({ identity }, [200, '']);
    await client.submit(JOB, quiet());
    expect(requests[0]?.headers['idempotency-key']).toBe(JOB.name);
    expect(await client.find('text', JOB.name, quiet())).toEqual({
      type: 'repeat',
      withinMs: 86_400_000,
    });
    const digest = client.digestToRepeat(JOB);
    expect(client.digestToRepeat({ ...JOB })).toBe(digest);
    expect(client.digestToRepeat({ ...JOB, input: { name: 'x', text: 'a c' } })).not.toBe(digest);
  });

  test('a name is looked up on every page, and absent only once the list has settled', async () => {
    const identity = { by: 'list', maxLength: 40, settles: '60s' } as const;
    const next = { link: '</api/jobs?page=2>; rel="next"' };
    const { client } = await scene(
      { identity },
      [200, ['other'], next],
      [200, [JOB.name]],
      [200, ['other']],
    );
    expect(await client.find('text', JOB.name, quiet())).toEqual({
      type: 'found',
      remoteId: 'r-1',
    });
    expect(await client.find('text', JOB.name, quiet())).toEqual({
      type: 'absent',
      settlesMs: 60_000,
    });
  });
});

test.each<[string, Request]>([
  ['leaves the address of the service', { path: ['..', 'admin'] }],
  ['leads to another origin', { link: 'https://elsewhere.invalid/x' }],
  [
    'names a secret that there is not',
    { path: ['x'], auth: [{ secret: 'no', in: 'header', name: 'x' }] },
  ],
])('a submission that %s is not sent', async (_, sends) => {
  const { client, requests } = await scene({ sends }, [200, '']);
  expect(await client.submit(JOB, quiet())).toMatchObject({ type: 'notNow', reason: 'blocked' });
  expect(requests).toEqual([]);
});
