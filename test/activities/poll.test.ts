/** When a job is polled, how often, and what an attempt leaves for the next one. */
import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { JobStage, type Seen } from '../../src/activities/item-job.ts';
import { JobsSeen, type Dependencies } from '../../src/activities/dependencies.ts';
import { finishJob, poll } from '../../src/activities/finish-job.ts';
import { NO_TIMING, type PollOutcome } from '../../src/domain/outcomes.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { giveBackRecord } from '../../src/store/reopen.ts';
import { aJob, workerWith } from './a-job.ts';

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
  /** The job was adopted, or is from an earlier run. */
  readonly isOld?: true;
  /** The job is from before `retry`. */
  readonly isFormer?: true;
}

/** What one attempt returned or threw, and how often it polled. */
async function pollOnce(given: Attempt) {
  const { answers, ahead = 0, attempt = 1, age = 0, usual = 100, left } = given;
  const job = await aJob('sequence');
  const jobsSeen = new JobsSeen();
  const at = (ms: number): string => new Date(1_800_000_000_000 + ms).toISOString();
  const timing = { queuedAt: at(0), startedAt: at(10), finishedAt: at(usual) };
  jobsSeen.noteTiming(job, { ...NO_TIMING, ...timing });
  let polls = 0;
  const client = {
    artefacts: () => [],
    ping: () => Promise.resolve({ type: 'well' }),
    poll: () => {
      polls += 1;
      return Promise.resolve(answers[Math.min(polls, answers.length) - 1]);
    },
  };
  const worker = workerWith(client, { jobsSeen });
  const server = Date.now() - ahead;
  const activity = new MockActivityEnvironment({
    attempt,
    heartbeatDetails: { seen: left },
    scheduledTimestampMs: server - age,
    currentAttemptScheduledTimestampMs: server,
  });
  const { isFormer = false } = given;
  const policy = { deadlineMs: 60_000, whenUnsure: 'hold' } as const;
  const answeredAt = given.isOld === true ? {} : { answeredAt: at(0) };
  const submitted = { attempts: [], submittedAt: null, ...answeredAt };
  const former = isFormer ? 'JOB_LOST' : null;
  const ended: unknown = await activity
    .run(() =>
      poll(worker, {
        job,
        policy,
        submitted,
        former,
        stage: new JobStage(Context.current()),
      }),
    )
    .catch((error: unknown) => error);
  return { ended, polls };
}

const denied = (by: NonNullable<Seen['denied']>['by'], ms: number, times: number): Seen => ({
  denied: { by, since: Date.now() - ms, times },
});
const later = (delayMs: number): PollOutcome => ({ type: 'postponed', message: 'later', delayMs });
const FINISHED: PollOutcome = { type: 'finished' };
const DONE = { type: 'finished' };
const NOT_YET = { type: 'NotYet' };
const HINDERED = { type: 'Hindered' };
const MINUTES = 60_000;

test('a job whose row its lane has given back is not asked for: the lane may be away', async () => {
  const job = { ...(await aJob('sequence')), givesBack: true } as const;
  const store = await openFileStore(job.item.store);
  const record = await readItem(store, 'sequence', 'one');
  if (!record) throw new Error('the row has no record');
  await writeItem(store, giveBackRecord({ ...record, remoteId: job.remoteId }, 'a', []));
  const told: unknown[] = [];
  const signal = (_: unknown, what: unknown) => Promise.resolve(void told.push(what));
  const temporal = { workflow: { getHandle: () => ({ signal }) } };
  const worker = workerWith({}, { temporal } as unknown as Partial<Dependencies>);
  const policy = { deadlineMs: 60_000, whenUnsure: 'hold' } as const;
  const submitted = { attempts: [], submittedAt: null };
  const finished: unknown = await new MockActivityEnvironment({ attempt: 7 }).run(() =>
    finishJob(worker, job, policy, submitted, null),
  );
  expect(finished).toEqual({ type: 'givenUp' });
  expect(told).toEqual([{ id: 'one', back: { generation: 1, givenBack: ['a'] } }]);
});

