import { type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { queryObjects } from 'node:v8';
import { afterEach, describe, expect, test } from 'vitest';
import type { HttpAnswer } from '../../src/services/http-answer.ts';
import { createHttp, type Http } from '../../src/services/http.ts';
import { deadUrl, httpServer, json, netServer, rawServer } from './scripted-server.ts';

const open: Http[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.close()));
});

function newHttp(deadlineMs = 2_000, connections?: number): Http {
  const http = createHttp({ service: 'predictions', secrets: [], deadlineMs, connections });
  open.push(http);
  return http;
}

function post(http: Http, url: string, signal = new AbortController().signal): Promise<HttpAnswer> {
  const body = { contentType: 'application/json', bytes: Buffer.from('{"token":"hush-hush"}') };
  return http.send({
    method: 'POST',
    url: new URL(`${url}/submit/?token=hush-hush`),
    body,
    signal,
  });
}

describe('a request that never left this machine is distinguished from an uncertain one', () => {
  test('a connection that comes too late: unreached, and no byte was sent', async () => {
    const received: Buffer[] = [];
    await using server = await netServer((socket) =>
      socket.on('data', (bytes) => received.push(Buffer.from(bytes))),
    );
    const answer = await newHttp().send({
      method: 'POST',
      url: new URL(server.url),
      signal: new AbortController().signal,
      mayBegin: () => false,
    });
    expect(answer).toMatchObject({ type: 'unreached', code: 'TOO_LATE' });
    expect(received).toEqual([]);
  });

  test('a TLS handshake that fails: unreached', async () => {
    await using server = await netServer((socket) => socket.end('no TLS here\r\n'));
    const answer = await post(newHttp(), server.url.replace('http:', 'https:'));
    expect(answer.type).toBe('unreached');
  });

  test('a TLS connection that is reset before it is established: unreached', async () => {
    await using server = await netServer((socket) =>
      socket.once('data', () => socket.resetAndDestroy()),
    );
    const answer = await post(newHttp(), server.url.replace('http:', 'https:'));
    expect(answer.type).toBe('unreached');
  });

  test('no connection before the timeout: unreached', async () => {
    // For undici a connection is open once TLS is established.
    await using server = await netServer(() => undefined);
    const answer = await post(newHttp(400), server.url.replace('http:', 'https:'));
    expect(answer.type).toBe('unreached');
  });

  test('aborted while it waits for a free connection: unreached', async () => {
    await using server = await httpServer(() => undefined);
    const http = newHttp(5_000, 1);
    const first = new AbortController();
    const second = new AbortController();
    const hanging = post(http, server.url, first.signal);
    const waiting = post(http, server.url, second.signal);
    await new Promise((resolve) => setTimeout(resolve, 100));
    second.abort();
    expect(await waiting).toMatchObject({ type: 'unreached', code: 'ABORTED' });
    first.abort();
    expect(await hanging).toMatchObject({ type: 'broken', code: 'ABORTED' });
    // The connection is free now: the aborted request must not be written after all.
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(server.requests).toHaveLength(1);
  });

  test('aborted before it began: unreached', async () => {
    await using server = await httpServer((_, response) => json(response, 200, {}));
    const answer = await post(newHttp(), server.url, AbortSignal.abort());
    expect(answer).toMatchObject({ type: 'unreached', code: 'ABORTED' });
    expect(server.requests).toEqual([]);
  });

  test('answered with an incomplete header: broken', async () => {
    await using server = await rawServer('HTTP/1.1 200 OK\r\nContent-', (socket) => socket.end());
    expect((await post(newHttp(), server.url)).type).toBe('broken');
  });

  test('answered with something that is not HTTP: broken', async () => {
    await using server = await rawServer('220 mail ready\r\n\r\n', (socket) => socket.end());
    expect((await post(newHttp(), server.url)).type).toBe('broken');
  });
});

describe('messages', () => {
  test('show method, address and reason, never a query or a body', async () => {
    const url = await deadUrl();
    const answer = await post(newHttp(), url);
    expect(answer).toHaveProperty(
      'message',
      `POST ${url}/submit/: connection refused: nothing listens there (ECONNREFUSED)`,
    );
    expect(JSON.stringify(answer)).not.toContain('hush');
  });
});

