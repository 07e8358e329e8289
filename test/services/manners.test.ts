/** The request rate, the back-off and the list shared by all GETs to one service, with a clock that the test sets. */
import { expect, test } from 'vitest';
import type {
  ListOutcome,
  PastJob,
  PollOutcome,
  SubmitOutcome,
} from '../../src/domain/outcomes.ts';
import type { Job, ListOptions, ServiceClient } from '../../src/services/client.ts';
import { withManners } from '../../src/services/manners.ts';

const RUNNING: PollOutcome = {
  type: 'running',
  retryAfterMs: null,
  progress: null,
  statusMessage: null,
  timing: null,
};
const REFUSED: PollOutcome = {
  type: 'unavailable',
  message: 'HTTP 403',
  retryAfterMs: null,
  refusesUs: true,
};

/** Of the list of past results. */
const entry = (remoteId: string, done: boolean): PastJob => ({
  kind: 'sequence',
  remoteId,
  jobName: null,
  submittedAt: '2026-01-01T00:00:00Z',
  state: done ? 'FINISHED' : 'RUNNING',
  finishedAt: done ? '2026-01-01T00:01:00Z' : null,
});

function polite(
  statusRequests: number | null,
  { lists = 'all' }: { lists?: 'all' | 'wanted' } = {},
) {
  const seen = {
    polls: [] as string[],
    lists: 0,
    /** The jobs that each list was read for. */
    wanted: [] as ReadonlySet<string>[],
    refusals: [] as (string | null)[],
    now: 0,
  };
  const next: { poll: PollOutcome; list: ListOutcome } = {
    poll: RUNNING,
    list: { type: 'listed', jobs: [] },
  };
  const accepted = (remoteId: string): SubmitOutcome => ({
    type: 'accepted',
    remoteId,
    rateLimit: null,
  });
  const client = {
    submit: ({ name }: Job) => Promise.resolve(accepted(name)),
    poll: (id: string) => (seen.polls.push(id), Promise.resolve(next.poll)),
    list: async (_: string, { only }: ListOptions): Promise<ListOutcome> => {
      seen.lists += 1;
      await Promise.resolve();
      const { list } = next;
      if (lists === 'all' || list.type !== 'listed') return list;
      const wanted = only?.() ?? new Set();
      seen.wanted.push(wanted);
      return { ...list, jobs: list.jobs.filter(({ remoteId }) => wanted.has(remoteId)) };
    },
  } as unknown as ServiceClient;
  const mannered = withManners(client, {
    statusRequests,
    onRefusal: (refusal) => seen.refusals.push(refusal?.message ?? null),
    now: () => seen.now,
  });
  const signal = AbortSignal.timeout(60_000);
  const poll = (id: string) => mannered.poll(id, { signal, kind: 'sequence' });
  const submit = (name: string) => mannered.submit({ name } as Job, { signal });
  return { seen, next, poll, submit };
}

test('a refusal stops all polls except single probes at growing delays, and each is reported once', async () => {
  const { seen, next, poll } = polite(null);
  next.poll = REFUSED;
  await poll('a');
  const asked: number[] = [];
  for (; seen.now < 120_000; seen.now += 500) {
    const before = seen.polls.length;
    await Promise.all(['a', 'b', 'c'].map((id) => poll(id)));
    if (seen.polls.length > before) asked.push(seen.now);
    expect(seen.polls.length - before).toBeLessThanOrEqual(1);
  }
  expect(asked).toEqual([5_000, 15_000, 35_000, 75_000]);
  expect(seen.refusals).toEqual(Array(5).fill('HTTP 403'));
  next.poll = RUNNING;
  seen.now = 200_000;
  expect((await poll('b')).type).toBe('running');
  expect((await poll('c')).type).toBe('running');
  expect(seen.refusals.at(-1)).toBeNull();
});

test('jobs share a number of polls per second, and each waits until all others have been polled', async () => {
  const { poll, seen } = polite(5);
  const first = await poll('a');
  expect(first).toMatchObject({ type: 'running', nextMs: 500 });
  for (let n = 0; n < 8; n += 1) {
    seen.now += 1_000;
    await poll(`job-${n}`);
  }
  seen.now += 1_000;
  const later = await poll('a');
  expect(later).toMatchObject({ nextMs: Math.max(1_000, (9 / 5) * 1_000) });
});

