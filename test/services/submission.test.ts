/** The closed union of docs/architecture.md, "Submit is at most once": the same for both services. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { SubmitOutcome } from '../../src/domain/outcomes.ts';
import type { ServiceClient } from '../../src/services/client.ts';
import { createClient } from '../../src/services/registry.ts';
import { JOBS, quiet, TOKEN } from './jobs.ts';
import {
  deadUrl,
  httpServer,
  json,
  netServer,
  rawServer,
  type SeenRequest,
} from './scripted-server.ts';

const ACKNOWLEDGEMENT = { request_id: 'r-1', hash_id: 'r-1', status: 'enqueued', message: 'ok' };

const SERVICES = [
  { name: 'predictions', job: JOBS.sequence, target: { service: 'predictions' } },
  {
    name: 'predictions, earlier',
    job: JOBS.sequence,
    target: { service: 'predictions', config: { variant: 'earlier' } },
  },
  { name: 'molecules', job: JOBS.molecule, target: { service: 'molecules' } },
] as const;

describe.each(SERVICES)('submitting to $name', ({ job, target }) => {
  async function submitTo(
    url: string,
    signal = quiet().signal,
    deadlineMs = 2_000,
  ): Promise<SubmitOutcome> {
    const client: ServiceClient = createClient({ ...target, url, token: TOKEN, deadlineMs });
    try {
      return await client.submit(job, { signal });
    } finally {
      await client.close();
    }
  }

  async function answered(
    answer: (response: ServerResponse, request: SeenRequest) => void,
  ): Promise<SubmitOutcome> {
    await using server = await httpServer((request, response) => answer(response, request));
    const outcome = await submitTo(server.url);
    const sent = server.requests.filter(({ method }) => method === 'POST');
    expect(sent, 'a submission is sent exactly once').toHaveLength(1);
    return outcome;
  }

  async function broken(text: string, after: (socket: Socket) => void): Promise<SubmitOutcome> {
    await using server = await rawServer(text, after);
    const outcome = await submitTo(server.url);
    expect(server.connections(), 'a submission is sent exactly once').toBe(1);
    return outcome;
  }

  test.each([200, 201, 202])('HTTP %i with an id is accepted', async (status) => {
    expect(await answered((response) => json(response, status, ACKNOWLEDGEMENT))).toMatchObject({
      type: 'accepted',
      remoteId: 'r-1',
    });
  });

  test('an id sent as a number is accepted', async () => {
    const body = { request_id: 17, hash_id: 17 };
    expect(await answered((response) => json(response, 200, body))).toMatchObject({
      remoteId: '17',
    });
  });

  test('an acknowledgement with the wrong content type is accepted', async () => {
    const headers = { 'content-type': 'text/html' };
    const outcome = await answered((response) => json(response, 200, ACKNOWLEDGEMENT, headers));
    expect(outcome.type).toBe('accepted');
  });

  test.each(['../../admin', '..', 'a/b', 'a b', ''])(
    'the id %j would leave its path: unsure',
    async (id) => {
      const body = { request_id: id, hash_id: id };
      expect((await answered((response) => json(response, 200, body))).type).toBe('unsure');
    },
  );

  test.each([
    ['no JSON', 'thank you'],
    ['JSON without an id', '{"status":"enqueued"}'],
    ['no body', ''],
  ])('2xx with %s is unsure', async (_, body) => {
    expect((await answered((response) => json(response, 200, body))).type).toBe('unsure');
  });

  test('2xx with a web page comes from a proxy: the service has no such job', async () => {
    const page = '<!doctype html><title>Back at noon</title>';
    expect(await answered((response) => json(response, 200, page))).toMatchObject({
      type: 'notNow',
      reason: 'blocked',
      scope: 'address',
      message: expect.stringContaining('"Back at noon"') as string,
    });
  });

  test('2xx with a web page while the service works otherwise may stand for a job', async () => {
    const outcome = await answered((response, { method }) => {
      if (method === 'POST') json(response, 200, '<!doctype html><title>Thanks</title>');
      else json(response, 404, { error: 'unknown job' });
    });
    expect(outcome).toMatchObject({ type: 'notNow', reason: 'blocked', doubt: true });
  });

  test.each([401, 402, 403, 404, 405, 407, 410, 426, 451, 511])(
    'HTTP %i blocks the service or the credential, and does not refuse the row',
    async (status) => {
      const words = 'token expired';
      expect(await answered((response) => json(response, status, { error: words }))).toMatchObject({
        type: 'notNow',
        reason: 'blocked',
        scope: status === 401 ? 'credential' : 'address',
        message: expect.stringContaining(`HTTP ${status}: ${words}`) as string,
      });
    },
  );

  test.each([301, 302, 303, 307, 308])(
    'a redirect (%i) is reported and not followed',
    async (status) => {
      const headers = { location: 'https://elsewhere.invalid/x?token=1' };
      const outcome = await answered((response) => json(response, status, '', headers));
      expect(outcome).toMatchObject({ type: 'notNow', reason: 'blocked', retryAfterMs: null });
      expect(outcome).toHaveProperty(
        'message',
        expect.stringMatching(/https:\/\/elsewhere\.invalid\/x[,:]/),
      );
    },
  );

  test.each([400, 409, 413, 415, 422])(
    'HTTP %i as a web page or without a message comes from a proxy',
    async (status) => {
      for (const body of ['<html><title>Request blocked</title>', '']) {
        expect(await answered((response) => json(response, status, body))).toMatchObject({
          type: 'notNow',
          reason: 'blocked',
        });
      }
    },
  );

  test.each([400, 403, 404])(
    'a job name that is in use (HTTP %i) refuses the row',
    async (status) => {
      const words = 'job_name already exists for this token';
      expect(await answered((response) => json(response, status, { error: words }))).toEqual({
        type: 'refused',
        status,
        message: words,
      });
    },
  );

  test.each([400, 409, 413, 415, 422])(
    'HTTP %i refuses the row, with the exact message',
    async (status) => {
      const words = 'Sequences must have  equal lengths: "a" (5), "b" (4)';
      expect(await answered((response) => json(response, status, { error: words }))).toEqual({
        type: 'refused',
        status,
        message: words,
      });
    },
  );

  test.each([
    [{ message: 'no' }, 'no'],
    [{ detail: 'no' }, 'no'],
    [{ detail: [{ loc: ['body'], msg: 'missing' }] }, '[{"loc":["body"],"msg":"missing"}]'],
    [{ email: ['not valid'] }, '{"email":["not valid"]}'],
    ['plain words', 'plain words'],
  ])('the message of a refusal is taken from %j', async (body, message) => {
    expect(await answered((response) => json(response, 400, body))).toMatchObject({ message });
  });

  test('long messages are cut at 2,000 characters', async () => {
    const outcome = await answered((response) => json(response, 400, { error: 'é'.repeat(5_000) }));
    expect(outcome).toHaveProperty('message', `${'é'.repeat(1_999)}…`);
  });

  test('a token that the service repeats is overwritten in the outcome', async () => {
    const outcome = await answered((response, request) =>
      json(response, 400, { error: `bad: ${request.body}` }),
    );
    expect(outcome).toHaveProperty('message', expect.stringContaining('*'.repeat(TOKEN.length)));
    expect(JSON.stringify(outcome)).not.toContain(TOKEN);
  });

  test('a refusal with a truncated body does not refuse the row, which is sent again', async () => {
    const text = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 99\r\n\r\n{"error":';
    expect(await broken(text, (socket) => socket.resetAndDestroy())).toMatchObject({
      type: 'notNow',
      reason: 'blocked',
    });
  });

  test('429 with Retry-After in seconds blocks for that long', async () => {
    const headers = { 'retry-after': '17' };
    expect(
      await answered((response) => json(response, 429, { error: 'slow down' }, headers)),
    ).toMatchObject({
      type: 'notNow',
      reason: 'rate-limited',
      retryAfterMs: 17_000,
      message: 'slow down',
    });
  });

  test('429 with Retry-After as a date is measured by the clock of the service', async () => {
    const headers = {
      date: 'Sat, 21 Nov 2020 10:00:00 GMT',
      'retry-after': 'Sat, 21 Nov 2020 10:01:30 GMT',
    };
    const outcome = await answered((response) => json(response, 429, {}, headers));
    expect(outcome).toMatchObject({ reason: 'rate-limited', retryAfterMs: 90_000 });
  });

  test('429 without the header is read from reset_after', async () => {
    const outcome = await answered((response) => json(response, 429, { reset_after: '12' }));
    expect(outcome).toMatchObject({ reason: 'rate-limited', retryAfterMs: 12_000 });
  });

  test('429 without a delay sets no time to wait', async () => {
    const outcome = await answered((response) => json(response, 429, ''));
    expect(outcome).toMatchObject({ reason: 'rate-limited', retryAfterMs: null });
  });

  test.each([
    [503, { 'retry-after': '3' }, 3_000],
    [503, {}, null],
    [408, {}, null],
    [425, {}, null],
  ])('HTTP %i %j: not accepted, and sent again later', async (status, headers, retryAfterMs) => {
    const outcome = await answered((response) => json(response, status, '', { ...headers }));
    expect(outcome).toMatchObject({ type: 'notNow', reason: 'unavailable', retryAfterMs });
  });

  test.each([500, 501, 502, 504, 520])('HTTP %i is unsure', async (status) => {
    expect((await answered((response) => json(response, status, { error: 'oh' }))).type).toBe(
      'unsure',
    );
  });

  test('nothing listens: unreachable', async () => {
    expect(await submitTo(await deadUrl())).toMatchObject({
      type: 'notNow',
      reason: 'unreachable',
      retryAfterMs: null,
    });
  });

  test('an unknown host is unreachable', async () => {
    expect(await submitTo('http://nobody.invalid')).toMatchObject({
      type: 'notNow',
      reason: 'unreachable',
    });
  });

  test('aborted before it was written: unreachable, not unsure', async () => {
    await using server = await httpServer((_, response) => json(response, 200, ACKNOWLEDGEMENT));
    expect(await submitTo(server.url, AbortSignal.abort())).toMatchObject({
      type: 'notNow',
      reason: 'unreachable',
    });
    expect(server.requests).toEqual([]);
  });

  test('reset after the request was read: unsure', async () => {
    expect((await broken('', (socket) => socket.resetAndDestroy())).type).toBe('unsure');
  });

  test('closed after the request was read: unsure', async () => {
    expect((await broken('', (socket) => socket.end())).type).toBe('unsure');
  });

  test('an acceptance that is cut off before its id: unsure', async () => {
    const text = 'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"request_id":';
    expect((await broken(text, (socket) => socket.resetAndDestroy())).type).toBe('unsure');
  });

  test('not answered before the deadline: unsure', async () => {
    await using server = await netServer(() => undefined);
    const outcome = await submitTo(server.url, quiet().signal, 300);
    expect(outcome.type).toBe('unsure');
  });

  test('aborted by the caller after it was written: unsure', async () => {
    await using server = await netServer(() => undefined);
    const outcome = await submitTo(server.url, AbortSignal.timeout(200));
    expect(outcome.type).toBe('unsure');
  });

  test('no outcome shows the token', async () => {
    await using server = await rawServer('', (socket) => socket.resetAndDestroy());
    const outcomes = [await submitTo(server.url), await submitTo(await deadUrl())];
    expect(JSON.stringify(outcomes)).not.toContain(TOKEN);
  });
});
