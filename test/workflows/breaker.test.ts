/** A service whose items fail for one and the same reason is paused; single failures pause nothing. */
import { describe, expect, test } from 'vitest';
import type { ItemEnd } from '../../src/domain/campaign.ts';
import { Breaker } from '../../src/workflows/breaker.ts';
import { resumeSignal } from '../../src/workflows/messages.ts';
import { atMostOneJob, noItemLost, treeIsWhole } from '../promises.ts';
import { molecules, sequences } from '../rig.ts';
import { openRig } from './faulty.ts';

const WELL: ItemEnd = { state: 'succeeded', code: null, message: null };
const failed = (message: string): ItemEnd => ({ state: 'failed', code: 'JOB_FAILED', message });

function tripsAt(ends: readonly ItemEnd[], threshold: number | null = 5): number[] {
  const breaker = new Breaker(threshold ?? undefined);
  return ends.flatMap((end, n) => (breaker.add('molecules', end) ? [n + 1] : []));
}

describe('when a service is paused', () => {
  const same = failed('no parameters for Pt');
  test.each([
    ['the first 5 fail alike', Array(7).fill(same), [5]],
    ['a success before them: 9 of the last 10', [WELL, ...Array(12).fill(same)], [10]],
    [
      '8 of the last 10 do not count',
      [...Array(4).fill(same), WELL, ...Array(4).fill(same), WELL],
      [],
    ],
    ['other messages do not count', Array.from({ length: 20 }, (_, n) => failed(`no ${n}`)), []],
    ['successes do not count', Array(30).fill(WELL), []],
  ] as [string, ItemEnd[], number[]][])('%s', (_, ends, expected) => {
    expect(tripsAt(ends)).toEqual(expected);
  });

  test('no threshold: never', () => {
    expect(tripsAt(Array<ItemEnd>(50).fill(same), null)).toEqual([]);
  });

  test('after a resume it takes 9 more of 10, and each service counts for itself', () => {
    const breaker = new Breaker(5);
    const add = (service: 'molecules' | 'predictions', n: number) =>
      Array.from({ length: n }, () => breaker.add(service, same)).filter(Boolean).length;
    expect([add('molecules', 5), add('predictions', 4)]).toEqual([1, 0]);
    breaker.release('molecules');
    expect(breaker.paused).toEqual([]);
    const carried = new Breaker(5, structuredClone(breaker.carried()));
    const again = Array.from({ length: 10 }, () => carried.add('molecules', same) !== null);
    expect(again.indexOf(true) + 1).toBe(9);
  });
});

test('a campaign whose molecules all fail alike pauses them, continues with the rest, and asks', async () => {
  const rig = await openRig({
    policy: { sameFailures: 5 },
    faults: [{ name: 'fail', service: 'molecules', probability: 1 }],
    jobMs: 200,
    concurrency: 2,
  });
  // With a limit, most of them wait when the first have failed.
  const rows = [...molecules(30), ...sequences(6)];
  const { handle, folder, ids } = await rig.start(rows);
  const progress = () =>
    handle.query<{ brakes?: { service: string; times: number }[] }>('progress');
  await expect.poll(async () => (await progress()).brakes, { timeout: 30_000 }).toBeDefined();
  expect((await progress()).brakes).toMatchObject([
    { service: 'molecules', code: 'JOB_FAILED', times: 5 },
  ]);

  await handle.signal(resumeSignal, 'molecules');
  const ended = await handle.result();
  expect(ended).toMatchObject({ ended: { failed: 30, succeeded: 6 } });
  await noItemLost(folder, ids);
  await treeIsWhole(folder);
  atMostOneJob(rig.services.journal(), rows.length);
}, 180_000);
