/** Which tasks of a campaign a single look at it waits for. */
import { afterAll, expect, inject, test } from 'vitest';
import { readProgress, waitIfOverdue } from '../../src/campaigns/progress.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { PROGRESS_MEMO } from '../../src/workflows/messages.ts';
import { startUnpolled } from '../unpolled-campaign.ts';

const client = await connectClient({ address: inject('temporal'), namespace: 'default' });
afterAll(() => client.connection.close());

const WRITTEN = { [PROGRESS_MEMO]: { total: 3 } };

test('a recent task is not waited for: a busy worker always has one', async () => {
  const { handle } = await startUnpolled(client, WRITTEN);
  const found = await handle.describe();
  expect(found.raw.pendingWorkflowTask).toBeTruthy();
  expect(await waitIfOverdue(client, found)).toEqual({ found, waited: false });
  await handle.terminate();
});

test('a campaign that has not written its progress yet is waited for', async () => {
  const { handle } = await startUnpolled(client);
  const found = await handle.describe();
  expect(await waitIfOverdue(client, found)).toMatchObject({ waited: true });
  await expect(readProgress(client, found)).rejects.toMatchObject({ code: 'WORKER_SILENT' });
  await handle.terminate();
});

test('a task that a worker took and never finished is waited for', async () => {
  const { handle, takeTask, taskTimedOut } = await startUnpolled(client, WRITTEN);
  await takeTask();
  await taskTimedOut();
  expect(await waitIfOverdue(client, await handle.describe())).toMatchObject({ waited: true });
  await handle.terminate();
}, 60_000);
