/** Workflows whose tasks workers take and do not finish: no failure is in their history. */
import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { stuckBecause, type Stuck } from '../../src/watchdog/stuck.ts';

let connection: Connection;
let client: Client;
beforeAll(async () => {
  connection = await Connection.connect({ address: inject('temporal') });
  client = new Client({ connection });
});
afterAll(async () => connection.close());

/** A workflow whose tasks time out after a second; nobody polls them. */
async function begin(): Promise<{ handle: WorkflowHandle; taskQueue: string }> {
  const taskQueue = `stuck-${randomUUID()}`;
  const options = { workflowId: taskQueue, taskQueue, workflowTaskTimeout: '1s' } as const;
  return { handle: await client.workflow.start('campaign', options), taskQueue };
}

/** Takes the next task like a worker, and dies. */
async function take(taskQueue: string): Promise<void> {
  const poll = { namespace: 'default', taskQueue: { name: taskQueue }, identity: 'one that dies' };
  await client.withDeadline(Date.now() + 30_000, () =>
    client.workflowService.pollWorkflowTaskQueue(poll),
  );
}

/** `later`: ms from now. */
async function reason(handle: WorkflowHandle, later = 0): Promise<Stuck | null> {
  return stuckBecause(client, await handle.describe(), Date.now() + later);
}

test('tasks that time out repeatedly are reported', async () => {
  const { handle, taskQueue } = await begin();
  // Two time out, the third is still being processed.
  for (let n = 0; n < 3; n += 1) await take(taskQueue);
  expect(await reason(handle)).toEqual({
    type: 'failing',
    message: 'timed out 2 times in a row',
  });
  await handle.terminate();
}, 60_000);

test('the task of a worker that died is unattended until another one polls it', async () => {
  const { handle, taskQueue } = await begin();
  await take(taskQueue);
  expect(await reason(handle)).toBeNull();
  await expect
    .poll(async () => (await handle.describe()).raw.pendingWorkflowTask?.attempt, {
      timeout: 20_000,
    })
    .toBe(2);
  expect(await reason(handle)).toBeNull();
  expect(await reason(handle, 60_000)).toMatchObject({ type: 'unattended' });
  await take(taskQueue);
  expect(await reason(handle, 60_000)).toBeNull();
  await handle.terminate();
}, 60_000);
