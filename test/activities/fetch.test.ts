/** Ends of a download that take days: the clock of the activity is set, everything else is real. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Dependencies } from '../../src/activities/dependencies.ts';
import { fetchArtefact } from '../../src/activities/fetch.ts';
import { FilesSeen } from '../../src/activities/files-seen.ts';
import { find } from '../../src/activities/find.ts';
import { ServerClock } from '../../src/activities/server-clock.ts';
import type { JobPolicy } from '../../src/domain/campaign.ts';
import { createClient } from '../../src/services/registry.ts';
import { waitingRecord } from '../../src/store/item-record.ts';
import { writeItem } from '../../src/store/item-store.ts';
import { OURS } from './ours.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import type { RemoteJob } from '../../src/workflows/activity-types.ts';
import { deadUrl } from '../services/scripted-server.ts';
import { JOBS, TOKEN } from '../services/jobs.ts';

const POLICY: JobPolicy = { deadlineMs: 86_400_000, whenUnsure: 'hold' };
const DAY = 86_400_000;

/** A worker whose service is unavailable. */
async function deps(): Promise<{ deps: Dependencies; job: RemoteJob }> {
  const folder = await mkdtemp(join(tmpdir(), 'hundredfold-fetch-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const client = createClient({ service: 'predictions', url: await deadUrl(), token: TOKEN });
  onTestFinished(() => client.close());
  const { kind, options, input } = JOBS.sequence;
  const store = await openFileStore(folder);
  await writeItem(
    store,
    waitingRecord({
      id: 'one',
      kind,
      options,
      input,
      canonical: '',
      email: null,
      title: null,
      row: {},
      user: {},
      source: { file: 'x.csv', line: 2 },
    }),
  );
  const reference = { service: 'predictions', address: 'here', credential: 'c' } as const;
  const item = { campaign: 'c', store: folder, tree: '', id: 'one', kind, generation: 0 };
  // Only what the two activities use; other parts of a worker are missing.
  const worker = {
    openStore: openFileStore,
    leases: OURS,
    serverClock: new ServerClock(),
    filesSeen: new FilesSeen(),
  };
  const parts = { serviceOf: () => ({ client }), ...worker };
  return { deps: parts as unknown as Dependencies, job: { item, reference, remoteId: 'r-1' } };
}

const scheduled = (ago: number) =>
  new MockActivityEnvironment({
    scheduledTimestampMs: Date.now() - ago,
    attempt: 9,
    currentAttemptScheduledTimestampMs: Date.now(),
  });

describe('a service that stays unavailable', () => {
  test('is asked for a download until it would have deleted the result', async () => {
    const { deps: parts, job } = await deps();
    const download = () => fetchArtefact(parts, job, 'result', POLICY);
    await expect(scheduled(12 * DAY).run(download)).rejects.toMatchObject({ type: 'NotYet' });
    expect(await scheduled(13.5 * DAY).run(download)).toMatchObject({
      files: [],
      problem: { code: 'RESULT_UNREACHABLE' },
    });
  });

  test('is asked for past results for a day', async () => {
    const { deps: parts, job } = await deps();
    const look = () => find(parts, job.item, job.reference, POLICY);
    await expect(scheduled(DAY / 2).run(look)).rejects.toMatchObject({ type: 'NotYet' });
    expect(await scheduled(1.1 * DAY).run(look)).toMatchObject({ type: 'unavailable' });
  });
});
