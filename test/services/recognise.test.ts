/** What is found at the address of a service, detected by requests that cost nothing. */
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startLocalServices, type LocalServices } from '../../src/local-services/server.ts';
import { createHttp, type Http } from '../../src/services/http.ts';
import { recognise, type Address } from '../../src/services/recognise.ts';
import { deadUrl, httpServer, json, type SeenRequest } from './scripted-server.ts';

let current: LocalServices;
let earlier: LocalServices;
beforeAll(async () => {
  const options = { port: 0, database: ':memory:', engine: 'synthetic' } as const;
  current = await startLocalServices(options);
  earlier = await startLocalServices({ ...options, variant: 'earlier' });
});
afterAll(async () => {
  await Promise.all([current.close(), earlier.close()]);
});

const open: Http[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.close()));
});

function seen(url: string, wanted: Partial<Address> = {}) {
  const http = createHttp({
    service: 'predictions',
    secrets: ['hush-hush-token'],
    deadlineMs: 500,
  });
  open.push(http);
  const address = { service: 'predictions', config: { variant: 'current' }, ...wanted, url } as const;
  return recognise(http, address, AbortSignal.timeout(10_000));
}

const MOLECULES = { service: 'molecules' } as const;

describe('the local services', () => {
  test('are recognised, each at its address', async () => {
    expect(await seen(current.url)).toEqual({ type: 'right' });
    expect(await seen(`${current.url}/`)).toEqual({ type: 'right' });
    expect(await seen(current.moleculesUrl, MOLECULES)).toEqual({ type: 'right' });
    expect(await seen(earlier.url, { config: { variant: 'earlier' } })).toEqual({ type: 'right' });
    expect(current.journal()).toEqual([]);
  });

  test('are not elsewhere, and the message names the other service if it answers at the address', async () => {
    const nothing = { type: 'wrong', better: null };
    const [typo, predictions, molecules] = await Promise.all([
      seen(`${current.url}/typo`),
      seen(current.url, MOLECULES),
      seen(current.moleculesUrl),
    ]);
    expect(typo).toMatchObject(nothing);
    expect(predictions).toMatchObject({
      message: `${current.url} is not the molecule service: the prediction service is there`,
    });
    expect(molecules).toMatchObject({
      message: `${current.moleculesUrl} is not the prediction service: the molecule service is there`,
    });
  });

  test('the other variant is recognised at the address', async () => {
    expect(await seen(earlier.url)).toMatchObject({
      type: 'wrong',
      better: { url: earlier.url, config: { variant: 'earlier' } },
    });
  });
});

type Answer = (request: SeenRequest, response: ServerResponse) => void;

const page =
  (status: number, title: string): Answer =>
  (_, response) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end(`<!doctype html><title>${title}</title>`);
  };
const redirect =
  (status: number, location: string): Answer =>
  ({ path }, response) =>
    response.writeHead(status, { location: location.replace('PATH', path) }).end();

describe('another server', () => {
  test.each([
    [page(404, 'Not Found'), 'wrong', /is not the prediction service: .*HTTP 404.*"Not Found"/],
    [page(200, 'Log in to Hotel WiFi'), 'unclear', /"Log in to Hotel WiFi".*a web page/],
    [page(503, 'Maintenance'), 'away', /HTTP 503, "Maintenance"/],
    [page(403, 'Blocked'), 'refused', /HTTP 403, "Blocked"/],
    [page(401, 'Login'), 'refused', /HTTP 401/],
    [page(429, 'Slow'), 'away', /HTTP 429/],
    [
      redirect(302, 'https://u:hush@login.example/x?t=hush'),
      'unclear',
      /to https:\/\/login\.example\/x$/,
    ],
    [
      redirect(308, 'https://new.example/x'),
      'wrong',
      /moved permanently \(HTTP 308\) to https:\/\/new\.example\/x$/,
    ],
  ])('is judged by its answer (%#): %j', async (answer, type, words) => {
    await using server = await httpServer(answer);
    const found = await seen(server.url);
    expect(found).toMatchObject({ type, message: expect.stringMatching(words) as string });
    expect(JSON.stringify(found)).not.toContain('hush');
    expect(server.requests.every(({ method, body }) => method === 'GET' && body === '')).toBe(true);
    expect(server.requests.length).toBeLessThan(30);
    expect(JSON.stringify(server.requests)).not.toContain('hush-hush-token');
  });

  test('a permanent redirect of every path: the target address', async () => {
    await using server = await httpServer(redirect(301, 'https://new.example/basePATH'));
    expect(await seen(server.url)).toMatchObject({
      type: 'wrong',
      better: { url: 'https://new.example/base', config: {} },
    });
    await using molecules = await httpServer(redirect(308, 'https://new.examplePATH'));
    expect(await seen(`${molecules.url}/acpype`, MOLECULES)).toMatchObject({
      better: { url: 'https://new.example/acpype' },
    });
  });

  test('no connection: away', async () => {
    expect(await seen(await deadUrl())).toMatchObject({ type: 'away' });
  });

  test('no answer in time: away', async () => {
    await using server = await httpServer(() => undefined);
    expect(await seen(server.url)).toMatchObject({ type: 'away' });
  });

  test('a temporary 404: right', async () => {
    const well = Date.now() + 1_000;
    await using server = await httpServer((request, response) => {
      if (Date.now() < well) return page(404, 'starting')(request, response);
      return json(response, 404, { error: 'Request not found' });
    });
    expect(await seen(server.url)).toEqual({ type: 'right' });
  });

  test('a molecule service with its own message for an unknown job: right', async () => {
    await using server = await httpServer(({ path }, response) => {
      if (path.startsWith('/acpype/api/queue/')) json(response, 404, { detail: 'No such job.' });
      else page(404, 'Not Found')({} as SeenRequest, response);
    });
    expect(await seen(`${server.url}/acpype`, MOLECULES)).toEqual({ type: 'right' });
  });

  test('a prediction service that answers an unknown job with a page, and refuses GET where POST belongs: right', async () => {
    await using server = await httpServer(({ path }, response) => {
      if (path.includes('/submit/')) json(response, 405, { detail: 'Method "GET" not allowed.' });
      else page(404, 'Not Found')({} as SeenRequest, response);
    });
    expect(await seen(server.url)).toEqual({ type: 'right' });
  });
});
