/** The arithmetic of the timing block (contract of the prediction service, 2.4). */
import { describe, expect, test } from 'vitest';
import { Clock } from '../../src/local-services/clock.ts';
import type { Job } from '../../src/local-services/job.ts';
import { clockString, timingBlock } from '../../src/local-services/predictions/envelope.ts';

const JOB: Job = {
  seq: 1,
  id: 'id',
  taskId: 'task',
  service: 'predictions',
  requestType: 'single_sequence',
  owner: 'owner',
  jobName: null,
  state: 'enqueued',
  attempt: 1,
  progress: 0,
  statusMessage: '',
  error: null,
  fault: null,
  queuedAt: 1_000_000,
  updatedAt: 1_000_000,
  startedAt: null,
  finishedAt: null,
  heartbeatAt: null,
  timeLimitMs: 3_600_000,
  public: false,
  views: 0,
};
const clock = new Clock();

test('clockString is HH:MM:SS, with more hours than a day has', () => {
  expect(clockString(0)).toBe('00:00:00');
  expect(clockString(3661)).toBe('01:01:01');
  expect(clockString(360_000)).toBe('100:00:00');
});

describe('timingBlock', () => {
  test('of a waiting job: the waiting time grows, the elapsed time is 0, and the remaining time is empty', () => {
    expect(timingBlock(JOB, 1_065_999, clock)).toMatchObject({
      queued_at: '1970-01-01T00:16:40.000+00:00',
      started_at: null,
      queue_wait: '00:01:05',
      queue_wait_seconds: 65,
      elapsed_seconds: 0,
      left_time: null,
      left_seconds: null,
      wall_seconds: 65,
      last_heartbeat_at: null,
      heartbeat_age_seconds: null,
    });
  });

  test('of a running job: the waiting time is fixed, and the parts add up', () => {
    const running: Job = { ...JOB, state: 'RUNNING', startedAt: 1_010_900, heartbeatAt: 1_100_000 };
    expect(timingBlock(running, 1_111_000, clock)).toMatchObject({
      queue_wait_seconds: 10,
      elapsed_time: '00:01:40',
      elapsed_seconds: 100,
      left_seconds: 3500,
      wall_seconds: 110,
      heartbeat_age_seconds: 11,
    });
  });

  test('of a job that has ended: no value changes', () => {
    const ended: Job = {
      ...JOB,
      state: 'FINISHED',
      startedAt: 1_010_000,
      heartbeatAt: 1_040_000,
      finishedAt: 1_041_000,
    };
    const block = timingBlock(ended, 1_041_000, clock);
    expect(block).toMatchObject({
      elapsed_seconds: 31,
      left_seconds: null,
      heartbeat_age_seconds: 1,
    });
    expect(timingBlock(ended, 9_000_000, clock)).toEqual(block);
  });
});
