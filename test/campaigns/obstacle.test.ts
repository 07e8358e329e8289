/** What blocks a campaign until a user acts, from the state of Temporal and the disk. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { whatDiskLacks, obstacleOf } from '../../src/campaigns/obstacle.ts';
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
