/** The request rate and the back-off shared by all GETs to one service, with a clock that the test sets. */
import { expect, test } from 'vitest';
import type { PollOutcome, SubmitOutcome } from '../../src/domain/outcomes.ts';
import type { ServiceClient } from '../../src/services/client.ts';
import type { Job } from '../../src/services/service.ts';
import { withManners } from '../../src/services/manners.ts';

const NOTHING = { retryAfterMs: null, progress: null, statusMessage: null, timing: null };
const RUNNING: PollOutcome = { type: 'running', ...NOTHING };
const REFUSED: PollOutcome = {
  type: 'unavailable',
  message: 'HTTP 403',
  retryAfterMs: null,
  refusesUs: true,
};

function polite(statusRequests: number | null) {
  const seen = { polls: [] as string[], refusals: [] as (string | null)[], now: 0 };
  const next: { poll: PollOutcome } = { poll: RUNNING };
  const accepted = (remoteId: string): SubmitOutcome => ({
    type: 'accepted',
    remoteId,
    rateLimit: null,
  });
  const client = {
    submit: ({ name }: Job) => Promise.resolve(accepted(name)),
    poll: (id: string) => (seen.polls.push(id), Promise.resolve(next.poll)),
  } as unknown as ServiceClient;
  const mannered = withManners(client, {
    statusRequests,
    onRefusal: (refusal) => seen.refusals.push(refusal?.message ?? null),
    now: () => seen.now,
  });
  const signal = AbortSignal.timeout(60_000);
  const poll = (id: string) => mannered.poll(id, { signal });
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

test('a poll beyond the rate is not sent, and told when its turn may be', async () => {
  const { poll, seen } = polite(0.4);
  expect((await poll('a')).type).toBe('running');
  const beyond = await poll('b');
  expect(beyond).toMatchObject({ type: 'postponed' });
  expect('delayMs' in beyond && beyond.delayMs).toBeGreaterThanOrEqual(2_500);
  expect(seen.polls).toEqual(['a']);
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

test.each([
  ['jobs that end at another worker', null],
  ['they and a job with a long Retry-After', 3_600_000],
])('%s do not delay the polls of this one for good', async (_, retryAfterMs) => {
  const { poll, submit, seen, next } = polite(5);
  next.poll = { type: 'running', ...NOTHING, retryAfterMs };
  await poll('patient');
  next.poll = RUNNING;
  for (let n = 0; n < 600; n += 1) await submit(`elsewhere-${n}`);
  expect(await poll('a')).toMatchObject({ type: 'running', nextMs: 602 * 200 });
  seen.now += 300_000;
  expect(await poll('b')).toMatchObject({ type: 'running', nextMs: 500 });
});
