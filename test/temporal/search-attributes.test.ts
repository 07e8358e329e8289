/** Our search attributes: in the namespace of a new embedded server, and in a namespace that lacks them. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findTemporalCli } from '../../src/program/temporal-cli.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { registerSearchAttributes } from '../../src/temporal/search-attributes.ts';
import { startDevServer, stopDevServer, type DevServer } from '../../src/temporal/dev-server.ts';
import { freePort } from '../../src/temporal/ports.ts';
import { ATTRIBUTES } from '../../src/workflows/search-attributes.ts';
import { startGateway } from './grpc-gateway.ts';

let dir: string;
let server: DevServer;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hundredfold-temporal-'));
  server = await startDevServer({
    executable: findTemporalCli()?.path ?? 'temporal',
    dir,
    port: await freePort(),
    headless: true,
    // As every server but the embedded one.
    dynamicConfig: { 'system.namespaceCacheRefreshInterval': '"2s"' },
  });
});
afterAll(async () => {
  await stopDevServer(server);
  await rm(dir, { recursive: true, force: true });
});

async function freshNamespace(namespace: string): Promise<Client> {
  const main = await connectClient({ address: server.address, namespace: 'default' });
  await main.workflowService.registerNamespace({
    namespace,
    workflowExecutionRetentionPeriod: msToTs('1 day'),
  });
  await main.connection.close();
  return connectClient({ address: server.address, namespace });
}

function start(client: Client, workflowId: string): Promise<unknown> {
  return client.workflow.start('campaign', {
    workflowId,
    taskQueue: 'nobody',
    typedSearchAttributes: Object.values(ATTRIBUTES).map((key) => ({ key, value: 'x' })),
  });
}

test('a workflow with every attribute starts in a new embedded server, and right after their registration', async () => {
  const client = await connectClient({ address: server.address, namespace: 'default' });
  await start(client, 'campaign:x');
  await client.connection.close();
  for (const namespace of ['first', 'second']) {
    const fresh = await freshNamespace(namespace);
    // By three commands at once: each waits also for attributes that another one has just registered.
    const commands = [1, 2, 3].map(async (n) => {
      await delay(n * 30);
      await registerSearchAttributes(fresh);
      await start(fresh, `campaign:${n}`);
    });
    await Promise.all(commands);
    await fresh.connection.close();
  }
});

test('registration is repeated if the connection is lost', async () => {
  const namespace = 'dying';
  const first = await freshNamespace(namespace);
  await first.connection.close();
  let deaths = 0;
  await using gateway = await startGateway(server.address, {
    refuse: (method) =>
      method === 'AddSearchAttributes' && (deaths += 1) === 1
        ? // The SDK itself repeats a call that was answered with 14 (UNAVAILABLE).
          { code: 1, details: 'the connection was cut' }
        : null,
  });
  const client = await connectClient({ address: `127.0.0.1:${gateway.port}`, namespace });
  await registerSearchAttributes(client);
  expect(deaths).toBe(2);
  await start(client, 'campaign:x');
  await client.connection.close();
});
