/** How the clients treat a faulty service: they probe before they send, and hold back what is not yet sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clientAt, clientOfAnswer, JOBS, quiet, TOKEN } from './jobs.ts';
import { deadUrl, httpServer, json, rawServer } from './scripted-server.ts';

const NOT_SENT = {
  type: 'notNow',
  reason: 'unreachable',
  message: expect.stringContaining('not sent') as string,
};

describe.each(['molecules', 'predictions'] as const)('%s', (service) => {
  const job = service === 'molecules' ? JOBS.molecule : JOBS.sequence;

  test.each([404, 400, 200])('probed with HTTP %i: up', async (status) => {
    const { client, requests } = await clientOfAnswer(
      { status, body: { error: 'x' } },
      { service },
    );
    expect(await client.ping(quiet())).toEqual({ type: 'well' });
    expect(requests.map(({ method }) => method)).toEqual(['GET']);
    expect(JSON.stringify(requests)).not.toContain(TOKEN);
  });

  test.each([500, 502, 503, 429, 302, 401, 403, 407])(
    'probed with HTTP %i: down',
    async (status) => {
      const answer = { status, body: 'x', headers: { 'retry-after': '7' } };
      const { client } = await clientOfAnswer(answer, { service });
      const outcome = await client.ping(quiet());
      expect(outcome).toMatchObject({ type: 'unavailable', retryAfterMs: 7_000 });
    },
  );

  test('a maintenance page, a reset, no connection: down', async () => {
    const headers = { 'content-type': 'text/html' };
    const page = await clientOfAnswer({ body: '<html>back soon</html>', headers }, { service });
    await using reset = await rawServer('', (socket) => socket.resetAndDestroy());
    const others = [reset.url, await deadUrl()].map((url) => clientAt(url, { service }));
    for (const client of [page.client, ...others])
      expect((await client.ping(quiet())).type).toBe('unavailable');
  });

  /** A service that answers every submission like this, after a while. */
  async function answering(status: number, afterMs = 0) {
    const answer = { status };
    const server = await httpServer((_, response) => {
      setTimeout(() => json(response, answer.status, { error: 'x' }), afterMs);
    });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const client = clientAt(server.url, { service, connections: 2 });
    const submit = async (number?: number, failuresKnownTo = 0, probe = false, at = Date.now()) => {
      const permission = { at, number: number ?? 0, failuresKnownTo, probe };
      const asked = number === undefined ? quiet() : { ...quiet(), permission };
      const outcome = await client.submit(job, asked);
      await sleep(5);
      return outcome;
    };
    return { answer, submit, requests: server.requests };
  }

  test.each([502, 503, 429])(
    'one submission fails with HTTP %i: others are deferred',
    async (status) => {
      const { submit, requests } = await answering(status, 100);
      const all = await Promise.all(Array.from({ length: 20 }, () => submit()));
      expect(requests.length, 'submissions that were written').toBeLessThanOrEqual(4);
      const deferred = all.filter((one) => one.type === 'notNow' && one.reason === 'unreachable');
      expect(deferred.length).toBe(20 - requests.length);
    },
  );

  test('submissions granted before a failure are deferred, and later ones are sent', async () => {
    const { answer, submit, requests } = await answering(500);
    const before = Date.now();
    await sleep(5);
    await submit();
    answer.status = 400;
    expect(await submit(1, 0, false, before)).toMatchObject(NOT_SENT);
    expect(requests).toHaveLength(1);
    expect((await submit()).type).toBe('refused');
  });

  test('submissions granted before the budget knew of a failure are deferred, however late', async () => {
    const { answer, submit, requests } = await answering(500);
    await submit(3);
    answer.status = 400;
    expect(await submit(4, 2)).toMatchObject(NOT_SENT);
    expect(requests).toHaveLength(1);
    expect((await submit(6, 5)).type, 'the budget knows').toBe('refused');
  });

  test('a probe ends the outage, also for a new budget that counts from 1', async () => {
    const { answer, submit } = await answering(500);
    await submit(1_000);
    answer.status = 400;
    expect((await submit(1)).type).toBe('notNow');
    expect((await submit(2, 0, true)).type).toBe('refused');
    expect((await submit(3)).type).toBe('refused');
  });

  test('a refusal of one does not affect the others', async () => {
    const { submit } = await answering(400);
    const all = await Promise.all(Array.from({ length: 10 }, () => submit()));
    expect(all.filter(({ type }) => type === 'refused')).toHaveLength(10);
  });
});
