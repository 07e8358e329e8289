/** What an answer to a poll means for the job. */
import { describe, expect, test } from 'vitest';
import type { PollOutcome } from '../../src/domain/outcomes.ts';
import { filterMeaningful } from '../../src/services/molecules.ts';
import { clientAt, clientOfAnswer, quiet, TOKEN } from './jobs.ts';
import { acpypeRecording, finishedRecord } from './recordings.ts';
import { deadUrl, httpServer, rawServer } from './scripted-server.ts';

const TARGETS = {
  current: {},
  earlier: { config: { variant: 'earlier' } },
  molecules: { service: 'molecules' },
} as const;
type Name = keyof typeof TARGETS;

async function polled(
  name: Name,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<PollOutcome> {
  const { client } = await clientOfAnswer({ status, body, headers }, TARGETS[name]);
  return client.poll('h1', quiet());
}

const failed = (message: string) => ({ type: 'failed', message });
const lost = (message: string) => ({ type: 'unknown', message });
const RUNNING = {
  type: 'running',
  retryAfterMs: null,
  progress: null,
  statusMessage: null,
  timing: null,
};
const FINISHED = { type: 'finished' };
const UNAVAILABLE = { type: 'unavailable' };
const UNREADABLE = { type: 'unavailable', unreadable: true };
const PAGE = '<html>back soon</html>';
const AS_PAGE = { 'content-type': 'text/html; charset=utf-8' };

describe.each(Object.keys(TARGETS) as Name[])('%s', (name) => {
  const poll = (url: string) => clientAt(url, TARGETS[name]).poll('a/../../b?c#d', quiet());

  test('the job is requested by its id, which cannot change the path, without the token', async () => {
    await using server = await httpServer((_, response) => response.writeHead(404).end());
    await poll(server.url);
    const path = expect.stringMatching(
      /\/(results|queue)\/a%2F\.\.%2F\.\.%2Fb%3Fc%23d\/$/,
    ) as string;
    expect(server.requests).toMatchObject([{ method: 'GET', path }]);
    expect(JSON.stringify(server.requests)).not.toContain(TOKEN);
  });

  test.each<[number, object, Readonly<Record<string, string>>?]>([
    [302, { ...UNAVAILABLE, retryAfterMs: null }],
    [429, { ...UNAVAILABLE, retryAfterMs: 9_000 }, { 'retry-after': '9' }],
    [500, UNAVAILABLE],
    [502, UNAVAILABLE],
    [503, { ...UNAVAILABLE, retryAfterMs: 2_000 }, { 'retry-after': '2' }],
    [404, lost('no such residue')],
    [422, failed('no such residue')],
  ])('HTTP %i: %j', async (status, expected, headers) => {
    const outcome = await polled(name, status, { error: 'no such residue' }, headers);
    expect(outcome).toMatchObject(expected);
  });

  test('a maintenance page, a reset, or no connection is no information about the job', async () => {
    for (const status of [200, 202, 410, 422])
      expect(await polled(name, status, PAGE, AS_PAGE)).toMatchObject(UNAVAILABLE);
    expect(await poll(await deadUrl())).toMatchObject(UNAVAILABLE);
    await using server = await rawServer('', (socket) => socket.resetAndDestroy());
    expect(await poll(server.url)).toMatchObject(UNAVAILABLE);
  });
});

const TIMING = {
  queued_at: '2026-11-21T10:00:00+00:00',
  started_at: '2026-11-21T10:00:04+00:00',
  finished_at: null,
  queue_wait_seconds: 4,
  elapsed_seconds: 65,
  left_seconds: 360_001,
  time_limit_seconds: 'none',
  heartbeat_age_seconds: '2',
};
const READ_TIMING = {
  queuedAt: '2026-11-21T10:00:00+00:00',
  startedAt: '2026-11-21T10:00:04+00:00',
  finishedAt: null,
  queueWaitSeconds: 4,
  elapsedSeconds: 65,
  leftSeconds: 360_001,
  timeLimitSeconds: null,
  heartbeatAgeSeconds: 2,
};

describe('a prediction (contract 4.4)', () => {
  const ENVELOPE = { progress: 40, status_message: 'running predictions', timing: TIMING };
  const error = 'Invalid predictor types: nosuch';
  test.each<[number, unknown, object]>([
    [202, '', RUNNING],
    [202, '{', RUNNING],
    [202, [], RUNNING],
    [202, { progress: 'much', timing: 'soon', status_message: {} }, RUNNING],
    [
      202,
      ENVELOPE,
      { ...RUNNING, progress: 40, statusMessage: 'running predictions', timing: READ_TIMING },
    ],
    [200, { proteins: {} }, FINISHED],
    [422, { status: 'FAILED', error, timing: TIMING }, { ...failed(error), timing: READ_TIMING }],
    [422, '', failed('the service gives no reason')],
    [410, 'gone', { type: 'deleted', message: 'gone' }],
    [401, { error: 'x' }, UNAVAILABLE],
  ])('HTTP %i %j', async (status, body, expected) => {
    expect(await polled('current', status, body)).toMatchObject(expected);
  });

  test('the wait that the service wants is returned', async () => {
    const outcome = await polled('current', 202, '', { 'retry-after': '5' });
    expect(outcome).toEqual({ ...RUNNING, retryAfterMs: 5_000 });
  });

  test('200 is finished without reading a payload that never ends', async () => {
    await using server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
      response.on('close', () => clearInterval(timer));
    });
    // Reading it would end with the deadline, and with another outcome.
    expect(await clientAt(server.url).poll('r-1', quiet())).toEqual(FINISHED);
  });
});

