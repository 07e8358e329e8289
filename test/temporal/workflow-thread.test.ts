/** How the workflow thread handles buggy code, on a real Temporal. */
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleWorkflowCode, DefaultLogger, type WorkerOptions } from '@temporalio/worker';
import { afterEach, beforeEach, expect, inject, test } from 'vitest';
import { budgetStart } from '../../src/activities/watch.ts';
import { workflowBundle } from '../../src/temporal/bundle.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { connectWorker } from '../../src/temporal/worker-connection.ts';
import { WatchedWorker } from '../../src/temporal/workflow-thread.ts';

const target = { address: inject('temporal'), namespace: 'default' };
type Bundle = NonNullable<WorkerOptions['workflowBundle']>;

let client: Awaited<ReturnType<typeof connectClient>>;
let connection: Awaited<ReturnType<typeof connectWorker>>;
beforeEach(async () => {
  client = await connectClient(target);
  connection = await connectWorker(target);
});
afterEach(async () => {
  await client.connection.close();
  await connection.close();
});

function createWorker(taskQueue: string, workflowBundle: Bundle, isolateExecutionTimeout = '1m') {
  const untyped = { isolateExecutionTimeout };
  return WatchedWorker.create({ connection, taskQueue, workflowBundle, ...untyped });
}

async function start(workflow: string, taskQueue: string, ...args: unknown[]) {
  const handle = await client.workflow.start(workflow, {
    workflowId: `thread:${randomUUID()}`,
    taskQueue,
    args,
  });
  return { handle, end: () => handle.terminate('the test is over') };
}

test('a bug in workflow code is reported with its file and line', async () => {
  const taskQueue = `thread-${randomUUID()}`;
  const worker = await createWorker(taskQueue, await workflowBundle());
  // A campaign without its input: a TypeError, deep in the code.
  const { handle, end } = await start('campaign', taskQueue, { plan: null });
  const trace = async () => {
    const { events } = await handle.fetchHistory();
    const failed = events?.find((event) => event.workflowTaskFailedEventAttributes != null);
    return failed?.workflowTaskFailedEventAttributes?.failure?.stackTrace;
  };
  await worker.runUntil(async () => {
    await expect.poll(trace, { timeout: 20_000 }).toMatch(/workflows\/[a-z-]+\.ts:\d+:\d+/);
  });
  await end();
}, 60_000);

test('the stack trace of a promise in workflow code has one frame', async () => {
  const taskQueue = `thread-${randomUUID()}`;
  const worker = await createWorker(taskQueue, await workflowBundle());
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

test('code that does not return ends its worker', async () => {
  const taskQueue = `thread-${randomUUID()}`;
  const worker = await createWorker(
    taskQueue,
    await bundleOf('export async function stuck() { for (;;) {} }'),
    '1s',
  );
  const { end } = await start('stuck', taskQueue);
  await expect(worker.run()).rejects.toThrow('Workflow Worker Thread exited');
  await end();
}, 60_000);

test('code that is called often for longer than its time limit continues', async () => {
  const taskQueue = `thread-${randomUUID()}`;
  const code = `
    import { sleep } from '@temporalio/workflow';
    export async function steps() { for (let n = 0; n < 30; n += 1) await sleep(20); return 'done'; }`;
  const worker = await createWorker(taskQueue, await bundleOf(code), '400ms');
  const { handle } = await start('steps', taskQueue);
  expect(await worker.runUntil(handle.result())).toBe('done');
}, 60_000);

async function bundleOf(code: string): Promise<Bundle> {
  const cache = join(import.meta.dirname, '..', '..', 'node_modules', '.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'workflow-thread-'));
  try {
    const workflowsPath = join(folder, 'workflows.ts');
    await writeFile(workflowsPath, code);
    return await bundleWorkflowCode({ workflowsPath, logger: new DefaultLogger('ERROR') });
  } finally {
    await rm(folder, { recursive: true });
  }
}
