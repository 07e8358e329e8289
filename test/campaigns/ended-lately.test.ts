/** How many jobs of a campaign ended lately, as a server counts them. */
import { randomUUID } from 'node:crypto';
import { endedLately } from '../../src/campaigns/ended-lately.ts';
import type { ServiceName } from '../../src/domain/item.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { ATTRIBUTES } from '../../src/workflows/search-attributes.ts';
import { budget as budgetOf, window as windowOf } from '../cli/live/scenes.ts';
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
  const lately = () => endedLately(client, { name, startedAt }, { budgets, at: Date.now() });
  const ended = async () => (await lately()).endedBy;
  await expect.poll(ended, { timeout: 10_000 }).toEqual({ molecules: 3, predictions: 0 });
  const { overMs } = await lately();
  expect(overMs).toBeGreaterThanOrEqual(2 * MINUTE);
  expect(overMs).toBeLessThan(4 * MINUTE);
});

test('of a long campaign, the last five minutes count', async () => {
  const name = `long-${randomUUID()}`;
  const startedAt = new Date(Date.now() - 600 * MINUTE).toISOString();
  await endItems(name, 'predictions', 1);
  const budgets = [budget('predictions', null)];
  const seenFrom = (at: number) => endedLately(client, { name, startedAt }, { budgets, at });
  const ended = async () => (await seenFrom(Date.now())).endedBy.predictions;
  await expect.poll(ended, { timeout: 10_000 }).toBe(1);
  const later = await seenFrom(Date.now() + 6 * MINUTE);
  expect(later).toEqual({ endedBy: { molecules: 0, predictions: 0 }, overMs: 5 * MINUTE });
});
