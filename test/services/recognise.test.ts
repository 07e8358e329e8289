/** What is found at the address of a service, detected by requests that cost nothing. */
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  startLocalServices,
  type LocalServices,
} from '../../packages/local-services/src/server.ts';
import { chooseRemedy } from '../../src/runner/intake.ts';
import { createHttp } from '../../src/services/http.ts';
import { recognise, type Address } from '../../src/services/recognise.ts';
import { deadUrl, httpServer, json, type SeenRequest } from './scripted-server.ts';

function seen(url: string, wanted: Partial<Address> = {}) {
  const secrets = ['hush-hush-token'];
  const http = createHttp({ service: 'predictions', secrets, deadlineMs: 500 });
  onTestFinished(() => http.close());
  const address = {
    service: 'predictions',
    config: { variant: 'current' },
    ...wanted,
    url,
  } as const;
  return recognise(http, address, AbortSignal.timeout(10_000));
}

const MOLECULES = { service: 'molecules' } as const;

test('who has written the address of something else is told what to write', () => {
  const found = { type: 'wrong', message: 'another service', better: null } as const;
  const reference = { service: 'molecules', address: 'm.example', credential: '' };
  expect(chooseRemedy({ reference } as never, found)).toMatch(
    /^Write at services\.molecules\.url .* gave you, such as https:\/\/.*\/acpype\.$/,
  );
});

describe('the local services', () => {
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

  test('are recognised, each at its address', async () => {
    expect(await seen(`${current.url}/`)).toEqual({ type: 'right' });
    expect(await seen(current.moleculesUrl, MOLECULES)).toEqual({ type: 'right' });
    expect(await seen(earlier.url, { config: { variant: 'earlier' } })).toEqual({ type: 'right' });
    expect(current.journal()).toEqual([]);
  });

  test('are not elsewhere, and the message names the other service or variant that answers there', async () => {
    expect(await seen(`${current.url}/typo`)).toMatchObject({ type: 'wrong', better: null });
    expect(await seen(current.url, MOLECULES)).toMatchObject({
      message: `${current.url} is not the molecule service: the prediction service is there`,
    });
    expect(await seen(current.moleculesUrl)).toMatchObject({
      message: `${current.moleculesUrl} is not the prediction service: the molecule service is there`,
    });
    const better = { url: earlier.url, config: { variant: 'earlier' } };
    expect(await seen(earlier.url)).toMatchObject({ type: 'wrong', better });
  });
});

type Answer = (request: Pick<SeenRequest, 'path'>, response: ServerResponse) => void;

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
const NOT_FOUND = page(404, 'Not Found');

describe('another server', () => {
  test.each<[string, Answer, string, RegExp]>([
    ['404', NOT_FOUND, 'wrong', /is not the prediction service: .*HTTP 404.*"Not Found"/],
    ['a page', page(200, 'Hotel WiFi'), 'unclear', /"Hotel WiFi".*a web page/],
    ['503', page(503, 'Maintenance'), 'away', /HTTP 503, "Maintenance"/],
    ['403', page(403, 'Blocked'), 'refused', /HTTP 403, "Blocked"/],
    ['401', page(401, 'Login'), 'refused', /HTTP 401/],
    ['429', page(429, 'Slow'), 'away', /HTTP 429/],
    [
      '302',
      redirect(302, 'https://u:hush@login.example/x?t=hush'),
      'unclear',
      /login\.example\/x$/,
    ],
    ['308', redirect(308, 'https://new.example/x'), 'wrong', /moved permanently.*new\.example\/x$/],
  ])('is judged by its answer: %s', async (_, answer, type, words) => {
    await using server = await httpServer(answer);
    const found = await seen(server.url);
    expect(found).toMatchObject({ type, message: expect.stringMatching(words) as string });
    expect(JSON.stringify([found, server.requests])).not.toContain('hush');
    expect(server.requests.every(({ method, body }) => method === 'GET' && body === '')).toBe(true);
    expect(server.requests.length).toBeLessThan(30);
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

  test('no connection, or no answer in time: away', async () => {
    expect(await seen(await deadUrl())).toMatchObject({ type: 'away' });
    await using server = await httpServer(() => undefined);
    expect(await seen(server.url)).toMatchObject({ type: 'away' });
  });

  test('a temporary 404: right', async () => {
    const well = Date.now() + 1_000;
    await using server = await httpServer((request, response) => {
      if (Date.now() < well) NOT_FOUND(request, response);
      else json(response, 404, { error: 'Request not found' });
    });
    expect(await seen(server.url)).toEqual({ type: 'right' });
  });

  test.each<[string, string, number, string, Partial<Address>]>([
    ['a molecule service with its own message', '/acpype/api/queue/', 404, '/acpype', MOLECULES],
    ['a prediction service that answers with a page, but refuses GET', '/submit/', 405, '', {}],
  ])('%s for an unknown job: right', async (_, part, status, below, wanted) => {
    await using server = await httpServer((request, response) => {
      if (request.path.includes(part)) json(response, status, { detail: 'its own words' });
      else NOT_FOUND(request, response);
    });
    expect(await seen(`${server.url}${below}`, wanted)).toEqual({ type: 'right' });
  });
});
