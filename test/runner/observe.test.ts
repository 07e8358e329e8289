/** What a look at a campaign asks of a server: whether a task is waited for. */
import { readProgress, waitIfOverdue } from '../../src/runner/observe.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { PROGRESS_MEMO } from '../../src/workflows/messages.ts';
import { startUnpolled } from '../unpolled-campaign.ts';
import { afterAll, expect, inject, test } from 'vitest';

const client = await connectClient({ address: inject('temporal'), namespace: 'default' });
afterAll(() => client.connection.close());

test('a recent task is not waited for: a busy worker always has one', async () => {
  const { handle } = await startUnpolled(client, { [PROGRESS_MEMO]: { total: 3 } });
  const found = await handle.describe();
  expect(found.raw.pendingWorkflowTask).toBeTruthy();
  expect(await waitIfOverdue(client, found)).toBe(found);
  await handle.terminate();
});

test('a campaign that has not written its progress yet is waited for', async () => {
  const { handle } = await startUnpolled(client);
  const found = await handle.describe();
  expect(await waitIfOverdue(client, found)).not.toBe(found);
  await expect(readProgress(client, found)).rejects.toMatchObject({ code: 'WORKER_SILENT' });
  await handle.terminate();
});
