/** What a campaign does not get past by itself, from what Temporal and the disk tell. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { obstacleOf } from '../../src/cli/obstacle.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

type Described = Parameters<typeof obstacleOf>[1];

function pending(name: string, type: string | null, message: string): Described {
  const lastFailure = type === null ? null : { message, applicationFailureInfo: { type } };
  const raw = { pendingActivities: [{ activityType: { name }, lastFailure }] };
  return { raw };
}

const FULL = 'Cannot write report.html: the disk is full. Free some space there.';

test('an activity of the campaign that the store refuses', async () => {
  expect(await obstacleOf(await temporaryFolder(), pending('publish', 'STORE_FULL', FULL))).toBe(
    `publish is tried again and again: ${FULL}`,
  );
});

test.each([
  ['nothing pending', { raw: {} }],
  ['a first try', pending('publish', null, '')],
  ['what is only not yet', pending('publish', 'NotYet', 'later')],
])('%s: nothing stands in the way', async (_, described) => {
  expect(await obstacleOf(await temporaryFolder(), described)).toBeNull();
});

test('a folder that is not on this machine cannot be looked at', async () => {
  const elsewhere = join(await temporaryFolder(), 'not', 'here');
  expect(await obstacleOf(elsewhere, pending('publish', null, ''))).toBeNull();
});
