/** Which tasks of a campaign a single look at it waits for. */
import { randomUUID } from 'node:crypto';
import { Client, Connection, type WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { waitIfOverdue } from '../../src/campaigns/progress.ts';
import { PROGRESS_MEMO } from '../../src/workflows/messages.ts';

let connection: Connection;
let client: Client;
beforeAll(async () => {
  connection = await Connection.connect({ address: inject('temporal') });
  client = new Client({ connection });
});
afterAll(async () => connection.close());

/** A campaign with a pending task, which times out after a second. No worker polls it. */
async function begin(memo: Record<string, unknown>): Promise<WorkflowHandle> {
  const taskQueue = `progress-${randomUUID()}`;
  const options = { workflowId: taskQueue, taskQueue, workflowTaskTimeout: '1s', memo } as const;
  return client.workflow.start('campaign', options);
}

const WRITTEN = { [PROGRESS_MEMO]: { total: 3 } };

test('a recent task is not waited for: a busy worker always has one', async () => {
  const handle = await begin(WRITTEN);
  const found = await handle.describe();
  expect(found.raw.pendingWorkflowTask).toBeTruthy();
  expect(await waitIfOverdue(client, found)).toEqual({ found, waited: false });
  await handle.terminate();
});

test('a campaign that has not written its progress yet is waited for', async () => {
  const handle = await begin({});
  expect(await waitIfOverdue(client, await handle.describe())).toMatchObject({ waited: true });
  await handle.terminate();
});

test('a task that a worker took and never finished is waited for', async () => {
  const handle = await begin(WRITTEN);
  const { taskQueue } = await handle.describe();
  const poll = { namespace: 'default', taskQueue: { name: taskQueue }, identity: 'one that dies' };
  await client.withDeadline(Date.now() + 30_000, () =>
    client.workflowService.pollWorkflowTaskQueue(poll),
  );
  const attempt = async () => (await handle.describe()).raw.pendingWorkflowTask?.attempt;
  await expect.poll(attempt, { timeout: 20_000 }).toBe(2);
  expect(await waitIfOverdue(client, await handle.describe())).toMatchObject({ waited: true });
  await handle.terminate();
}, 60_000);
