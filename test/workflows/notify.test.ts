/** Notifications of the end of a campaign are sent, and a failed one does not fail the campaign. */
import type { ServerResponse } from 'node:http';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, type TestContext } from 'vitest';
import { DIRECT } from '../../src/config/network.ts';
import { type NotifySettings, loadSettings } from '../../src/config/settings.ts';
import { Secret } from '../../src/config/secret.ts';
import { proxyServer, SERVICE_HOST, tlsServer, trustPrivateCa } from '../services/a-network.ts';
import { httpServer } from '../services/scripted-server.ts';
import { sequences, workerLog, type Ran } from '../rig.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { openRig, until } from './faulty.ts';

/** Part of an address that must not appear anywhere. */
const PATH = 'T0secretPath';

/** A real server; `answer` gets the number of the request, from 1. */
async function webhook(
  { onTestFinished }: TestContext,
  answer: (response: ServerResponse, nth: number) => void,
) {
  const server = await httpServer((_, response) => answer(response, server.requests.length));
  onTestFinished(() => server[Symbol.asyncDispose]());
  const url = new Secret(`${server.url}/hooks/${PATH}`);
  return { received: server.requests, notify: { url, network: DIRECT } };
}

/** A campaign that completes, whatever becomes of its notification. */
async function completes(context: TestContext, notify: NotifySettings | null): Promise<Ran> {
  const rig = await openRig({ limit: 0, jobMs: 0, ...(notify && { notify }) }, context);
  const ran = await rig.run(sequences(1));
  expect(ran.progress.state).toBe('completed');
  return ran;
}

describe.concurrent('a webhook', () => {
  test('receives the summary once; its address is not in the history', async (context) => {
    const { received, notify } = await webhook(context, (response) => response.end());
    const ran = await completes(context, notify);
    expect(received).toHaveLength(1);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      // For chat programs.
      text: expect.stringMatching(/^Campaign .* is completed: \d+ succeeded/) as string,
      campaign: ran.name,
      state: 'completed',
      out: ran.folder,
      items: { total: 1, succeeded: 1 },
    });
    const history = JSON.stringify(await ran.handle.fetchHistory());
    for (const secret of [PATH, Buffer.from(PATH).toString('base64').slice(0, 12)]) {
      expect(history.includes(secret), secret).toBe(false);
      expect(workerLog.join('').includes(secret), secret).toBe(false);
    }
    expect(ran.progress.unnotified).toBeUndefined();
  });

  test.for<[string, (response: ServerResponse, nth: number) => void, number, string?]>([
    ['fails once', (to, nth) => to.writeHead(nth === 1 ? 503 : 200).end(), 2],
    ['always fails', (to) => to.writeHead(500).end(), 3, 'the webhook answered with HTTP 500'],
    ['never answers', () => undefined, 1, 'the webhook did not answer within 20 s'],
  ])(
    'that %s is called again, but not after silence; the campaign completes and says so',
    async ([, answer, calls, why], context) => {
      const { received, notify } = await webhook(context, answer);
      const { progress } = await completes(context, notify);
      // A busy machine may have no time for the last of three.
      expect(received.length).toBeLessThanOrEqual(calls);
      expect(received.length).toBeGreaterThanOrEqual(Math.min(calls, 2));
      expect(progress.unnotified).toEqual(why && [why]);
      if (calls === 3) await until(() => workerLog.join('').includes('a notification failed'));
    },
  );

  test('is called once by a worker that is stopped meanwhile, and the campaign ends with the next one', async (context) => {
    const answers: (() => void)[] = [];
    const { received, notify } = await webhook(context, (response) => {
      answers.push(() => response.end());
    });
    const rig = await openRig({ limit: 0, jobMs: 0, notify }, context);
    const { folder, handle } = await rig.start(sequences(1));
    await until(() => answers.length > 0);
    expect(existsSync(join(folder, 'SHA256SUMS')), 'published before').toBe(true);
    const stopped = rig.stopWorker();
    answers[0]?.();
    await stopped;
    await rig.startWorker();
    const { state, unnotified } = await handle.result();
    expect([state, unnotified]).toEqual(['completed', undefined]);
    expect(received).toHaveLength(1);
  });

  test('with a private CA is reached through a proxy', async (context) => {
    trustPrivateCa();
    const agents: unknown[] = [];
    await using hook = await tlsServer((incoming, response) => {
      agents.push(incoming.headers['user-agent']);
      incoming.resume().on('end', () => response.writeHead(204).end());
    });
    const login = 'me:proxy-hush';
    await using proxy = await proxyServer({ login });
    const file = join(await temporaryFolder(context), 'hundredfold.yaml');
    const url = `https://${SERVICE_HOST}:${hook.port}/hooks/${PATH}`;
    writeFileSync(file, 'notify: { url: { env: CHAT_WEBHOOK } }');
    const environment = {
      CHAT_WEBHOOK: url,
      HTTPS_PROXY: `http://${login}@127.0.0.1:${proxy.port}`,
    };
    const { notify } = loadSettings(file, environment);
    expect((await completes(context, notify)).progress.unnotified).toBeUndefined();
    expect(agents).toEqual([expect.stringMatching(/^hundredfold\/\d/)]);
    expect(proxy.asked).toEqual([`CONNECT ${SERVICE_HOST}:${hook.port}`]);
    await using refusing = await proxyServer({ login: 'another:login' });
    const refused = {
      CHAT_WEBHOOK: url,
      HTTPS_PROXY: `http://${login}@127.0.0.1:${refusing.port}`,
    };
    const ran = await completes(context, loadSettings(file, refused).notify);
    const where = `through the proxy 127.0.0.1:${refusing.port} (PROXY_407)`;
    expect(ran.progress.unnotified).toEqual([`the webhook could not be reached ${where}`]);
    expect(workerLog.join('')).not.toMatch(new RegExp(`hush|${PATH}`));
  });
});
