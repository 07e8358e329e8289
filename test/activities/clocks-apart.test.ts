/** A worker whose clock is minutes away from that of the Temporal server, on another host. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Dependencies } from '../../src/activities/dependencies.ts';
import { JobTimes } from '../../src/activities/job-times.ts';
import { poll } from '../../src/activities/poll.ts';
import { ServerClock } from '../../src/activities/server-clock.ts';
import type { JobPolicy } from '../../src/domain/campaign.ts';
import type { PollOutcome } from '../../src/domain/outcomes.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { waitingRecord } from '../../src/store/item-record.ts';
import { writeItem } from '../../src/store/item-store.ts';
import type { RemoteJob } from '../../src/workflows/activity-types.ts';
import { JOBS } from '../services/jobs.ts';
import { OURS } from './ours.ts';

const POLICY: JobPolicy = { deadlineMs: 60_000, whenUnsure: 'hold' };
const MINUTES = 60_000;

interface Asked {
  /** How far (ms) our clock is ahead of the server's. */
  readonly ahead: number;
  readonly attempt: number;
  /** How long ago (ms) the job was accepted. */
  readonly age: number;
}

/** The delay until the next poll of a running job (ms), and the duration of this one. */
async function look({ ahead, attempt, age }: Asked): Promise<{ again: number; took: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'hundredfold-poll-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const { kind, options, input } = JOBS.sequence;
  const row = { email: null, title: null, row: {}, user: {}, canonical: '' };
  const source = { file: 'x.csv', line: 2 };
  await writeItem(
    await openFileStore(folder),
    waitingRecord({ id: 'one', kind, options, input, ...row, source }),
  );
  const reference = { service: 'predictions', address: 'here', credential: 'c' } as const;
  const item = { campaign: 'c', store: folder, id: 'one', kind, generation: 0 };
  const job: RemoteJob = { item, reference, remoteId: 'r-1' };
  const jobTimes = new JobTimes();
  const at = (ms: number): string => new Date(1_800_000_000_000 + ms).toISOString();
  jobTimes.note(job, { queuedAt: at(0), startedAt: at(10), finishedAt: at(100) } as never);
  const running = { type: 'running', timing: null, retryAfterMs: null } as unknown as PollOutcome;
  const parts = {
    jobTimes,
    openStore: openFileStore,
    leases: OURS,
    serverClock: new ServerClock(),
    serviceOf: () => ({ client: { poll: () => Promise.resolve(running) } }),
  };
  const server = Date.now() - ahead;
  const activity = new MockActivityEnvironment({
    attempt,
    scheduledTimestampMs: server - age,
    currentAttemptScheduledTimestampMs: server,
  });
  const began = performance.now();
  const ended: unknown = await activity
    .run(() => poll(parts as unknown as Dependencies, job, POLICY))
    .catch((error: unknown) => error);
  expect(ended).toMatchObject({ type: 'NotYet' });
  const { nextRetryDelay } = ended as { nextRetryDelay: number };
  return { again: nextRetryDelay, took: performance.now() - began };
}

describe.each([-7 * MINUTES, 0, 5 * MINUTES])('a clock that is %d ms ahead', (ahead) => {
  test('does not delay the first poll of a job or the next one', async () => {
    const { again, took } = await look({ ahead, attempt: 1, age: 0 });
    expect(again).toBeLessThan(1_000);
    // Up to 5 s of waits belong to one attempt; the clocks are minutes apart.
    expect(took).toBeLessThan(MINUTES);
  });

  test('does not end a job before its deadline, and does not poll it more often than its age requires', async () => {
    const { again } = await look({ ahead, attempt: 3, age: 20_000 });
    expect(again).toBeGreaterThanOrEqual(2_000);
    expect(again).toBeLessThan(3_000);
  });
});
