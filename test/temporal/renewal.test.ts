/** Certificates and API keys that are replaced in their files while a client and a worker run. */
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import type { Client } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { temporalAddress } from '../../src/host/temporal-address.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { connectWorker } from '../../src/temporal/worker-connection.ts';
import { keepWorkersConnected } from '../../src/temporal/renewal.ts';
import { Authority, noOpenssl, type Issued } from './certificates.ts';
import { startGateway } from './grpc-gateway.ts';

const { TaskQueueType } = temporal.api.enums.v1;

Runtime.install({ logger: new DefaultLogger('ERROR') });

describe.skipIf(noOpenssl !== null)('credentials in files', () => {
  let authority: Authority;
  let server: Issued;
  let folder: string;
  beforeAll(() => {
    authority = new Authority('ours');
    server = authority.issue('IP:127.0.0.1');
  });
  afterAll(() => authority[Symbol.dispose]());
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'hundredfold-access-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function install({ certFile, keyFile }: Issued): void {
    copyFileSync(keyFile, join(folder, 'key.pem'));
    copyFileSync(certFile, join(folder, 'cert.pem'));
  }

  function target(port: number, keys: string) {
    const file = join(folder, 'hundredfold.yaml');
    const temporal = `{ address: "127.0.0.1:${port}", ${keys} }`;
    writeFileSync(file, `temporal: ${temporal}\n`);
    const { temporal: settings } = loadSettings(file, {});
    if (!settings) throw new Error('no Temporal is configured');
    return { ...temporalAddress(settings, null), rereadEveryMs: 100 };
  }

  /** A worker that returns its task queue from one activity. */
  async function working(address: ReturnType<typeof target>) {
    const client = await connectClient(address);
    const connection = await connectWorker(address);
    const taskQueue = `renewal-${randomUUID()}`;
    const activities = { ping: () => Promise.resolve('pong') };
    const worker = await Worker.create({ connection, namespace: 'default', taskQueue, activities });
    const access = keepWorkersConnected(connection, [worker], {
      reread: address.reread,
      rereadEveryMs: address.rereadEveryMs,
      open: (credentials) => connectWorker(address, credentials),
    });
    const running = worker.run();
    return {
      client,
      ping: () => ping(client, taskQueue),
      async end() {
        worker.shutdown();
        await running;
        await access.close();
        await client.connection.close();
      },
    };
  }

  /** The server answers the client, and sees the worker. */
  async function ping(client: Client, taskQueue: string): Promise<boolean> {
    const { pollers } = await client.workflowService.describeTaskQueue({
      namespace: 'default',
      taskQueue: { name: taskQueue },
      taskQueueType: TaskQueueType.TASK_QUEUE_TYPE_ACTIVITY,
    });
    return pollers.length > 0;
  }

  async function until(isSo: () => boolean | Promise<boolean>, what: string): Promise<void> {
    const end = Date.now() + 20_000;
    while (!(await isSo())) {
      if (Date.now() > end) throw new Error(`waited in vain until ${what}`);
      await delay(100);
    }
  }

  test('a new certificate is presented by client and worker without a restart', async () => {
    const [first, second] = [authority.issue('DNS:first'), authority.issue('DNS:second')];
    install(first);
    await using gateway = await startGateway(inject('temporal'), {
      tls: { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true },
    });
    const keys = `tls: { ca: "${authority.file}", cert: cert.pem, key: key.pem }`;
    const at = await working(target(gateway.port, keys));
    await until(at.ping, 'the worker polls');
    const before = gateway.clients.length;
    const [old] = gateway.clients;
    // A moment with half of the pair replaced does no harm.
    copyFileSync(second.certFile, join(folder, 'cert.pem'));
    await delay(300);
    expect(await at.ping()).toBe(true);
    expect(gateway.clients.length).toBe(before);
    install(second);
    await until(() => gateway.clients.length >= before + 2, 'both have connected again');
    // The former certificate has expired meanwhile.
    gateway.disconnect(old);
    const polls = () =>
      gateway.passed.filter(
        ({ method, client }) => method === 'PollActivityTaskQueue' && client !== old,
      ).length;
    await until(() => polls() > 0, 'the worker polls with the new one');
    expect(await at.ping()).toBe(true);
    await at.end();
  });

  test('a new API key is sent by client and worker without a restart', async () => {
    let accepted = 'Bearer first';
    await using gateway = await startGateway(inject('temporal'), {
      tls: server,
      refuse: (_, { authorization }) =>
        authorization === accepted ? null : { code: 16, details: 'the key has expired' },
    });
    writeFileSync(join(folder, 'api-key'), 'first\n', { mode: 0o600 });
    const keys = `tls: { ca: "${authority.file}" }, apiKey: { file: api-key }`;
    const at = await working(target(gateway.port, keys));
    await until(at.ping, 'the worker polls');
    writeFileSync(join(folder, 'api-key'), 'second\n');
    await delay(500);
    accepted = 'Bearer second';
    expect(await at.ping()).toBe(true);
    gateway.disconnect();
    const polls = () =>
      gateway.passed.filter(
        ({ method, authorization }) =>
          method === 'PollActivityTaskQueue' && authorization === 'Bearer second',
      ).length;
    await until(() => polls() > 0, 'the worker polls with the new key');
    await at.end();
  });
});
