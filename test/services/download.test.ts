/** What an answer to a download means, and what of it is read. */
import { describe, expect, test } from 'vitest';
import { bytesOf, clientAt, clientOfAnswer, quiet, TOKEN } from './jobs.ts';
import { acpypeRecording, finishedRecord } from './recordings.ts';
import { deadUrl, httpServer, json, rawServer } from './scripted-server.ts';

const DOWNLOAD = '/online_predictors/api/results/r-1/download/?format=';

const resultAt = (url: string, deadlineMs?: number) =>
  clientAt(url, deadlineMs === undefined ? {} : { deadlineMs }).fetch('r-1', 'result', quiet());

describe('each artefact has its path', () => {
  test.each([
    ['result', '/online_predictors/api/results/r-1/', undefined],
    ['history', '/online_predictors/api/results/r-1/history/', undefined],
    ['csv', `${DOWNLOAD}csv`, TOKEN],
    ['metadata', `${DOWNLOAD}metadata`, TOKEN],
    ['distributions', `${DOWNLOAD}distributions`, TOKEN],
  ] as const)('%s, and its bytes are not changed', async (artefact, path, token) => {
    const bytes = Buffer.from([0, 255, 13, 10, 0xc3, 0x28]);
    await using server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/csv', 'content-length': '6' }).end(bytes);
    });
    const outcome = await clientAt(server.url).fetch('r-1', artefact, quiet());
    expect(outcome).toMatchObject({ type: 'found', contentType: 'text/csv', contentLength: 6 });
    expect(await bytesOf(outcome)).toEqual(bytes);
    expect(server.requests.map((one) => one.path)).toEqual([path]);
    expect(server.requests[0]?.headers['x-service-token']).toBe(token);
  });

  test('the record of a molecule, whose token is overwritten without changing the length', async () => {
    const token = 'abcde12345';
    const record = finishedRecord(acpypeRecording('smi-ethanol-bcc-auto-gaff2'));
    const body = JSON.stringify({ ...record, token, log: `run for ${token}\n` });
    const headers = { 'content-length': String(Buffer.byteLength(body)) };
    const target = { service: 'molecules', secrets: { token } } as const;
    const { client, requests } = await clientOfAnswer({ body, headers }, target);
    const outcome = await client.fetch('h1', 'record', quiet());
    expect(outcome).toMatchObject({ contentLength: body.length });
    expect((await bytesOf(outcome)).toString()).toBe(body.replaceAll(token, '*'.repeat(10)));
    expect(requests[0]?.path).toBe('/api/h1/');
  });

  test('what a service does not know is absent, and is not requested', async () => {
    const url = await deadUrl();
    expect(await clientAt(url).fetch('r-1', 'record', quiet())).toMatchObject({ type: 'absent' });
    const molecules = clientAt(url, { service: 'molecules' });
    expect(await molecules.fetch('h1', 'csv', quiet())).toMatchObject({ type: 'absent' });
    expect(molecules.artefacts('molecule')).toEqual(['record']);
  });
});

describe('a download path without /api/ (contract 4.6, the sample)', () => {
  test('is tried when the first is not known', async () => {
    await using server = await httpServer(({ path }, response) => {
      if (path.includes('/api/')) json(response, 404, { error: 'no such path' });
      else response.end('a,b');
    });
    const outcome = await clientAt(server.url).fetch('r-1', 'csv', quiet());
    expect((await bytesOf(outcome)).toString()).toBe('a,b');
    expect(server.requests.map(({ path }) => path)).toEqual([
      `${DOWNLOAD}csv`,
      '/online_predictors/results/r-1/download/?format=csv',
    ]);
  });

  test('a page of the website at this path is not a file', async () => {
    await using server = await httpServer(({ path }, response) => {
      if (path.includes('/api/')) json(response, 404, { error: 'no distributions' });
      else json(response, 200, '<html>home</html>', { 'content-type': 'text/html' });
    });
    const outcome = await clientAt(server.url).fetch('r-1', 'distributions', quiet());
    expect(outcome).toEqual({ type: 'absent', status: 404, message: 'no distributions' });
  });

  test('is not tried for another refusal', async () => {
    const { client, requests } = await clientOfAnswer({ status: 403, body: { error: 'no' } });
    const outcome = await client.fetch('r-1', 'csv', quiet());
    expect(outcome).toMatchObject({ type: 'unavailable', refusesUs: true });
    expect(requests).toHaveLength(1);
  });
});

test.each([
  ...[202, 302, 408, 409, 429, 500, 503].map((status) => ({ status, body: { error: 'x' } })),
  { body: 'x', headers: { 'content-type': 'text/html' } },
  { body: 'x', headers: { 'content-encoding': 'gzip' } },
])('%j is not a result', async (answer) => {
  const headers = { 'retry-after': '4', ...('headers' in answer && answer.headers) };
  const { client } = await clientOfAnswer({ ...answer, headers });
  const outcome = await client.fetch('r-1', 'result', quiet());
  expect(outcome).toMatchObject({ type: 'unavailable' });
  if ('status' in answer) expect(outcome).toMatchObject({ retryAfterMs: 4_000 });
});

test('JSON labelled as a web page is the file, byte by byte; a page is not', async () => {
  let body = '{"a": "ü"}';
  await using server = await httpServer((_, response) =>
    json(response, 200, body, { 'content-type': 'text/html' }),
  );
  expect((await bytesOf(await resultAt(server.url))).toString()).toBe(body);
  body = '<p>{"a": 1}</p>';
  expect(await resultAt(server.url)).toMatchObject({ type: 'unavailable', unusable: true });
});

describe('a truncated download is an error, and not a short file', () => {
  const HALF = 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf';
  const CHUNK = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n';
  test.each([
    ['closed', HALF, 'end'],
    ['reset', HALF, 'resetAndDestroy'],
    ['a chunk is missing', CHUNK, 'end'],
    ['the server stalls in the middle', HALF, null],
  ] as const)('%s', async (_, text, end) => {
    await using server = await rawServer(text, (socket) => {
      if (end !== null) socket[end]();
    });
    // undici checks about once a second.
    const outcome = await resultAt(server.url, end === null ? 500 : undefined);
    await expect(bytesOf(outcome)).rejects.toMatchObject({ code: 'DOWNLOAD_BROKEN' });
  });

  test('aborting closes the connection', async () => {
    const gone = Promise.withResolvers<undefined>();
    await using server = await httpServer((_, response) => {
      const timer = setInterval(() => response.write('x'.repeat(65_536)), 1);
      response.on('close', () => {
        clearInterval(timer);
        gone.resolve(undefined);
      });
    });
    const outcome = await resultAt(server.url);
    if (outcome.type !== 'found') throw new Error(outcome.message);
    for await (const chunk of outcome.body) {
      expect(chunk.byteLength).toBeGreaterThan(0);
      break;
    }
    await gone.promise;
  });
});
