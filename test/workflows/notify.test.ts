/** Notifications of the end of a campaign are sent, and a failed one does not fail the campaign. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DIRECT } from '../../src/config/network.ts';
import type { NotifySettings } from '../../src/config/notify.ts';
import { Secret } from '../../src/config/secret.ts';
import type { Environment } from '../../src/domain/environment.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { CA_FILE, proxyServer, SERVICE_HOST, tlsServer } from '../services/a-network.ts';
import { sequences, workerLog, type Ran, type Rig } from '../rig.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';
import { openRig } from './faulty.ts';

/** Parts of an address and of a credential that must not appear anywhere. */
const PATH = 'T0secretPath';
const TOKEN = 'hook-token-9f';

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A real server; `answer` gets the number of the request, from 1. */
async function webhook(answer: (response: ServerResponse, nth: number) => void) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      answer(response, received.length);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const url = new Secret(`http://127.0.0.1:${port}/hooks/${PATH}`);
  const notify: NotifySettings = {
    command: null,
    webhook: { url, token: new Secret(TOKEN), network: DIRECT },
  };
  return { received, notify };
}

async function rigWith(notify: NotifySettings): Promise<Rig> {
  return openRig({ limit: 0, jobMs: 0, notify });
}

function command(script: string, ...args: string[]): NotifySettings {
  return { command: [process.execPath, '-e', script, ...args], webhook: null };
}

async function endsWell({ progress }: Ran): Promise<void> {
  expect(progress.state).toBe('completed');
}

describe('a webhook', () => {
  test('receives the summary once, with the token; its address and token are not in the history', async () => {
    const { received, notify } = await webhook((response) => response.writeHead(204).end());
    const rig = await rigWith(notify);
    const ran = await rig.run(sequences(2));
    await endsWell(ran);
    expect(received).toHaveLength(1);
    expect(received[0]?.headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      campaign: ran.name,
      state: 'completed',
      out: ran.folder,
      items: { total: 2, succeeded: 2 },
    });
    const history = JSON.stringify(await ran.handle.fetchHistory());
    for (const secret of [PATH, TOKEN, Buffer.from(PATH).toString('base64').slice(0, 12)]) {
      expect(history.includes(secret), secret).toBe(false);
      expect(workerLog.join('').includes(secret), secret).toBe(false);
    }
    expect(ran.progress.unnotified).toBeUndefined();
  });

  test('is tried again when it fails', async () => {
    const { received, notify } = await webhook((response, nth) =>
      response.writeHead(nth === 1 ? 503 : 200).end(),
    );
    const ran = await (await rigWith(notify)).run(sequences(1));
    await endsWell(ran);
    expect(received).toHaveLength(2);
    expect(ran.progress.unnotified).toBeUndefined();
  });

  test('that always fails does not fail the campaign, and is reported', async () => {
    const { received, notify } = await webhook((response) => response.writeHead(500).end('no'));
    const ran = await (await rigWith(notify)).run(sequences(1));
    await endsWell(ran);
    expect(received).toHaveLength(3);
    expect(ran.progress.unnotified).toEqual(['the webhook answered with HTTP 500']);
    const logged = () => workerLog.join('');
    await expect.poll(logged).toContain('a notification of the end failed');
  });

  test('that never answers is abandoned, and not called again', async () => {
    const { received, notify } = await webhook(() => undefined);
    const ran = await (await rigWith(notify)).run(sequences(1));
    await endsWell(ran);
    expect(received).toHaveLength(1);
    expect(ran.progress.unnotified).toEqual(['the webhook did not answer within 20 s']);
  });

  test('is notified of a cancelled campaign', async () => {
    const { received, notify } = await webhook((response) => response.end());
    const rig = await openRig({ limit: 1, jobMs: 0, notify });
    const started = await rig.start(sequences(5));
    await started.handle.cancel();
    await started.handle.result();
    expect(JSON.parse(received[0]?.body ?? '{}')).toMatchObject({ state: 'cancelled' });
  });

  test('is called once by a worker that is stopped meanwhile, and the campaign ends with the next one', async () => {
    let answer: (() => void) | null = null;
    const { received, notify } = await webhook((response) => {
      answer = () => response.end();
    });
    const rig = await rigWith(notify);
    const started = await rig.start(sequences(1));
    await expect.poll(() => answer).not.toBeNull();
    expect(existsSync(join(started.folder, 'SHA256SUMS')), 'published before').toBe(true);
    const stopped = rig.stopWorker();
    (answer as unknown as () => void)();
    await stopped;
    await rig.startWorker();
    const progress = await started.handle.result();
    expect([progress.state, progress.unnotified]).toEqual(['completed', undefined]);
    expect(received).toHaveLength(1);
  });
});

