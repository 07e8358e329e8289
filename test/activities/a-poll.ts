/** One attempt to poll a job, with the answers of the service given. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { onTestFinished } from 'vitest';
import type { Dependencies } from '../../src/activities/dependencies.ts';
import { JobTimes } from '../../src/activities/job-times.ts';
import { poll, type Seen } from '../../src/activities/poll.ts';
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

interface Attempt {
  /** The answers to one poll after the other; the last one is repeated. */
  readonly answers: readonly [PollOutcome, ...PollOutcome[]];
  /** How far (ms) our clock is ahead of the server's. */
  readonly ahead?: number;
  readonly attempt?: number;
  /** How long ago (ms) the job was accepted. */
  readonly age?: number;
  /** How long (ms) jobs of its kind took so far. */
  readonly usual?: number;
  /** What the attempt before has left. */
  readonly left?: Seen;
  /** Other activities that wait for the end of their jobs. */
  readonly waiting?: number;
}

/** What the attempt returned or threw, how often it polled, and its duration (ms). */
export async function pollOnce(given: Attempt) {
  const { answers, ahead = 0, attempt = 1, age = 0, usual = 100, waiting = 0, left } = given;
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
  const item = { campaign: 'c', store: folder, tree: '', id: 'one', kind, generation: 0 };
  const job: RemoteJob = { item, reference, remoteId: 'r-1' };
  const jobTimes = new JobTimes();
  jobTimes.waiting = waiting;
  const at = (ms: number): string => new Date(1_800_000_000_000 + ms).toISOString();
  jobTimes.note(job, { queuedAt: at(0), startedAt: at(10), finishedAt: at(usual) } as never);
  let polls = 0;
  const client = {
    artefacts: () => [],
    ping: () => Promise.resolve({ type: 'well' }),
    poll: () => {
      polls += 1;
      return Promise.resolve(answers[Math.min(polls, answers.length) - 1]);
    },
  };
  const parts = {
    jobTimes,
    openStore: openFileStore,
    leases: OURS,
    serverClock: new ServerClock(),
    serviceOf: () => ({ client }),
  };
  const server = Date.now() - ahead;
  const activity = new MockActivityEnvironment({
    attempt,
    heartbeatDetails: left,
    scheduledTimestampMs: server - age,
    currentAttemptScheduledTimestampMs: server,
  });
  const began = performance.now();
  const ended: unknown = await activity
    .run(() => poll(parts as unknown as Dependencies, job, POLICY))
    .catch((error: unknown) => error);
  return { ended, polls, took: performance.now() - began };
}
