/** What is shown of a bug in workflow code, on a real Temporal. */
import { randomUUID } from 'node:crypto';
import { Worker } from '@temporalio/worker';
import { expect, inject, onTestFinished, test } from 'vitest';
import { workflowBundle } from '../../src/temporal/bundle.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { connectWorker } from '../../src/temporal/worker-connection.ts';

test('a bug in workflow code is reported with its file and line', async () => {
  const target = { address: inject('temporal'), namespace: 'default' };
  const client = await connectClient(target);
  onTestFinished(() => client.connection.close());
  const connection = await connectWorker(target);
  onTestFinished(() => connection.close());
  const taskQueue = `stack-${randomUUID()}`;
  const bundle = await workflowBundle();
  const worker = await Worker.create({ connection, taskQueue, workflowBundle: bundle });
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
    await expect.poll(trace).toMatch(/workflows\/[a-z-]+\.ts:\d+:\d+/);
  });
  await handle.terminate('the test is over');
});
