/** What is known of a request after it failed, the connections that are used, and bodies that are not whole. */
import { type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { queryObjects } from 'node:v8';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { MAX_OUTSTANDING } from '../../src/budget/state.ts';
import { type HttpAnswer, createHttp, type Http } from '../../src/services/http.ts';
import { deadUrl, httpServer, json, netServer, rawServer } from './scripted-server.ts';

function newHttp(deadlineMs = 2_000, betweenMs = 0): Http {
  const http = createHttp({ service: 'predictions', secrets: [], deadlineMs, betweenMs });
  onTestFinished(() => http.close());
  return http;
}

const never = (): AbortSignal => new AbortController().signal;

function post(http: Http, url: string, signal = never()): Promise<HttpAnswer> {
  const body = { contentType: 'application/json', bytes: Buffer.from('{"token":"hush-hush"}') };
  const address = new URL(`${url}/submit/?token=hush-hush`);
  return http.send({ method: 'POST', url: address, body, signal });
}

const get = (http: Http, url: string): Promise<HttpAnswer> =>
  http.send({ method: 'GET', url: new URL(url), signal: never() });

async function read(answer: HttpAnswer, limit = 1_000) {
  if (answer.type !== 'answered') throw new Error(`not answered: ${answer.message}`);
  return answer.body.text(limit);
}

describe('a request that never left this machine is distinguished from an uncertain one', () => {
  test('a connection that comes too late: unreached, and no byte was sent', async () => {
    const received: Buffer[] = [];
    await using server = await netServer((socket) =>
      socket.on('data', (bytes) => received.push(Buffer.from(bytes))),
    );
    const request = { method: 'POST', url: new URL(server.url), signal: never() } as const;
    const answer = await newHttp().send({ ...request, mayBegin: () => false });
    expect(answer).toMatchObject({ type: 'unreached', code: 'TOO_LATE' });
    expect(received).toEqual([]);
  });

  // For undici a connection is open once TLS is established.
  test.each<[string, (socket: Socket) => unknown, number?]>([
    ['fails', (socket) => socket.end('no TLS here\r\n')],
    ['is reset', (socket) => socket.once('data', () => socket.resetAndDestroy())],
    ['does not end before the timeout', () => undefined, 400],
  ])('a TLS handshake that %s: unreached', async (_, onSocket, deadlineMs) => {
    await using server = await netServer((socket) => void onSocket(socket));
    const answer = await post(newHttp(deadlineMs), server.url.replace('http:', 'https:'));
    expect(answer.type).toBe('unreached');
  });

  test('aborted while it waits for a free connection: unreached', async () => {
    await using server = await httpServer(() => undefined);
    const http = newHttp(5_000);
    const [first, second] = [new AbortController(), new AbortController()];
    const hanging = Array.from({ length: MAX_OUTSTANDING }, () =>
      post(http, server.url, first.signal),
    );
    await expect.poll(() => server.requests.length).toBe(MAX_OUTSTANDING);
    const waiting = post(http, server.url, second.signal);
    await sleep(100);
    second.abort();
    expect(await waiting).toMatchObject({ type: 'unreached', code: 'ABORTED' });
    first.abort();
    for (const answer of await Promise.all(hanging))
      expect(answer).toMatchObject({ type: 'broken', code: 'ABORTED' });
    // Connections are free now: the aborted request must not be written after all.
    await sleep(100);
    expect(server.requests).toHaveLength(MAX_OUTSTANDING);
  });

  test.each([
    ['an incomplete header', 'HTTP/1.1 200 OK\r\nContent-'],
    ['something that is not HTTP', '220 mail ready\r\n\r\n'],
  ])('answered with %s: broken', async (_, text) => {
    await using server = await rawServer(text, (socket) => socket.end());
    expect((await post(newHttp(), server.url)).type).toBe('broken');
  });
});

test('messages show method, address and reason, never a query or a body', async () => {
  const url = await deadUrl();
  const answer = await post(newHttp(), url);
  const why = 'connection refused: nothing listens there (ECONNREFUSED)';
  expect(answer).toHaveProperty('message', `POST ${url}/submit/: ${why}`);
  expect(JSON.stringify(answer)).not.toContain('hush');
});

describe('connections', () => {
  test('reads reuse one; each POST has its own, so that none is written to a closing one', async () => {
    await using server = await httpServer((_, response) => json(response, 200, {}));
    const http = newHttp();
    for (let count = 0; count < 10; count += 1) await read(await get(http, server.url));
    const forReading = server.connections();
    expect(forReading).toBeLessThanOrEqual(2);
    for (let count = 0; count < 3; count += 1) await read(await post(http, server.url));
    expect(server.connections()).toBe(forReading + 3);
  });

  test('requests are as far from each other as the service wants; a submission counts and does not wait', async () => {
    const times: number[] = [];
    await using server = await httpServer((_, response) => {
      times.push(performance.now());
      json(response, 200, {});
    });
    const http = newHttp(2_000, 200);
    const asked = performance.now();
    await read(await post(http, server.url));
    expect(http.waitMs()).toBeGreaterThan(0);
    const reads = [get(http, server.url), get(http, server.url)];
    const began = performance.now();
    await read(await post(http, server.url));
    expect(performance.now() - began).toBeLessThan(200);
    await Promise.all(reads);
    expect(Math.max(...times) - asked).toBeGreaterThan(395);
  });

  test('there are never more than allowed', async () => {
    let now = 0;
    let most = 0;
    await using server = await httpServer((_, response) => {
      now += 1;
      most = Math.max(most, now);
      setTimeout(() => {
        now -= 1;
        json(response, 200, {});
      }, 20);
    });
    const http = newHttp();
    const posts = Array.from({ length: 40 }, async () => read(await post(http, server.url)));
    await Promise.all(posts);
    expect(server.requests).toHaveLength(40);
    expect(most).toBe(MAX_OUTSTANDING);
  });

  test('a POST is sent once: no redirect is followed, and no request is repeated', async () => {
    await using server = await httpServer((_, response) =>
      json(response, 307, '', { location: '/other/' }),
    );
    expect(await post(newHttp(), server.url)).toMatchObject({ type: 'answered', status: 307 });
    expect(server.requests.map(({ path }) => path)).toEqual(['/submit/?token=hush-hush']);
  });

  test('closing lets a submission finish and aborts reads', async () => {
    const answered = Promise.withResolvers<undefined>();
    await using server = await httpServer((_, response) => {
      void answered.promise.then(() => json(response, 201, { id: 1 }));
    });
    const http = createHttp({ service: 'predictions', secrets: [], deadlineMs: 20_000 });
    const submission = post(http, server.url);
    const reading = get(http, server.url);
    await expect.poll(() => server.requests.length).toBe(2);
    const closed = http.close();
    expect((await reading).type).toBe('broken');
    answered.resolve(undefined);
    expect(await read(await submission)).toMatchObject({ type: 'whole' });
    await closed;
  });
});

describe('a body', () => {
  const HALF = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half":';
  const CHUNK = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n';
  test.each<[string, string, (socket: Socket) => void, string]>([
    ['shorter than announced is broken, and not accepted as short', HALF, (s) => s.end(), ''],
    ['in chunks, without its last one, is broken', CHUNK, (s) => s.end(), ''],
    ['that stops halfway fails at the deadline', HALF, () => undefined, 'deadline'],
  ])('%s', async (_, text, after, words) => {
    await using server = await rawServer(text, after);
    const http = newHttp(words === '' ? 2_000 : 300);
    expect(await read(await get(http, server.url))).toMatchObject({
      type: 'broken',
      message: expect.stringContaining(words) as string,
    });
  });

  test('above the size limit is cut off', async () => {
    await using server = await httpServer((_, response) => response.end('x'.repeat(100_000)));
    const answer = await get(newHttp(), server.url);
    expect(await read(answer, 10)).toMatchObject({ type: 'tooLong', text: 'xxxxxxxxxx' });
  });
});

test('an answer that was read is released before the deadline of its request', async () => {
  await using server = await httpServer((_, response) => json(response, 200, { done: true }));
  const http = newHttp(60_000);
  const readOne = async () =>
    expect(await read(await get(http, server.url))).toMatchObject({ type: 'whole' });
  await readOne();
  const before = queryObjects(Readable, { format: 'count' });
  for (let n = 0; n < 50; n += 1) await readOne();
  expect(queryObjects(Readable, { format: 'count' }) - before).toBeLessThan(10);
});
