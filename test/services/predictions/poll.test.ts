import { describe, expect, test } from 'vitest';
import type { PollOutcome } from '../../../src/domain/outcomes.ts';
import { createClient } from '../../../src/services/registry.ts';
import { readTiming } from '../../../src/services/predictions/schemas.ts';
import { quiet, TOKEN } from '../jobs.ts';
import { deadUrl, httpServer, json, rawServer, type ScriptedServer } from '../scripted-server.ts';

type Variant = 'current' | 'earlier';

async function pollAt(url: string, variant: Variant = 'current', id = 'r-1'): Promise<PollOutcome> {
  const client = createClient({
    service: 'predictions',
    url,
    config: { variant },
    token: TOKEN,
    deadlineMs: 2_000,
  });
  try {
    return await client.poll(id, quiet());
  } finally {
    await client.close();
  }
}

async function polled(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
  variant: Variant = 'current',
): Promise<PollOutcome> {
  await using server = await httpServer((_, response) => json(response, status, body, headers));
  return await pollAt(server.url, variant);
}

const TIMING = {
  queued_at: '2026-11-21T10:00:00+00:00',
  started_at: '2026-11-21T10:00:04+00:00',
  finished_at: null,
  queue_wait: '00:00:04',
  queue_wait_seconds: 4,
  elapsed_time: '00:01:05',
  elapsed_seconds: 65,
  left_time: '00:58:55',
  left_seconds: 3535,
  time_limit: '01:00:00',
  time_limit_seconds: 3600,
  last_heartbeat_at: '2026-11-21T10:01:07+00:00',
  heartbeat_age_seconds: 2,
};
const READ_TIMING = {
  queuedAt: '2026-11-21T10:00:00+00:00',
  startedAt: '2026-11-21T10:00:04+00:00',
  finishedAt: null,
  queueWaitSeconds: 4,
  elapsedSeconds: 65,
  leftSeconds: 3535,
  timeLimitSeconds: 3600,
  heartbeatAgeSeconds: 2,
};

describe('the status code is the outcome (contract 4.4)', () => {
  test('results/{id}/ is polled, without the token', async () => {
    await using server = await httpServer((_, response) => json(response, 200, {}));
    await pollAt(server.url);
    expect(server.requests[0]).toMatchObject({
      method: 'GET',
      path: '/online_predictors/api/results/r-1/',
    });
    expect(JSON.stringify(server.requests)).not.toContain(TOKEN);
  });

  test('202 is running, with all data of the envelope', async () => {
    const envelope = {
      status: 'RUNNING',
      progress: 40,
      status_message: 'running predictions',
      error: null,
      timing: TIMING,
    };
    expect(await polled(202, envelope, { 'retry-after': '5' })).toEqual({
      type: 'running',
      retryAfterMs: 5_000,
      progress: 40,
      statusMessage: 'running predictions',
      timing: READ_TIMING,
    });
  });

  test.each([[''], ['{'], [[]], [{ progress: 'much', timing: 'soon', status_message: {} }]])(
    '202 with the body %j is running, without further data',
    async (body) => {
      expect(await polled(202, body)).toEqual({
        type: 'running',
        retryAfterMs: null,
        progress: null,
        statusMessage: null,
        timing: null,
      });
    },
  );

  test('200 is finished', async () => {
    expect(await polled(200, { proteins: {} })).toEqual({ type: 'finished' });
  });

  test('200 is finished without reading a payload that never ends', async () => {
    await using server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
      response.on('close', () => clearInterval(timer));
    });
    const begun = performance.now();
    expect(await pollAt(server.url)).toEqual({ type: 'finished' });
    expect(performance.now() - begun, 'ms').toBeLessThan(1_500);
  });

  test('422 is failed, with the message of the service', async () => {
    const error = 'Invalid predictor types: nosuch';
    expect(await polled(422, { status: 'FAILED', error, timing: TIMING })).toEqual({
      type: 'failed',
      message: error,
      timing: READ_TIMING,
    });
  });

  test('422 without a message is failed, and the message says so', async () => {
    expect(await polled(422, '')).toMatchObject({
      type: 'failed',
      message: 'the service gives no reason',
    });
  });

  test('404 and 410 are lost', async () => {
    expect(await polled(404, { error: 'Request not found' })).toEqual({
      type: 'lost',
      message: 'Request not found',
    });
    expect((await polled(410, '')).type).toBe('lost');
  });

  test.each([
    [429, { 'retry-after': '9' }, 9_000],
    [500, {}, null],
    [502, {}, null],
    [503, { 'retry-after': '2' }, 2_000],
    [401, {}, null],
    [302, {}, null],
  ])('HTTP %i is no information about the job', async (status, headers, retryAfterMs) => {
    const outcome = await polled(status, { error: 'x' }, { ...headers });
    expect(outcome).toMatchObject({ type: 'unavailable', retryAfterMs });
  });

  test('a maintenance page with 200 is not a result', async () => {
    const outcome = await polled(200, '<html>back soon</html>', {
      'content-type': 'text/html; charset=utf-8',
    });
    expect(outcome.type).toBe('unavailable');
  });

  test('no connection is no information about the job', async () => {
    expect((await pollAt(await deadUrl())).type).toBe('unavailable');
    await using server = await rawServer('', (socket) => socket.resetAndDestroy());
    expect((await pollAt(server.url)).type).toBe('unavailable');
  });

  test('an id cannot change the path of the request', async () => {
    await using server: ScriptedServer = await httpServer((_, response) => json(response, 404, {}));
    await pollAt(server.url, 'current', 'a/../../b?c#d');
    expect(server.requests[0]?.path).toBe(
      '/online_predictors/api/results/a%2F..%2F..%2Fb%3Fc%23d/',
    );
  });
});

