/** Campaigns whose name was used before: answers to the earlier one must not affect this one. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Rig, sequences, type Started } from '../rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await Rig.open({ engine: 'synthetic', jobMs: 20, concurrency: 0 });
});
afterAll(async () => rig.close());

async function succeeds({ handle, ids }: Started): Promise<void> {
  const progress = await handle.result();
  expect(progress.ended.succeeded).toBe(ids.length);
}

describe('a campaign under a name that was used before', () => {
  test('runs into another output folder', async () => {
    await succeeds(await rig.start(sequences(4), 'used-elsewhere'));
    await succeeds(await rig.start(sequences(4), 'used-elsewhere', null, 'others'));
  });

  test('runs again after its output was removed', async () => {
    const first = await rig.start(sequences(4), 'used-removed');
    await succeeds(first);
    await rm(first.folder, { recursive: true });
    await succeeds(await rig.start(sequences(4), 'used-removed'));
  });

  test('restores an item whose folder was removed', async () => {
    const first = await rig.start(sequences(4), 'used-item');
    await succeeds(first);
    await rm(join(first.folder, 'sequences', 'seq-2'), { recursive: true });
    await succeeds(await rig.start(sequences(4), 'used-item'));
  });
});