describe('a webhook with a private CA, in a network with a proxy', () => {
  /** As in the configuration. */
  async function configured(lines: readonly string[], environment: Environment) {
    const file = join(await temporaryFolder(), 'hundredfold.yaml');
    writeFileSync(file, ['notify:', ...lines.map((line) => `  ${line}`)].join('\n'));
    return loadSettings(file, environment).notify;
  }

  test('is reached through the proxy', async () => {
    const agents: unknown[] = [];
    await using hook = await tlsServer((incoming, response) => {
      agents.push(incoming.headers['user-agent']);
      incoming.resume().on('end', () => response.writeHead(204).end());
    });
    await using proxy = await proxyServer({ login: 'me:proxy-hush' });
    const notify = await configured(
      [`url: https://${SERVICE_HOST}:${hook.port}/hooks/${PATH}`, `tls: { ca: "${CA_FILE}" }`],
      { HTTPS_PROXY: `http://me:proxy-hush@127.0.0.1:${proxy.port}` },
    );
    const ran = await (await rigWith(notify)).run(sequences(1));
    await endsWell(ran);
    expect(ran.progress.unnotified).toBeUndefined();
    expect(agents).toEqual([expect.stringMatching(/^hundredfold\/\d/)]);
    expect(proxy.asked).toEqual([`CONNECT ${SERVICE_HOST}:${hook.port}`]);
  });

  test('is not reached when the proxy refuses, and the message names the proxy only', async () => {
    await using proxy = await proxyServer({ login: 'me:proxy-hush' });
    const notify = await configured([`url: https://${SERVICE_HOST}/hooks/${PATH}`], {
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
    });
    const ran = await (await rigWith(notify)).run(sequences(1));
    await endsWell(ran);
    expect(ran.progress.unnotified).toEqual([
      `the webhook could not be reached through the proxy 127.0.0.1:${proxy.port} (PROXY_407)`,
    ]);
    expect(workerLog.join('')).not.toMatch(new RegExp(`hush|${PATH}`));
  });
});

describe('a command', () => {
  test('does not inherit any token, under whatever name it is configured or copied', async () => {
    const file = join(await temporaryFolder(), 'environment.json');
    const tokens = {
      HUNDREDFOLD_MOLECULE_TOKEN: 'nEver-t0ld-1',
      HUNDREDFOLD_PREDICTION_TOKEN: 'nEver-t0ld-2',
      TEMPORAL_API_KEY: 'nEver-t0ld-3',
      MY_OWN_SECRET: 'nEver-t0ld-4',
      A_COPY: 'nEver-t0ld-1',
    };
    for (const [name, value] of Object.entries({ ...tokens, KEPT: 'kept' })) {
      vi.stubEnv(name, value);
    }
    onTestFinished(() => void vi.unstubAllEnvs());
    const script = `require('fs').writeFileSync(process.argv[1], JSON.stringify(process.env))`;
    const notify = { ...command(script, file), secretVariables: ['MY_OWN_SECRET'] };
    await endsWell(await (await rigWith(notify)).run(sequences(1)));
    const told = readFileSync(file, 'utf8');
    for (const name of Object.keys(tokens)) expect(told).not.toContain(name);
    expect(told).not.toContain('nEver-t0ld');
    expect(JSON.parse(told)).toMatchObject({ KEPT: 'kept', PATH: process.env['PATH'] });
  });

  test('inherits the variables given to the worker, and not those of the process', async () => {
    const file = join(await temporaryFolder(), 'environment.json');
    vi.stubEnv('OF_THE_PROCESS', 'not for the command');
    onTestFinished(() => void vi.unstubAllEnvs());
    const environment = { GIVEN: 'to the library', HUNDREDFOLD_MOLECULE_TOKEN: 'nEver-t0ld-1' };
    const script = `require('fs').writeFileSync(process.argv[1], JSON.stringify(process.env))`;
    const rig = await openRig({ limit: 0, jobMs: 0, notify: command(script, file), environment });
    await endsWell(await rig.run(sequences(1)));
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ GIVEN: 'to the library' });
  });

  test('receives the summary on its standard input', async () => {
    const file = join(await temporaryFolder(), 'told.json');
    const script = 'fs.writeFileSync(process.argv[1], fs.readFileSync(0))';
    const ran = await (await rigWith(command(script, file))).run(sequences(1));
    await endsWell(ran);
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
      campaign: ran.name,
      items: { succeeded: 1 },
    });
  });

  test.each([
    ['exits with an error', command('process.exit(3)'), 'the command ended with 3'],
    [
      'does not exist',
      { command: ['/no/such/program'], webhook: null },
      'the command could not be started (ENOENT)',
    ],
  ])(
    'that %s does not fail the campaign',
    async (_, notify, why) => {
      const ran = await (await rigWith(notify)).run(sequences(1));
      await endsWell(ran);
      expect(ran.progress.unnotified).toEqual([why]);
    },
    180_000,
  );
});
