/** When a job is given up or replaced by another one. */
import { describe, expect, test } from 'vitest';
import { shouldReplaceJob, explainStuckJob } from '../../src/domain/item-ends.ts';

const timing = {
  queuedAt: null,
  startedAt: '2026-11-21T00:00:00Z',
  finishedAt: null,
  queueWaitSeconds: null,
  elapsedSeconds: null,
  leftSeconds: null,
  timeLimitSeconds: null,
  heartbeatAgeSeconds: 10,
};

describe('a job that will never finish', () => {
  test('has passed its deadline', () => {
    expect(explainStuckJob(1_001, 1_000, null)?.code).toBe('JOB_OVERDUE');
    expect(explainStuckJob(999, 1_000, null)).toBeNull();
  });

  test('has a worker that has been silent for an hour', () => {
    expect(explainStuckJob(0, 1_000, timing)).toBeNull();
    expect(explainStuckJob(0, 1_000, { ...timing, heartbeatAgeSeconds: 3_601 })?.code).toBe(
      'JOB_STUCK',
    );
    const waiting = { ...timing, startedAt: null, heartbeatAgeSeconds: 3_601 };
    expect(
      explainStuckJob(0, 1_000, waiting),
      'a job that waits has no worker to be silent',
    ).toBeNull();
  });
});

describe('a previous job', () => {
  test.each([
    ['failed, however the attempt before ended', 'JOB_FAILED', 'CANCELLED', true],
    ['is unknown to the service', 'JOB_LOST', 'JOB_OVERDUE', true],
    ['is stuck', 'JOB_STUCK', 'JOB_OVERDUE', true],
    ['offers no result', 'RESULT_ABSENT', 'JOB_LOST', true],
    ['is overdue for the second time', 'JOB_OVERDUE', 'JOB_OVERDUE', true],
    ['is overdue for the first time', 'JOB_OVERDUE', 'CANCELLED', false],
    ['cannot be read again', 'JOB_UNREADABLE', 'JOB_UNREADABLE', false],
    ['is wrong in the same way', 'RESULT_WRONG_ATOMS', 'RESULT_WRONG_ATOMS', true],
    ['is wrong in another way', 'RESULT_WRONG_ATOMS', 'JOB_LOST', false],
    ['has a result that is too large again', 'RESULT_TOO_LARGE', 'RESULT_TOO_LARGE', false],
    ['cannot be written to our disk again', 'STORE_NOT_WRITABLE', 'STORE_NOT_WRITABLE', false],
    ['was cancelled again', 'CANCELLED', 'CANCELLED', false],
    ['succeeded', null, 'JOB_LOST', false],
  ])('that %s (%s after %s) is followed by another job: %s', (_, code, before, followed) => {
    expect(shouldReplaceJob(code, before)).toBe(followed);
  });
});
