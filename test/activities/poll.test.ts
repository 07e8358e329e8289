import { expect, test } from 'vitest';
import type { PollOutcome } from '../../src/domain/outcomes.ts';
import { pollOnce } from './a-poll.ts';

const later = (delayMs: number): PollOutcome => ({ type: 'postponed', message: 'later', delayMs });
const FINISHED: PollOutcome = { type: 'finished' };

test('a job whose poll is postponed for a moment is polled again by the same attempt', async () => {
  const { ended, polls } = await pollOnce({ answers: [later(300), later(200), FINISHED] });
  expect(ended).toMatchObject({ type: 'finished' });
  expect(polls).toBe(3);
});

test('a job whose poll is postponed for long is retried by the Temporal server', async () => {
  const { ended, polls } = await pollOnce({ answers: [later(30_000), FINISHED] });
  expect(ended).toMatchObject({ type: 'NotYet', nextRetryDelay: 30_000 });
  expect(polls).toBe(1);
});

test('a job of some seconds is first polled by the attempt that waited for it, a longer one by a later attempt', async () => {
  const short = await pollOnce({ answers: [FINISHED], usual: 3_000, age: 500 });
  expect(short).toMatchObject({ ended: { type: 'finished' }, polls: 1 });
  const long = await pollOnce({ answers: [FINISHED], usual: 30_000 });
  expect(long).toMatchObject({ ended: { type: 'NotYet' }, polls: 0 });
  const many = await pollOnce({ answers: [FINISHED], usual: 3_000, waiting: 100 });
  expect(many).toMatchObject({ ended: { type: 'NotYet' }, polls: 0 });
});

test('an attempt does not wait for more than some seconds, however short its waits are', async () => {
  const { ended, polls } = await pollOnce({ answers: [later(1_500)] });
  expect(ended).toMatchObject({ type: 'NotYet' });
  // Three waits of 1.5 s are less than 5 s.
  expect(polls).toBe(4);
});

test('a job that the service does not know is given up when that has lasted, and not before', async () => {
  const answers = [{ type: 'lost', message: 'not found' }] as const;
  const after = (minutes: number, times: number) =>
    pollOnce({ answers, attempt: 9, left: { badSince: Date.now() - minutes * 60_000, times } });
  expect((await after(10, 40)).ended).toMatchObject({ type: 'NotYet' });
  expect((await after(16, 1)).ended).toMatchObject({ type: 'NotYet' });
  expect((await after(16, 3)).ended).toMatchObject({ type: 'failed', code: 'JOB_LOST' });
});
