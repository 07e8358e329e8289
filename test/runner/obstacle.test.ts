/** What users are told about a campaign that does not go on: Temporal, the disk, its services. */
import { symlink } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { storeFailure } from '../../src/activities/retry.ts';
import { nameBudget } from '../../src/budget/status.ts';
import { HundredfoldError } from '../../src/domain/errors.ts';
import { endCampaign } from '../../src/runner/control.ts';
import { describeHindrance } from '../../src/runner/items.ts';
import { describeFailing, explainStandstill, findDiskLacking } from '../../src/runner/obstacles.ts';
import { setObjectStoreAccess } from '../../src/store/open-store.ts';
import type { Session } from '../../src/temporal/host/session.ts';
import { seen } from '../cli/live/scenes.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

test.each([
  ['no bytes', { bavail: 0, ffree: 1_000 }, ''],
  ['no inodes', { bavail: 1_000, ffree: 0 }, ': it has no free inodes'],
  ['bytes and inodes left', { bavail: 1_000, ffree: 1_000 }, null],
  ['inodes that are not counted', { bavail: 1_000, ffree: 0, files: 0 }, null],
])('a disk with %s', (_, disk, words) => {
  expect(findDiskLacking({ bsize: 4_096, files: 10_000, ...disk })).toBe(words);
});

test.each(['running', 'paused', 'completed', 'cancelled'] as const)(
  'a service that was paused because all its items failed is named until the campaign has ended: %s',
  (state) => {
    const pausedServices = [
      { service: 'molecules' as const, code: 'JOB_FAILED', message: 'no engine.', times: 5 },
    ];
    const words = explainStandstill(seen({ state, pausedServices, total: 9, open: 4 }, []), 0);
    if (state === 'completed' || state === 'cancelled') return expect(words).toBeNull();
    expect(words).toContain('(JOB_FAILED: no engine), so nothing more is submitted there');
    expect(words).toContain('"hundredfold resume night --service molecules"');
  },
);

test('of a lane, the command that continues names its service, and a refusal names the lane', () => {
  const pausedServices = [
    { service: 'predictions (big:8080)', code: 'JOB_FAILED', message: 'no engine.', times: 5 },
  ];
  const words = explainStandstill(seen({ state: 'running', pausedServices, total: 9 }, []), 0);
  expect(words).toContain('5 items of predictions (big:8080) failed');
  expect(words).toContain('"hundredfold resume night --service predictions"');
  const budgets = ['p.example', 'big:8080'].map((address) => ({ service: 'predictions', address }));
  expect(budgets.map((one) => nameBudget(one, budgets))).toEqual([
    'predictions',
    'predictions (big:8080)',
  ]);
});

test.each([
  ['predictions (big:8080)', '--compare-lanes 20 --name NEW. Then'],
  ['predictions (engines)', '--compare-lanes 20 --name NEW --also engines. Then'],
])('of %s, whose engine differs, samples are computed anew', (service, words) => {
  const pausedServices = [{ service, code: 'LANE_ENGINE_DIFFERS', message: 'one is "1".' }];
  const told = explainStandstill(seen({ state: 'running', pausedServices, total: 9 }, []), 0);
  expect(told).toContain(`hundredfold run MANIFEST ${words}`);
});

test('of many reasons why items wait, three are told', () => {
  const reasons = ['a', 'b', 'c', 'a', 'd', 'e'].map(
    (why, n) => [`m-${n}`, { message: `Disk ${why}.`, remoteId: null }] as const,
  );
  expect(describeHindrance(new Map(reasons))).toBe(
    '2 items wait (m-0, m-3): Disk a. 1 item waits (m-1): Disk b. 1 item waits (m-2): Disk c. 2 others wait.',
  );
});

test('items that wait for the same reason are told once, whatever the ids of their jobs', () => {
  const open = ['4f2', '8b1'].map(
    (remoteId, n) => [`m-${n}`, { message: `GET /jobs/${remoteId}/: refused.`, remoteId }] as const,
  );
  expect(describeHindrance(new Map(open))).toBe('2 items wait (m-0, m-1): GET /jobs/…/: refused.');
});

test.each([
  [
    'a lasting fault of the installation',
    storeFailure(new HundredfoldError('PACKAGE_INCOMPLETE', 'No page.', 'Build it.'), 1),
    'publish keeps failing and is retried: No page. Build it.',
  ],
  ['only too early', { type: 'NotYet', message: 'not before 12:00' }, null],
])('an activity that is tried again because of %s', (_, failure, words) => {
  const { type, message } = failure as { type: string; message: string };
  const lastFailure = { message, applicationFailureInfo: { type } };
  const raw = { pendingActivities: [{ activityType: { name: 'publish' }, lastFailure }] };
  expect(describeFailing({ raw })).toBe(words);
});

/** A campaign at a Temporal elsewhere whose tree is in this folder or bucket. */
function runningIn(out: string) {
  const campaign = {
    describe: async () => ({
      workflowId: 'campaign:night',
      status: { name: 'RUNNING' },
      startTime: new Date(0),
      memo: { out, tree: 'its-id' },
      typedSearchAttributes: new Map(),
    }),
    cancel: vi.fn(async () => undefined),
    terminate: vi.fn(async () => undefined),
  };
  const client = { workflow: { getHandle: () => campaign } };
  return { campaign, session: { client, role: 'remote' } as unknown as Session };
}

test('a tree that cannot be read now is not lost: its campaign is not abandoned', async () => {
  const loop = join(await temporaryFolder(), 'loop');
  await symlink('loop', loop);
  const { campaign, session } = runningIn(join(loop, 'night'));
  const abandoned = endCampaign(session, 'night', () => undefined, true);
  await expect(abandoned).rejects.toMatchObject({ code: 'STORE_BAD_KEY' });
  expect(campaign.terminate).not.toHaveBeenCalled();
});

test('a campaign at a Temporal elsewhere is cancelled also where its bucket does not answer', async () => {
  const asked: (string | undefined)[] = [];
  const bucket = createServer((request) => void asked.push(request.url)).listen(0, '127.0.0.1');
  await expect.poll(() => bucket.listening).toBe(true);
  const { port } = bucket.address() as AddressInfo;
  setObjectStoreAccess({ endpoint: `http://127.0.0.1:${port}` });
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) vi.stubEnv(name, 'any');
  const { campaign, session } = runningIn('s3://results/night');
  try {
    expect(await endCampaign(session, 'night', () => undefined)).toBe(true);
    expect(campaign.cancel).toHaveBeenCalledOnce();
    expect(asked).toEqual([]);
  } finally {
    bucket.closeAllConnections();
    bucket.close();
    setObjectStoreAccess({});
    vi.unstubAllEnvs();
  }
});
