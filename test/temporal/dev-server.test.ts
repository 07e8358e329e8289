/** The embedded server, and what we ask of it and of others: search attributes, busy timers, many events. */
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireTemporalCli } from '../shared-cli.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { registerSearchAttributes } from '../../src/temporal/namespace.ts';
import { startDevServer, stopDevServer, type DevServer } from '../../src/temporal/dev-server.ts';
import { freePort } from '../../src/temporal/machine.ts';
import { ATTRIBUTES } from '../../src/workflows/names.ts';

let dir: string;
let server: DevServer;
let client: Client;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'hundredfold-temporal-'));
  server = await startDevServer({
    executable: requireTemporalCli(),
    dir,
    // Not the usual one: another server of this machine may have it.
    port: await freePort(),
    // As every server but the embedded one.
    dynamicConfig: { 'system.namespaceCacheRefreshInterval': '"2s"' },
  });
  client = await connectClient({ address: server.address, namespace: 'default' });
});
afterAll(async () => {
  await client.connection.close();
  await stopDevServer(server);
  await rm(dir, { recursive: true, force: true });
});

async function freshNamespace(namespace: string, address = server.address): Promise<Client> {
  const workflowExecutionRetentionPeriod = msToTs('1 day');
  await client.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  return connectClient({ address, namespace });
}

/** With every attribute. */
function start(at: Client, workflowId: string): Promise<unknown> {
  return at.workflow.start('campaign', {
    workflowId,
    taskQueue: 'nobody',
    typedSearchAttributes: Object.values(ATTRIBUTES).map((key) => ({ key, value: 'x' })),
  });
}

test('a workflow with every attribute starts in a new server, and right after their registration', async () => {
  await start(client, 'campaign:x');
  const fresh = await freshNamespace('first');
  // By three commands at once: each waits also for attributes that another one has just registered.
  const commands = [1, 2, 3].map(async (n) => {
    await delay(n * 30);
    await registerSearchAttributes(fresh);
    await start(fresh, `campaign:${n}`);
  });
  await Promise.all(commands);
  await fresh.connection.close();
});

test('the timers of a busy second are not postponed', async () => {
  for (let n = 0; n < 150; n += 1) {
    const startDelay = 1_000 + (n % 50) * 40;
    const options = { workflowId: randomUUID(), taskQueue: 'timers', startDelay };
    await client.workflow.start('any', options);
  }
  const log = await readFile(join(dir, 'temporal.log'), 'utf8');
  const [, url = ''] = /Temporal Metrics: +(\S+)/.exec(log) ?? [];
  const metrics = async () => (await fetch(url)).text();
  const fired = async () =>
    Number(/^task_requests\{.*WorkflowBackoffTimer.*\} (\d+)/m.exec(await metrics())?.[1] ?? 0);
  await expect.poll(fired, { interval: 500 }).toBeGreaterThanOrEqual(150);
  expect(await metrics()).not.toContain('queue_action="reader_stuck"');
});

test('a workflow task during which 500 events arrive does not fail', async () => {
  const namespace = 'default';
  const queue = `buffered-${randomUUID()}`;
  const options = { workflowId: queue, taskQueue: queue, workflowTaskTimeout: '1 minute' } as const;
  const handle = await client.workflow.start('any', options);
  const { taskToken } = await client.withDeadline(Date.now() + 30_000, () =>
    client.workflowService.pollWorkflowTaskQueue({ namespace, taskQueue: { name: queue } }),
  );
  for (let n = 0; n < 500; n += 1) await handle.signal('event', n);
  await client.workflowService.respondWorkflowTaskCompleted({ namespace, taskToken });
  const { events } = await handle.fetchHistory();
  const has = (key: string) =>
    (events ?? []).filter((event) => key in event && event[key as never]);
  expect(has('workflowTaskFailedEventAttributes')).toEqual([]);
  expect(has('workflowExecutionSignaledEventAttributes')).toHaveLength(500);
});