describe('connections', () => {
  test('reads reuse a connection', async () => {
    await using server = await httpServer((_, response) => json(response, 200, { a: 1 }));
    const http = newHttp();
    for (let count = 0; count < 10; count += 1) {
      const signal = new AbortController().signal;
      const answer = await http.send({ method: 'GET', url: new URL(server.url), signal });
      if (answer.type === 'answered') await answer.body.text(100);
    }
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test('each POST has its own connection, so that none is written to a closing one', async () => {
    await using server = await httpServer((_, response) => json(response, 201, {}));
    const http = newHttp();
    for (let count = 0; count < 3; count += 1) {
      const answer = await post(http, server.url);
      if (answer.type === 'answered') await answer.body.text(100);
    }
    expect(server.connections()).toBe(3);
  });

  test('there are never more connections than allowed', async () => {
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
    const http = newHttp(2_000, 3);
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const answer = await post(http, server.url);
        if (answer.type === 'answered') await answer.body.text(100);
      }),
    );
    expect(server.requests).toHaveLength(12);
    expect(most).toBe(3);
  });

  test('a POST is sent once: no redirect is followed, and no request is repeated', async () => {
    await using server = await httpServer((_, response) =>
      json(response, 307, '', { location: '/other/' }),
    );
    expect(await post(newHttp(), server.url)).toMatchObject({ type: 'answered', status: 307 });
    expect(server.requests.map(({ path }) => path)).toEqual(['/submit/?token=hush-hush']);
  });

  test('closing lets a submission finish and aborts reads', async () => {
    await using server = await httpServer((_, response) => {
      setTimeout(() => json(response, 201, { id: 1 }), 150);
    });
    const http = createHttp({ service: 'predictions', secrets: [], deadlineMs: 2_000 });
    const submission = post(http, server.url);
    const signal = new AbortController().signal;
    const reading = http.send({ method: 'GET', url: new URL(server.url), signal });
    await new Promise((resolve) => setTimeout(resolve, 50));
    const closed = http.close();
    expect((await reading).type).toBe('broken');
    const answer = await submission;
    expect(answer).toMatchObject({ type: 'answered', status: 201 });
    if (answer.type === 'answered') await answer.body.discard();
    await closed;
  });
});

describe('bodies', () => {
  async function answerOf(raw: string, after: (socket: Socket) => void, http = newHttp()) {
    const server = await rawServer(raw, after);
    const signal = new AbortController().signal;
    const answer = await http.send({ method: 'GET', url: new URL(server.url), signal });
    if (answer.type !== 'answered') throw new Error(`not answered: ${answer.message}`);
    return { server, body: answer.body };
  }

  test('shorter than announced is broken, and not accepted as short', async () => {
    const raw = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half":';
    const { server, body } = await answerOf(raw, (socket) => socket.end());
    await using _ = server;
    expect(await body.text(1000)).toMatchObject({ type: 'broken' });
  });

  test('a chunked one without its last chunk is broken', async () => {
    const raw = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n';
    const { server, body } = await answerOf(raw, (socket) => socket.end());
    await using _ = server;
    expect(await body.text(1000)).toMatchObject({ type: 'broken' });
  });

  test('one that stops halfway fails at the deadline', async () => {
    const raw = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"half":';
    const { server, body } = await answerOf(raw, () => undefined, newHttp(300));
    await using _ = server;
    expect(await body.text(1000)).toMatchObject({
      type: 'broken',
      message: expect.stringContaining('deadline'),
    });
  });

  test('one above the size limit is cut off', async () => {
    await using server = await httpServer((_, response) => response.end('x'.repeat(100_000)));
    const signal = new AbortController().signal;
    const answer = await newHttp().send({ method: 'GET', url: new URL(server.url), signal });
    if (answer.type !== 'answered') throw new Error('not answered');
    expect(await answer.body.text(10)).toMatchObject({ type: 'tooLong', text: 'xxxxxxxxxx' });
  });
});

test('an answer that was read is released before the deadline of its request', async () => {
  await using server = await httpServer((_, response) => json(response, 200, { done: true }));
  const http = newHttp(60_000);
  const { signal } = new AbortController();
  const get = async (): Promise<void> => {
    const answer = await http.send({ method: 'GET', url: new URL(server.url), signal });
    if (answer.type !== 'answered') throw new Error(answer.message);
    expect(await answer.body.text(100)).toMatchObject({ type: 'whole' });
  };
  await get();
  const before = queryObjects(Readable, { format: 'count' });
  for (let n = 0; n < 50; n += 1) await get();
  expect(queryObjects(Readable, { format: 'count' }) - before).toBeLessThan(10);
});
