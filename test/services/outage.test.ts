/** How the clients treat a faulty service: they probe before they send, and hold back what is not yet sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ServiceClient } from '../../src/services/client.ts';
import { createClient } from '../../src/services/registry.ts';
import { JOBS, quiet, TOKEN } from './jobs.ts';
import { deadUrl, httpServer, json, rawServer } from './scripted-server.ts';

function clientOf(
  service: 'molecules' | 'predictions',
  url: string,
  connections = 2,
): ServiceClient {
  const client = createClient({ service, url, token: TOKEN, deadlineMs: 2_000, connections });
  onTestFinished(() => client.close());
  return client;
}

const SERVICES = ['molecules', 'predictions'] as const;

describe.each(SERVICES)('probing %s', (service) => {
  test.each([404, 400, 200])('HTTP %i: up', async (status) => {
    await using server = await httpServer((_, response) => json(response, status, { error: 'x' }));
    expect(await clientOf(service, server.url).ping(quiet())).toEqual({ type: 'well' });
    expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
  });

  test.each([500, 502, 503, 429, 302, 401, 403, 407])('HTTP %i: down', async (status) => {
    await using server = await httpServer((_, response) => {
      json(response, status, 'x', { 'retry-after': '7' });
    });
    const outcome = await clientOf(service, server.url).ping(quiet());
    expect(outcome).toMatchObject({ type: 'unavailable', retryAfterMs: 7_000 });
  });

  test('a maintenance page, a reset, no connection: down', async () => {
    await using page = await httpServer((_, response) => {
      json(response, 200, '<html>back soon</html>', { 'content-type': 'text/html' });
    });
    await using reset = await rawServer('', (socket) => socket.resetAndDestroy());
    for (const url of [page.url, reset.url, await deadUrl()]) {
      expect((await clientOf(service, url).ping(quiet())).type, url).toBe('unavailable');
    }
  });

  test('sends no token', async () => {
    await using server = await httpServer((_, response) => json(response, 404, {}));
    await clientOf(service, server.url).ping(quiet());
    expect(JSON.stringify(server.requests)).not.toContain(TOKEN);
  });
});

describe.each(SERVICES)('submissions to %s when one of them fails', (service) => {
  const job = service === 'molecules' ? JOBS.molecule : JOBS.sequence;

  test.each([502, 503, 429])(
    'with HTTP %i: those that are not yet written are deferred',
    async (status) => {
      await using server = await httpServer((_, response) => {
        setTimeout(() => json(response, status, { error: 'x' }), 100);
      });
      const client = clientOf(service, server.url);
      const all = await Promise.all(Array.from({ length: 20 }, () => client.submit(job, quiet())));
      expect(server.requests.length, 'submissions that were written').toBeLessThanOrEqual(4);
      const notSent = all.filter((one) => one.type === 'notNow' && one.reason === 'unreachable');
      expect(notSent.length).toBe(20 - server.requests.length);
    },
  );

  test('those granted before the failure are deferred, and later ones are sent', async () => {
    let status = 500;
    await using server = await httpServer((_, response) => json(response, status, { error: 'x' }));
    const client = clientOf(service, server.url);
    const permission = { at: Date.now(), number: 1, failuresKnownTo: 0 };
    await sleep(5);
    await client.submit(job, quiet());
    status = 400;
    expect(await client.submit(job, { ...quiet(), permission })).toMatchObject({
      type: 'notNow',
      message: expect.stringContaining('not sent') as string,
    });
    expect(server.requests).toHaveLength(1);
    expect((await client.submit(job, quiet())).type).toBe('refused');
  });

  test('those granted before the budget knew of the failure are deferred, however late; later ones are sent', async () => {
    let status = 500;
    await using server = await httpServer((_, response) => json(response, status, { error: 'x' }));
    const client = clientOf(service, server.url);
    const submit = (number: number, failuresKnownTo: number, probe = false) =>
      client.submit(job, {
        ...quiet(),
        permission: { at: Date.now(), number, failuresKnownTo, probe },
      });
    await submit(3, 0);
    await sleep(5);
    status = 400;
    expect(await submit(4, 2)).toMatchObject({
      type: 'notNow',
      message: expect.stringContaining('not sent') as string,
    });
    expect(server.requests).toHaveLength(1);
    expect((await submit(6, 5)).type, 'the budget knows').toBe('refused');
  });

  test('a probe ends the outage, also for a new budget that counts from 1', async () => {
    let status = 500;
    await using server = await httpServer((_, response) => json(response, status, { error: 'x' }));
    const client = clientOf(service, server.url);
    const submit = (number: number, probe: boolean) =>
      client.submit(job, {
        ...quiet(),
        permission: { at: Date.now(), number, failuresKnownTo: 0, probe },
      });
    await submit(1_000, false);
    await sleep(5);
    status = 400;
    expect((await submit(1, false)).type).toBe('notNow');
    expect((await submit(2, true)).type).toBe('refused');
    expect((await submit(3, false)).type).toBe('refused');
  });

  test('a refusal of one does not affect the others', async () => {
    await using server = await httpServer((_, response) => json(response, 400, { error: 'x' }));
    const client = clientOf(service, server.url);
    const all = await Promise.all(Array.from({ length: 10 }, () => client.submit(job, quiet())));
    expect(all.filter(({ type }) => type === 'refused')).toHaveLength(10);
  });
});

describe('a file labelled as a web page', () => {
  test('that is JSON is the file, byte by byte; a page is not', async () => {
    let body = '{"a": "ü"}';
    await using server = await httpServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end(body);
    });
    const client = clientOf('predictions', server.url);
    const good = await client.fetch('r-1', 'result', quiet());
    if (good.type !== 'found') throw new Error(JSON.stringify(good));
    const chunks: Uint8Array[] = [];
    for await (const chunk of good.body) chunks.push(chunk);
    expect(Buffer.concat(chunks).toString()).toBe(body);
    body = '<p>{"a": 1}</p>';
    expect(await client.fetch('r-1', 'result', quiet())).toMatchObject({
      type: 'unavailable',
      unusable: true,
    });
  });
});
