/**
 * A campaign in progress while the program is replaced: two real builds in one Worker Deployment, upgraded twice and
 * rolled back once.
 */
import { expect, onTestFinished, test } from 'vitest';
import { atMostOneJob, neverOverBudget, noItemLost, treeIsWhole } from '../promises.ts';
import { sequences } from '../rig.ts';
import { Upgrading } from './upgrading.ts';

const LIMITS = { limit: 8, windowMs: 3_000 };

test('a campaign that is upgraded twice and rolled back once loses nothing', async () => {
  const scene = await Upgrading.open(LIMITS);
  onTestFinished(() => scene.close());
  const { rig, builds } = scene;
  const [one, two] = builds;
  await scene.start(one);
  await scene.promote(one);
  const { handle, name, folder: tree, ids } = await rig.start(sequences(80));

  await scene.accepted(16);
  await scene.start(two);
  for (const [n, next] of [
    [16, two],
    [32, one],
    [48, two],
  ] as const) {
    await scene.accepted(n);
    await scene.promote(next);
  }
  const { ended } = await handle.result();
  expect(ended.succeeded).toBe(80);
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  atMostOneJob(rig.services.journal(), 80);
  neverOverBudget(rig.services.journal(), LIMITS);

  expect(await scene.buildsOf(`campaign:${name}`)).toEqual(['one', 'two', 'one', 'two']);
  const address = rig.settings[1]?.reference.address ?? '';
  expect(await scene.buildsOf(`budget:predictions:${address}`)).toEqual([
    ...['one', 'two', 'one', 'two'],
  ]);
}, 240_000);
