/** When jobs are polled, and the back-off shared by all GETs to one service, with a clock that the test sets. */
import { expect, test } from 'vitest';
import type { PollOutcome, SubmitOutcome } from '../../src/domain/outcomes.ts';
import type { ServiceClient } from '../../src/services/client.ts';
import type { Job } from '../../src/services/service.ts';
import { pollDelay, withThrottling } from '../../src/services/polling.ts';

const NOTHING = { retryAfterMs: null, progress: null, statusMessage: null, timing: null };
const RUNNING: PollOutcome = { type: 'running', ...NOTHING };
const REFUSED: PollOutcome = {
  type: 'unavailable',
  message: 'HTTP 403',
  retryAfterMs: null,
  refusesUs: true,
};

function polite(waitMs = 0) {
  const seen = { polls: [] as string[], refusals: [] as (string | null)[], now: 0 };
  const next: { poll: PollOutcome } = { poll: RUNNING };
  const accepted = (remoteId: string): SubmitOutcome => ({
    type: 'accepted',
    remoteId,
    rateLimit: null,
    retryAfterMs: 5_000,
  });
  const client = {
    submit: ({ name }: Job) => Promise.resolve(accepted(name)),
    poll: (id: string) => (seen.polls.push(id), Promise.resolve(next.poll)),
    find: () => Promise.resolve({ type: 'unsupported' }),
    waitMs: () => waitMs,
  } as unknown as ServiceClient;
  const mannered = withThrottling(client, {
    onRefusal: (refusal) => seen.refusals.push(refusal?.message ?? null),
    now: () => seen.now,
  });
  const signal = AbortSignal.timeout(60_000);
  const poll = (id: string) => mannered.poll(id, { signal });
  const submit = (name: string) => mannered.submit({ name } as Job, { signal });
  const find = () => mannered.find('sequence', 'x', { signal });
  return { seen, next, poll, submit, find };
}

test('a refusal stops all polls except single probes at growing delays, and each is reported once', async () => {
  const { seen, next, poll } = polite();
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

test('a look-up that the service does not offer asks nothing, so it ends no refusal', async () => {
  const { seen, next, poll, find } = polite();
  next.poll = REFUSED;
  await poll('a');
  seen.now = 5_000;
  expect(await find()).toEqual({ type: 'unsupported' });
  expect(seen.refusals).toEqual(['HTTP 403']);
  await poll('a');
  expect(await poll('b'), 'refused by now').toMatchObject({ type: 'postponed', refusesUs: true });
});

test('a request whose turn is far is not sent, and told when that may be', async () => {
  const { poll, find, seen } = polite(2_500);
  expect(await poll('a')).toMatchObject({ type: 'postponed', delayMs: 2_500 });
  expect(await find()).toMatchObject({ type: 'unavailable', retryAfterMs: 2_500, uniform: true });
  expect(seen.polls).toEqual([]);
});

test('a job is not asked about before the time that the service requested', async () => {
  const { next, poll, submit, seen } = polite();
  await submit('c');
  expect(await poll('c')).toMatchObject({ type: 'postponed', delayMs: 5_000 });
  next.poll = { ...RUNNING, retryAfterMs: 60_000 };
  await poll('a');
  expect(await poll('a')).toMatchObject({ type: 'postponed', delayMs: 60_000 });
  expect((await poll('b')).type).toBe('running');
  seen.now = 60_000;
  expect((await poll('a')).type).toBe('running');
});

test.each([
  ['as often as the service allows, when the job is young', 0, null, 5_000],
  ['no earlier than the service requests', 0, 17_000, 17_000],
  ['later, the older the job is', 100_000, 5_000, 10_000],
  ['at most a minute later', 86_400_000, 5_000, 60_000],
  ['no earlier than the service requests, after a day', 86_400_000, 120_000, 120_000],
])('the next poll of a job is due %s', (_, age, retryAfter, delay) => {
  expect(pollDelay(age, retryAfter, { everyMs: 5_000, atMostMs: 60_000 })).toBe(delay);
});

test('a bad answer tells whether another job had a good one a moment ago', async () => {
  const { next, poll, seen } = polite();
  const bad: PollOutcome = { type: 'unavailable', message: 'HTTP 500', retryAfterMs: null };
  await poll('a');
  next.poll = bad;
  expect(await poll('a'), 'its own').not.toHaveProperty('othersWell');
  expect(await poll('b')).toMatchObject({ othersWell: true });
  next.poll = RUNNING;
  await poll('b');
  await poll('b');
  next.poll = bad;
  expect(await poll('b')).toMatchObject({ othersWell: true });
  seen.now = 300_000;
  expect(await poll('b'), 'long ago').not.toHaveProperty('othersWell');
});
