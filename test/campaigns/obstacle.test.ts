/** What users are told about a campaign that does not go on: Temporal, the disk, its services. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whatDiskLacks, obstacleOf } from '../../src/campaigns/obstacle.ts';
import { standstillOf } from '../../src/campaigns/standstill.ts';
import { seen } from '../cli/live/scenes.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

type Described = Parameters<typeof obstacleOf>[1];

function pending(name: string, type: string | null, message: string): Described {
  const lastFailure = type === null ? null : { message, applicationFailureInfo: { type } };
  const raw = { pendingActivities: [{ activityType: { name }, lastFailure }] };
  return { raw };
}

const FULL = 'Cannot write report.html: the disk is full. Free some space there.';

test('an activity that fails with an error of the store is reported', async () => {
  expect(await obstacleOf(await temporaryFolder(), pending('publish', 'STORE_FULL', FULL))).toBe(
    `publish keeps failing and is retried: ${FULL}`,
  );
});

test.each([
  ['nothing pending', { raw: {} }],
  ['a first attempt', pending('publish', null, '')],
  ['a job that is not finished yet', pending('publish', 'NotYet', 'later')],
])('%s: no obstacle', async (_, described) => {
  expect(await obstacleOf(await temporaryFolder(), described)).toBeNull();
});

test('a folder that is not on this machine cannot be checked', async () => {
  const elsewhere = join(await temporaryFolder(), 'not', 'here');
  expect(await obstacleOf(elsewhere, pending('publish', null, ''))).toBeNull();
});

test.each([
  ['no bytes', { bavail: 0, ffree: 1_000 }, ''],
  ['no inodes', { bavail: 1_000, ffree: 0 }, ': it has no free inodes'],
  ['bytes and inodes left', { bavail: 1_000, ffree: 1_000 }, null],
  ['inodes that are not counted', { bavail: 1_000, ffree: 0, files: 0 }, null],
])('a disk with %s', (_, disk, words) => {
  expect(whatDiskLacks({ bsize: 4_096, files: 10_000, ...disk })).toBe(words);
});

test.each(['running', 'paused', 'completed', 'cancelled'] as const)(
  'a service that was paused because all its items failed is named until the campaign has ended: %s',
  (state) => {
    const brakes = [
      { service: 'molecules' as const, code: 'JOB_FAILED', message: 'no engine.', times: 5 },
    ];
    const words = standstillOf(seen({ state, brakes, total: 9, open: 4 }, []), 0);
    if (state === 'completed' || state === 'cancelled') return expect(words).toBeNull();
    expect(words).toContain('(JOB_FAILED: no engine), so nothing more is submitted there');
    expect(words).toContain('"hundredfold resume night --service molecules"');
  },
);
