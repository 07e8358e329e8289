/** The SDK's runtime writes its log, without waking a waiting worker often, and without warnings that mean nothing here. */
import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { expect, inject, test, vi } from 'vitest';
import { budgetStart } from '../../src/activities/budget-start.ts';
import { readClock } from '../../src/activities/read-clock.ts';
import { workflowBundle } from '../../src/temporal/bundle.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { connectWorker } from '../../src/temporal/worker-connection.ts';
import { configureSignal, nudgeSignal, STATUS_MEMO } from '../../src/workflows/messages.ts';
import { logTo } from '../../src/telemetry/log-target.ts';
import { startRuntime, workerLog } from '../../src/telemetry/runtime.ts';

const lines: string[] = [];

test('entries are written, and no timer runs more often than once a second', async () => {
  const started = vi.spyOn(globalThis, 'setInterval');
  const ended = vi.spyOn(globalThis, 'clearInterval');
  logTo((line) => lines.push(line));
  startRuntime();
  workerLog().warn('the first entry');
  await expect.poll(() => lines.join('')).toContain('the first entry');
  workerLog().warn('the second entry');
  await expect.poll(() => lines.join('')).toContain('the second entry');

  const gone = new Set(ended.mock.calls.map(([timer]) => timer));
  const running = started.mock.calls.filter(
    (_, n) => !gone.has(started.mock.results[n]?.value as NodeJS.Timeout),
  );
  expect(running.map(([, ms]) => ms)).toEqual([1_000]);
});

test('the status of a budget with fifty credentials causes no warning', async () => {
  const target = { address: inject('temporal'), namespace: 'default' };
  const taskQueue = `memo-${randomUUID()}`;
  const [client, connection] = await Promise.all([connectClient(target), connectWorker(target)]);
  const bundle = await workflowBundle();
  const activities = { readClock };
  const options = { connection, taskQueue, workflowBundle: bundle, activities };
  const worker = await Worker.create(options);
  const reference = { service: 'predictions', address: taskQueue } as const;
  const handle = await client.workflow.start('budget', budgetStart(reference, taskQueue));
  await worker.runUntil(async () => {
    const limit = { limit: 100, windowMs: 3_600_000 };
    for (let n = 0; n < 50; n += 1) {
      const credential = `credential-${n}`;
      await handle.signal(configureSignal, {
        credential,
        credentialLimit: limit,
      });
    }
    const newest = client.workflow.getHandle(handle.workflowId);
    // The SDK checks the memo with which a workflow continues as new. The server suggests that after some events.
    while ((await newest.describe()).runId === handle.firstExecutionRunId)
      for (let n = 0; n < 20; n += 1) await newest.signal(nudgeSignal);
    const { memo } = await newest.describe();
    expect(JSON.stringify(memo?.[STATUS_MEMO])).toContain('credential-49');
  });
  await client.workflow.getHandle(handle.workflowId).terminate();
  await Promise.all([client.connection.close(), connection.close()]);
  workerLog().warn('the last entry');
  await expect.poll(() => lines.join('')).toContain('the last entry');
  expect(lines.filter((line) => line.includes('TMPRL1103'))).toEqual([]);
});
