/** Ended items of large campaigns are deleted from Temporal; their campaign goes on, and loses nothing. */
import { afterEach, expect, test } from 'vitest';
import { ItemDeletion } from '../../src/watchdog/item-deletion.ts';
import { lookSignal } from '../../src/workflows/messages.ts';
import { atMostOneJob, noItemLost, treeIsWhole } from '../promises.ts';
import { Rig, sequences } from '../rig.ts';

let rig: Rig;
afterEach(async () => rig.close());

const never = new AbortController().signal;

async function completedItems(campaign: string): Promise<number> {
  const query = `WorkflowType="item" AND ExecutionStatus="Completed" AND Campaign="${campaign}"`;
  return (await rig.client.workflow.count(query)).count;
}

function deletion(mostKept: number, keptMs: number): ItemDeletion {
  const { client, taskQueue } = rig;
  return new ItemDeletion({ client, taskQueue, mostKept, keptMs });
}

test('ended items of a large running campaign are deleted, and it completes; those of others are kept', async () => {
  rig = await Rig.open({ limit: 6, windowMs: 90_000, engine: 'synthetic', jobMs: 20 });
  const small = await rig.start(sequences(2));
  await small.handle.result();
  const large = await rig.start(sequences(6));
  const both = () => Promise.all([completedItems(small.name), completedItems(large.name)]);
  await expect.poll(both, { timeout: 20_000 }).toEqual([2, 4]);
  // Not for an hour.
  expect(await deletion(3, 3_600_000).remove(never)).toBe(0);
  // Each worker does it.
  const [one, another] = [deletion(3, 0), deletion(3, 0)];
  const removed = await Promise.all([one.remove(never), another.remove(never)]);
  expect(Math.max(...removed)).toBe(4);
  // The server deletes them half a minute later.
  await expect.poll(both, { timeout: 80_000, interval: 500 }).toEqual([2, 0]);
  // A search for lost items must not ask for them again.
  await large.handle.signal(lookSignal);
  expect((await large.handle.result()).ended.succeeded).toBe(6);
  await noItemLost(large.folder, large.ids);
  await treeIsWhole(large.folder);
  atMostOneJob(rig.services.journal(), 8);
}, 240_000);
