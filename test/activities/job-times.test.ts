/** When the first poll of a job is worth its request. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { JobTimes } from '../../src/activities/job-times.ts';
import type { RemoteJob } from '../../src/workflows/activity-types.ts';

const JOB = {
  item: { kind: 'sequence' },
  reference: { service: 'predictions', address: 'host' },
} as unknown as RemoteJob;

function timesOf(...tookMs: number[]): JobTimes {
  const times = new JobTimes();
  const queuedAt = '2026-11-25T00:00:00.000Z';
  for (const ms of tookMs) {
    const finishedAt = new Date(Date.parse(queuedAt) + ms).toISOString();
    times.note(JOB, { queuedAt, startedAt: queuedAt, finishedAt } as never);
  }
  return times;
}

test.each([
  ['nothing is known', [], null],
  ['all took the same time', [1_500, 1_500], 1_500],
  ['they differ slightly: the longest of them', [1_500, 1_560, 1_520], 1_560],
  ['they differ widely: the shortest, and those near it', [90_000, 10_000, 10_900, 30_000], 10_900],
  ['they took minutes: at most one minute', [600_000, 610_000], 60_000],
])('%s', (_, tookMs, expected) => {
  expect(timesOf(...tookMs).likelyMs(JOB)).toBe(expected);
});

test('only the last twenty count', () => {
  expect(timesOf(100, ...Array<number>(20).fill(5_000)).likelyMs(JOB)).toBe(5_000);
});

test('a job runs since its acceptance, if this worker knows it, and not since its activity', async () => {
  const times = new JobTimes();
  const job = { ...JOB, remoteId: 'one' };
  expect(times.runningMs(job, 20)).toBe(20);
  times.accepted('one');
  await delay(50);
  expect(times.runningMs(job, 20)).toBeGreaterThanOrEqual(49);
  expect(times.runningMs(job, 9_000), 'after a restart of the machine').toBe(9_000);
  expect(times.runningMs({ ...JOB, remoteId: 'other' }, 20)).toBe(20);
});
