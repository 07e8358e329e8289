/** What is shown of a bug in workflow code, on a real Temporal. */
import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { budgetStart } from '../../src/activities/budget-start.ts';
import { workflowBundle } from '../../src/temporal/bundle.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { connectWorker } from '../../src/temporal/worker-connection.ts';

const target = { address: inject('temporal'), namespace: 'default' };

let client: Awaited<ReturnType<typeof connectClient>>;
let connection: Awaited<ReturnType<typeof connectWorker>>;
let worker: Worker;
const taskQueue = `stack-${randomUUID()}`;
beforeEach(async () => {
  client = await connectClient(target);
  connection = await connectWorker(target);
  worker = await Worker.create({ connection, taskQueue, workflowBundle: await workflowBundle() });
});
afterEach(async () => {
  await client.connection.close();
  await connection.close();
});

test('a bug in workflow code is reported with its file and line', async () => {
  // A campaign without its input: a TypeError, deep in the code.
  const args = [{ spec: null }];
  const handle = await client.workflow.start('campaign', {
    workflowId: taskQueue,
    taskQueue,
    args,
  });
  const trace = async () => {
    const { events } = await handle.fetchHistory();
    const failed = events?.find((event) => event.workflowTaskFailedEventAttributes != null);
    return failed?.workflowTaskFailedEventAttributes?.failure?.stackTrace;
  };
  await worker.runUntil(async () => {
    await expect.poll(trace, { timeout: 20_000 }).toMatch(/workflows\/[a-z-]+\.ts:\d+:\d+/);
  });
  await handle.terminate('the test is over');
}, 60_000);

test('the stack trace of a promise in workflow code has one frame', async () => {
  const reference = { service: 'predictions', address: taskQueue, credential: 'none' } as const;
  const handle = await client.workflow.start('budget', budgetStart(reference, taskQueue));
  // Of the two frames of a promise, one is the SDK's own hook.
  const promises = await worker.runUntil(async () => {
    const trace = await handle.query<string>('__stack_trace');
    return trace.split('\n\n').map((frames) => frames.split('\n').length);
  });
  expect(promises).not.toHaveLength(0);
  expect(Math.max(...promises), 'frames').toBe(1);
  await handle.terminate('the test is over');
}, 60_000);