test('without a rate a job is polled whenever requested', async () => {
  const { poll } = polite(null);
  for (let n = 0; n < 50; n += 1) expect(await poll(`job-${n}`)).toEqual(RUNNING);
});

test('if polling each job would take long, one request for the list replaces the polls', async () => {
  const { poll, seen, next } = polite(5);
  const jobs = Array.from({ length: 30 }, (_, n) => `job-${n}`);
  for (const id of jobs) {
    seen.now += 1_000;
    await poll(id);
  }
  next.list = {
    type: 'listed',
    jobs: jobs.slice(0, 29).map((id, n) => entry(id, n < 10)),
  };
  seen.now += 10_000;
  seen.lists = 0;
  seen.polls.length = 0;
  const answers = await Promise.all(jobs.map((id) => poll(id)));
  expect(answers.filter(({ type }) => type === 'finished')).toHaveLength(10);
  expect(answers.filter(({ type }) => type === 'postponed')).toHaveLength(19);
  expect({ lists: seen.lists, polls: seen.polls }).toEqual({ lists: 1, polls: ['job-29'] });
});

test('a job that is newer than the list only waits for the next list', async () => {
  const { poll, submit, seen, next } = polite(5);
  const jobs = Array.from({ length: 50 }, (_, n) => `job-${n}`);
  for (const id of jobs) {
    seen.now += 1_000;
    await poll(id);
  }
  seen.now += 10_000;
  next.list = { type: 'listed', jobs: jobs.map((id) => entry(id, false)) };
  await poll('job-0');
  seen.now += 100;
  await submit('new');
  next.list = { type: 'listed', jobs: [entry('new', true)] };
  const before = { lists: seen.lists, polls: seen.polls.length };
  const answer = poll('new');
  seen.now += 500;
  expect(await answer).toEqual({ type: 'finished' });
  expect({ lists: seen.lists, polls: seen.polls.length }).toEqual({
    ...before,
    lists: before.lists + 1,
  });
});

test('a list is read for the jobs that were asked about; others wait for the next one', async () => {
  const { poll, seen, next } = polite(5, { lists: 'wanted' });
  const jobs = Array.from({ length: 50 }, (_, n) => `job-${n}`);
  for (const id of jobs) {
    seen.now += 1_000;
    await poll(id);
  }
  next.list = { type: 'listed', jobs: jobs.map((id) => entry(id, true)) };
  seen.now += 10_000;
  seen.polls.length = 0;
  const early = jobs.slice(0, 20);
  await Promise.all(early.map((id) => poll(id)));
  expect(seen.wanted.at(-1)).toEqual(new Set(early));
  const late = poll('job-30');
  seen.now += 1_000;
  expect(await late).toEqual({ type: 'finished' });
  expect(seen.wanted.at(-1), 'without those that have ended').toEqual(new Set(['job-30']));
  expect(seen.polls).toEqual([]);
});

test('a list is not read for a job that nobody has asked about for ten minutes', async () => {
  const { poll, seen, next } = polite(5, { lists: 'wanted' });
  const jobs = Array.from({ length: 50 }, (_, n) => `job-${n}`);
  next.list = { type: 'listed', jobs: jobs.map((id) => entry(id, false)) };
  for (const id of jobs) await poll(id);
  seen.now += 10_000;
  await Promise.all(jobs.map((id) => poll(id)));
  expect(seen.wanted.at(-1)).toEqual(new Set(jobs));
  const others = jobs.slice(1);
  for (let minutes = 0; minutes < 11; minutes += 1) {
    seen.now += 60_000;
    await Promise.all(others.map((id) => poll(id)));
  }
  expect(seen.wanted.at(-1)).toEqual(new Set(others));
});

test('jobs that read the same list wait for the next one, which is requested at the rate of status requests', async () => {
  const { poll, seen, next } = polite(5);
  const jobs = Array.from({ length: 20 }, (_, n) => `job-${n}`);
  for (const id of jobs) {
    seen.now += 200;
    await poll(id);
  }
  seen.now += 1_000;
  next.list = { type: 'listed', jobs: jobs.map((id) => entry(id, false)) };
  seen.lists = 0;
  const waits: unknown[] = [];
  for (const id of jobs.slice(0, 3)) {
    waits.push(await poll(id));
    seen.now += 50;
  }
  const postponed = (delayMs: number): unknown =>
    expect.objectContaining({ type: 'postponed', delayMs });
  expect(waits).toEqual([postponed(200), postponed(150), postponed(100)]);
  seen.now += 50;
  next.list = { type: 'listed', jobs: jobs.map((id) => entry(id, true)) };
  expect(await poll('job-0')).toEqual({ type: 'finished' });
  expect(seen.lists).toBe(2);
});