describe('in the earlier variant the body decides (contract 9.5, 9.6)', () => {
  const earlier = (status: number, body: unknown): Promise<PollOutcome> =>
    polled(status, body, {}, 'earlier');

  test.each([200, 202])('HTTP %i with only a status is running', async (status) => {
    expect((await earlier(status, { status: 'RUNNING' })).type).toBe('running');
  });

  test.each([200, 400, 422])('HTTP %i with only an error is failed', async (status) => {
    expect(await earlier(status, { error: 'no such residue' })).toEqual({
      type: 'failed',
      message: 'no such residue',
      timing: null,
    });
  });

  test('500 with only an error is no information about the job', async () => {
    expect((await earlier(500, { error: 'oops' })).type).toBe('unavailable');
  });

  test('a wrapped result is finished, also if it is very large', async () => {
    const wrapped = {
      status: 'success',
      predictor: 'dynamine',
      timestamp: 'x',
      results: { sequence: 'MK', prediction: [0.1, 0.2] },
    };
    expect(await earlier(200, wrapped)).toEqual({ type: 'finished' });
    const large = { ...wrapped, results: { sequence: 'M'.repeat(200_000), prediction: [] } };
    expect(await earlier(200, large)).toEqual({ type: 'finished' });
  });

  test('a payload that is not wrapped is finished', async () => {
    expect(await earlier(200, { proteins: { a: { seq: ['M'] } } })).toEqual({ type: 'finished' });
    expect(await earlier(200, [])).toEqual({ type: 'finished' });
  });

  test('404 is lost', async () => {
    expect((await earlier(404, { error: 'Request not found' })).type).toBe('lost');
  });
});

describe('timing (contract 2.4)', () => {
  test('seconds may be text, or only given as a clock string', () => {
    expect(
      readTiming({ elapsed_seconds: '65', left_time: '100:00:01', time_limit: 'none' }),
    ).toMatchObject({
      elapsedSeconds: 65,
      leftSeconds: 360_001,
      timeLimitSeconds: null,
    });
  });

  test('a block that is not an object is ignored', () => {
    expect([null, undefined, 'x', [], 3].map(readTiming)).toEqual([null, null, null, null, null]);
  });
});