test.each(['earlier', 'molecules'] as const)(
  'a body that breaks off is no information about the job: %s',
  async (name) => {
    const text = 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"results":{}';
    await using server = await rawServer(text, (socket) => socket.end());
    const outcome = await clientAt(server.url, TARGETS[name]).poll('r-1', quiet());
    expect(outcome).toMatchObject(UNAVAILABLE);
  },
);

const WRAPPED = { status: 'success', predictor: 'x', results: { sequence: 'MK', prediction: [] } };

describe('in the earlier variant the body decides (contract 9.5, 9.6)', () => {
  const large = { ...WRAPPED, results: { sequence: 'M'.repeat(200_000), prediction: [] } };
  test.each<[string, readonly number[], unknown, object]>([
    ['only a status', [200, 202], { status: 'RUNNING' }, RUNNING],
    ['only an error', [200, 400, 422], { error: 'no such residue' }, failed('no such residue')],
    ['a wrapped result', [200], WRAPPED, FINISHED],
    ['a large result', [200], large, FINISHED],
    ['a payload that is not wrapped', [200], { proteins: { a: { seq: ['M'] } } }, FINISHED],
    ['a list', [200], [WRAPPED], FINISHED],
    ...[{}, [], 'x', { status: 'PAUSED' }].map((body): [string, number[], unknown, object] => [
      'no answer',
      [200],
      body,
      UNREADABLE,
    ]),
    ['no JSON', [400], 'x', UNAVAILABLE],
  ])('%s', async (_, statuses, body, expected) => {
    for (const status of statuses)
      expect(await polled('earlier', status, body)).toMatchObject(expected);
  });
});

const ETHANOL = acpypeRecording('smi-ethanol-bcc-auto-gaff2');
const WHOLE = finishedRecord(ETHANOL);

describe('a molecule (contract 4.3)', () => {
  const pending = { request_text: '3 are pending', status: 202 };
  test.each<[string, number, unknown, object]>([
    ['202', 202, pending, { ...RUNNING, statusMessage: '3 are pending' }],
    ['202 without a readable body', 202, '', RUNNING],
    ['200 with status 202 inside', 200, pending, { type: 'running' }],
    ['200 with status 202 inside, as a text', 200, { status: '202' }, RUNNING],
    ['the same, deeper', 200, { result_request: pending, results: [] }, { type: 'running' }],
    ['all 19 files', 200, WHOLE, FINISHED],
    ['a set in place of the list', 200, { ...WHOLE, results: ETHANOL.results }, FINISHED],
    ...['{"results":', '', 'x', {}, [], { status: 'PAUSED', results: [] }, { status: 200 }].map(
      (body): [string, number, unknown, object] => ['no record', 200, body, UNREADABLE],
    ),
    ['HTTP 400', 400, { error: 'x' }, UNAVAILABLE],
    ['a record longer than any, checked later', 200, { log: 'x'.repeat(9_000_000) }, FINISHED],
    [
      'a record nested without end, checked later',
      200,
      `{"results":${'['.repeat(200_000)}${']'.repeat(200_000)}}`,
      FINISHED,
    ],
  ])('%s', async (_, status, body, expected) => {
    expect(await polled('molecules', status, body)).toMatchObject(expected);
  });

  test.each(['', null, undefined])('with a file that is %j, the job failed', async (text) => {
    const results = [{ ...ETHANOL.results, GMX_top: text }];
    expect(await polled('molecules', 200, { ...WHOLE, results })).toMatchObject(
      failed(expect.stringContaining('Missing or empty: GMX_top.') as string),
    );
  });

  test.each([[[]], [{}], [[{}]], [null], [undefined]])(
    'with the results %j it failed, for the reason in the log, without the token',
    async (results) => {
      const log = `ACPYPE FAILED: user ${TOKEN}\nTotal time of execution: 1s\n`;
      const outcome = await polled('molecules', 200, { ...WHOLE, results, log });
      const message = `ACPYPE FAILED: user ${'*'.repeat(TOKEN.length)}`;
      expect(outcome).toEqual({ ...failed(message), timing: null });
    },
  );

  test.each([
    ['smi-wrong_charge-bcc-1-gaff2', 'The number of electrons is odd (25)'],
    ['smi-bad_smiles-bcc-auto-gaff2', "No such file or directory: './C1CC('"],
    ['file-edge_with_waters-bcc-auto-gaff2', 'Only ONE Residue is allowed'],
    ['file-edge_multi_model-bcc-auto-gaff2', 'Atoms TOO close'],
    ['file-edge_boron-bcc-auto-gaff2', 'Bonds involving this atom are frozen'],
    ['smi-iron-bcc-auto-gaff2', 'Too few atoms'],
  ])('the reason in the log of %s: %s', (name, words) => {
    const lines = filterMeaningful(acpypeRecording(name).log) ?? '';
    expect(lines).toContain(words);
    expect(lines).not.toMatch(/^=+$|Total time|quote\+|Removing temporary/m);
  });
});