test.each([
  { statusRequests: 0.5, everyMs: 2_000 },
  { statusRequests: 5, everyMs: 200 },
  { statusRequests: 1_000, everyMs: 200 },
])(
  'with $statusRequests status requests a second, lists are at least $everyMs ms apart',
  async ({ statusRequests, everyMs }) => {
    const { poll, seen, next } = polite(statusRequests);
    const jobs = Array.from({ length: 600 }, (_, n) => `job-${n}`);
    for (const id of jobs) {
      seen.now += Math.max(100, everyMs);
      await poll(id);
    }
    next.list = { type: 'listed', jobs: jobs.map((id) => entry(id, false)) };
    seen.now += 5_000;
    const asked: number[] = [];
    for (let n = 0; n < 1_000; n += 1) {
      seen.now += 10;
      const { lists } = seen;
      await poll('job-599');
      if (seen.lists > lists) asked.push(seen.now);
    }
    expect(asked.length).toBeGreaterThan(1);
    for (const [n, at] of asked.slice(1).entries())
      expect(at - Number(asked[n])).toBeGreaterThanOrEqual(everyMs);
  },
);

test('old jobs are not all polled at the same moment', async () => {
  const { poll, seen, next } = polite(5);
  const jobs = Array.from({ length: 20 }, (_, n) => `job-${n}`);
  for (const id of jobs) {
    seen.now += 1_000;
    await poll(id);
  }
  next.list = { type: 'listed', jobs: jobs.map((id) => entry(id, false)) };
  for (let n = 0; n < 4; n += 1) {
    seen.now += 100_000;
    for (const id of jobs) await poll(id);
  }
  expect(await poll('job-0')).toMatchObject({ type: 'postponed', delayMs: 10_475 });
  seen.now += 1_000;
  expect(await poll('job-1')).toMatchObject({ type: 'postponed', delayMs: 10_475 });
});

test('many open jobs are polled so rarely that the attempts do not occupy the Temporal server', async () => {
  const { poll, seen, next } = polite(5);
  const jobs = Array.from({ length: 1_000 }, (_, n) => `job-${n}`);
  next.list = { type: 'listed', jobs: jobs.map((id) => entry(id, false)) };
  // Job → when to poll it again (ms). Half a minute to begin, as at 30 submissions a second.
  const due = new Map(jobs.map((id, n) => [id, n * 30]));
  const attempts: number[] = [];
  for (; seen.now < 150_000; seen.now += 100) {
    for (const [id, at] of due) {
      if (at > seen.now) continue;
      const answer = await poll(id);
      const { delayMs, nextMs } = answer as { delayMs?: number; nextMs?: number };
      // Shorter ones are waited for in the process.
      due.set(id, seen.now + Number(delayMs ?? nextMs));
      attempts.push(seen.now);
    }
  }
  const perSecond = attempts.filter((at) => at > 60_000).length / 90;
  expect(perSecond).toBeLessThan(35);
  expect(perSecond, 'and are polled at all').toBeGreaterThan(20);
});

test('jobs that end at another worker do not delay the polls of this one', async () => {
  const { poll, submit, seen } = polite(5);
  for (let n = 0; n < 600; n += 1) await submit(`elsewhere-${n}`);
  expect(await poll('a')).toMatchObject({ type: 'running', nextMs: 601 * 200 });
  seen.now += 300_000;
  expect(await poll('b')).toMatchObject({ type: 'running', nextMs: 500 });
});

test('a job with a long Retry-After does not keep jobs counted that have ended at another worker', async () => {
  const { poll, submit, seen, next } = polite(5);
  next.poll = { ...RUNNING, retryAfterMs: 3_600_000 };
  await poll('patient');
  next.poll = RUNNING;
  for (let n = 0; n < 600; n += 1) await submit(`elsewhere-${n}`);
  seen.now += 300_000;
  expect(await poll('b')).toMatchObject({ type: 'running', nextMs: 500 });
});