describe('an attempt to poll a job', () => {
  test.each<[string, Attempt, polls: number, ended: object]>([
    [
      'polls again if that is postponed for a moment',
      { answers: [later(300), later(200), FINISHED] },
      3,
      DONE,
    ],
    [
      'leaves a poll that is postponed for long to the Temporal server',
      { answers: [later(30_000), FINISHED] },
      1,
      { ...NOT_YET, nextRetryDelay: 30_000 },
    ],
    // Three waits of 1.5 s are less than 5 s.
    ['does not wait for more than some seconds', { answers: [later(1_500)] }, 4, NOT_YET],
    ['waits for a job of some seconds', { answers: [FINISHED], usual: 1_500, age: 500 }, 1, DONE],
    ['does not wait for a longer one', { answers: [FINISHED], usual: 30_000 }, 0, NOT_YET],
    ['polls one of another time', { answers: [FINISHED], usual: 30_000, isOld: true }, 1, DONE],
  ])('%s', async (_, given, polls, ended) => {
    expect(await pollOnce(given)).toMatchObject({ polls, ended });
  });

  test('gives a job up that the service does not know when that has lasted, and not before', async () => {
    const answers = [{ type: 'unknown', message: 'not found' }] as const;
    const after = (minutes: number, times: number) =>
      pollOnce({ answers, attempt: 9, left: denied('unknown', minutes * MINUTES, times) });
    expect((await after(10, 40)).ended).toMatchObject(HINDERED);
    expect((await after(16, 1)).ended).toMatchObject(HINDERED);
    expect((await after(16, 3)).ended).toMatchObject({ type: 'failed', code: 'JOB_LOST' });
  });

  test('holds a job that alone is refused when that has lasted, and no job in an outage', async () => {
    const after = (ms: number, more: Partial<PollOutcome>, by: 'unknown' | 'unavailable') => {
      const refused = { type: 'unavailable', message: 'HTTP 403', retryAfterMs: null } as const;
      const answers = [{ ...refused, ...more } as PollOutcome] as const;
      return pollOnce({ answers, attempt: 9, left: denied(by, ms, 3) });
    };
    const [alone, by] = [{ othersWell: true }, 'unavailable'] as const;
    const held = { type: 'failed', code: 'JOB_UNREADABLE' };
    expect((await after(16 * MINUTES, alone, by)).ended).toMatchObject(held);
    expect((await after(14 * MINUTES, alone, by)).ended).toMatchObject(HINDERED);
    expect((await after(16 * MINUTES, {}, by)).ended, 'an outage').toMatchObject(HINDERED);
    const paused = { ...alone, retryAfterMs: 1_000 };
    expect((await after(16 * MINUTES, paused, by)).ended, 'a pause').toMatchObject(HINDERED);
    expect((await after(16 * MINUTES, alone, 'unknown')).ended).toMatchObject(HINDERED);
  });

  test('gives a job from before a retry up after seconds, unless it was seen to run', async () => {
    const answers = [{ type: 'unknown', message: 'not found' }] as const;
    const after = (ms: number, more: Partial<Seen> = {}) => {
      const left = { ...denied('unknown', ms, 3), ...more };
      return pollOnce({ answers, isFormer: true, attempt: 9, left });
    };
    expect((await after(4_000)).ended).toMatchObject(HINDERED);
    expect((await after(6_000)).ended).toMatchObject({ type: 'failed', code: 'JOB_LOST' });
    expect((await after(6_000, { isKnown: true })).ended).toMatchObject(HINDERED);
    const first = await pollOnce({ answers: [FINISHED], isFormer: true, usual: 30_000 });
    expect(first, 'it may have ended long ago').toMatchObject({ polls: 1, ended: DONE });
  });

  test.each([-7, 5])('is not misled by a clock that is %d minutes ahead', async (minutes) => {
    const ahead = minutes * MINUTES;
    expect(await pollOnce({ ahead, answers: [FINISHED] })).toMatchObject({ polls: 1, ended: DONE });
    const running = { type: 'running', timing: null, retryAfterMs: null } as unknown as PollOutcome;
    const { ended } = await pollOnce({ ahead, answers: [running], attempt: 3, age: 20_000 });
    expect(ended).toMatchObject(NOT_YET);
    // By its age; and the deadline has not passed.
    const { nextRetryDelay } = ended as { nextRetryDelay: number };
    expect(nextRetryDelay).toBeGreaterThanOrEqual(2_000);
    expect(nextRetryDelay).toBeLessThan(3_000);
  });
});

describe('what an attempt leaves for the next one', () => {
  const RESULT = { files: [], problem: null, timing: null, engine: null };

  function stageAfter(heartbeatDetails: unknown): { stage: JobStage; sent: unknown[] } {
    const sent: unknown[] = [];
    const context = {
      info: {
        attempt: 2,
        heartbeatDetails,
        scheduledTimestampMs: 0,
        currentAttemptScheduledTimestampMs: 0,
      },
      heartbeat: (details: unknown) => sent.push(details),
    };
    return { stage: new JobStage(context as unknown as Context), sent };
  }

  test('are its completed steps, sent once', () => {
    const { stage, sent } = stageAfter(undefined);
    stage.keepPolled({ type: 'finished', artefacts: ['result', 'csv'], queuedAt: null });
    stage.keepFetched('result', RESULT);
    expect(sent, 'not one by one').toEqual([]);
    stage.leaveToNextAttempt();
    expect(sent).toHaveLength(1);
    const next = stageAfter(JSON.parse(JSON.stringify(sent[0]))).stage;
    expect(next.left.polled).toMatchObject({ artefacts: ['result', 'csv'] });
    expect(next.left.fetched).toEqual({ result: RESULT });
  });

  test('is nothing without a new step', () => {
    const { stage, sent } = stageAfter({ seen: { queuedAt: '2026-11-23T10:00:00Z' } });
    stage.keepSeen({ queuedAt: '2026-11-23T10:00:00Z' });
    stage.leaveToNextAttempt();
    expect(sent).toEqual([]);
  });
});
