/** A campaign through the gateway of the local services: nothing differs while it relays, and late answers lose nothing. */
import { expect, test } from 'vitest';
import { molecules, sequences } from '../rig.ts';
import { keepsPromises, openRig } from './faulty.ts';

const ROWS = [...sequences(4), ...molecules(4)];

test('a gateway that relays changes nothing', async () => {
  const rig = await openRig({ gateway: null });
  const ran = await rig.run(ROWS);
  expect(ran.progress.ended.succeeded).toBe(ROWS.length);
  await keepsPromises(rig, ran);
  expect(rig.services.gateway.answered()).toEqual([]);
}, 60_000);

test('answers that come late cost no second job', async () => {
  const rig = await openRig({ gateway: { name: 'slow-answers', seed: 3, ms: 1_500 } });
  const ran = await rig.run(ROWS);
  expect(ran.progress.ended.succeeded).toBe(ROWS.length);
  await keepsPromises(rig, ran);
}, 60_000);
