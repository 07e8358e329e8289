/** Workflows whose tasks workers take and do not finish: no failure is in their history. */
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, expect, inject, test } from 'vitest';
import { connectClient } from '../../src/temporal/connection.ts';
import { stuckBecause, type Stuck } from '../../src/watchdog/stuck.ts';
import { startUnpolled } from '../unpolled-campaign.ts';

const client = await connectClient({ address: inject('temporal'), namespace: 'default' });
afterAll(() => client.connection.close());

/** `later`: ms from now. */
async function reason(handle: WorkflowHandle, later = 0): Promise<Stuck | null> {
  return stuckBecause(client, await handle.describe(), Date.now() + later);
}

test('tasks that time out repeatedly are reported', async () => {
  const { handle, takeTask } = await startUnpolled(client);
  // Two time out, the third is still being processed.
  for (let n = 0; n < 3; n += 1) await takeTask();
  expect(await reason(handle)).toEqual({
    type: 'failing',
    message: 'timed out 2 times in a row',
  });
  await handle.terminate();
}, 60_000);

test('the task of a worker that died is unattended until another one polls it', async () => {
  const { handle, takeTask, taskTimedOut } = await startUnpolled(client);
  await takeTask();
  expect(await reason(handle)).toBeNull();
  await taskTimedOut();
  expect(await reason(handle)).toBeNull();
  expect(await reason(handle, 60_000)).toMatchObject({ type: 'unattended' });
  await takeTask();
  expect(await reason(handle, 60_000)).toBeNull();
  await handle.terminate();
}, 60_000);
