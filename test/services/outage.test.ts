/** How a probe reads the state of a service, before anything is submitted to it. */
import { describe, expect, test } from 'vitest';
import { clientAt, clientOfAnswer, quiet, TOKEN } from './jobs.ts';
import { deadUrl, rawServer } from './scripted-server.ts';

describe.each(['molecules', 'predictions'] as const)('%s', (service) => {
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
});
