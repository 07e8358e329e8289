/** What a look at a campaign asks of a server: how many jobs ended lately, and whether a task is waited for. */
import { randomUUID } from 'node:crypto';
import { countEndedLately } from '../../src/runner/forecast.ts';
import { readProgress, waitIfOverdue } from '../../src/runner/progress.ts';
import type { ServiceName } from '../../src/domain/item.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { PROGRESS_MEMO } from '../../src/workflows/messages.ts';
import { ATTRIBUTES } from '../../src/workflows/names.ts';
import { budget as budgetOf, window as windowOf } from '../cli/live/scenes.ts';
import { startUnpolled } from '../unpolled-campaign.ts';
import { afterAll, expect, inject, test } from 'vitest';

const client = await connectClient({ address: inject('temporal'), namespace: 'default' });
afterAll(() => client.connection.close());

const MINUTE = 60_000;

const budget = (service: ServiceName, limit: number | null) =>
  budgetOf(service, windowOf(limit, []), 0, 0);

/** Items of a campaign that end at once. */
async function endItems(campaign: string, service: ServiceName, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const handle = await client.workflow.start('item', {
      workflowId: randomUUID(),
      taskQueue: 'ended-lately',
      typedSearchAttributes: [
        { key: ATTRIBUTES.campaign, value: campaign },
        { key: ATTRIBUTES.service, value: service },
      ],
    });
    await handle.terminate();
  }
}

test('ended jobs are counted for each service without a limit, since the campaign began', async () => {
  const name = `night-${randomUUID()}`;
  const startedAt = new Date(Date.now() - 2 * MINUTE).toISOString();
  await endItems(name, 'molecules', 3);
  await endItems(name, 'predictions', 2);
  await endItems(`other-${randomUUID()}`, 'molecules', 1);
  const budgets = [budget('molecules', null), budget('predictions', 100)];
  const seenFrom = (at: number) => countEndedLately(client, { name, startedAt }, { budgets, at });
  const ended = async () => (await seenFrom(Date.now())).endedBy;
  await expect.poll(ended, { timeout: 10_000 }).toEqual({ molecules: 3, predictions: 0 });
  const { overMs } = await seenFrom(Date.now());
  expect(overMs).toBeGreaterThanOrEqual(2 * MINUTE);
  expect(overMs).toBeLessThan(4 * MINUTE);
  // Of a long campaign, the last five minutes count.
  const later = await seenFrom(Date.now() + 6 * MINUTE);
  expect(later).toEqual({ endedBy: { molecules: 0, predictions: 0 }, overMs: 5 * MINUTE });
});

test('a recent task is not waited for: a busy worker always has one', async () => {
  const { handle } = await startUnpolled(client, { [PROGRESS_MEMO]: { total: 3 } });
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
