/** The contract of the prediction service: status, results and history. Named after its sections. */
import { describe, expect, test } from 'vitest';
import {
  api,
  get,
  runSequence,
  start,
  submitAlignment,
  submitSequence,
  submitShifts,
  until,
} from './running-services.ts';

const ISO_WITH_OFFSET = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?[+-]\d\d:\d\d$/;
const CLOCK = /^\d{2,}:\d\d:\d\d$/;
const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const ENVELOPE_KEYS = [
  'request_id',
  'status',
  'request_type',
  'progress',
  'attempt',
  'created_at',
  'updated_at',
  'error',
  'status_message',
  'history_url',
  'timing',
];

describe('2.3 status envelope', () => {
  test('of a running job', async () => {
    const services = await start({ jobMs: 60_000 });
    const { body: ack } = await submitSequence(services);
    const { status, body, headers } = await get(`${api(services)}/results/${ack.request_id}/`);
    expect(status).toBe(202);
    expect(headers.get('Retry-After'), '4.4').toBe('5');
    expect(Object.keys(body)).toEqual(ENVELOPE_KEYS);
    expect(body).toMatchObject({
      request_id: ack.request_id,
      status: 'RUNNING',
      request_type: 'single_sequence',
      progress: 30,
      attempt: 1,
      error: null,
      status_message: 'running predictions',
      history_url: `/online_predictors/api/results/${ack.request_id}/history/`,
    });
    expect(body.created_at).toMatch(ISO_WITH_OFFSET);
    expect(body.updated_at).toMatch(ISO_WITH_OFFSET);
    expect((await get(services.url + body.history_url)).status).toBe(200);
  });

  test('of a job that has not started', async () => {
    const services = await start({ jobMs: 60_000, concurrency: 1 });
    await submitSequence(services);
    const { body: ack } = await submitSequence(services);
    const { status, body } = await get(`${api(services)}/results/${ack.request_id}/`);
    expect(status).toBe(202);
    expect(body.status).toBe('enqueued');
    expect(body.timing).toMatchObject({ started_at: null, finished_at: null, left_seconds: null });
  });

  test('of a failed job: the same fields, with status FAILED and error set', async () => {
    const services = await start();
    const { result } = await runSequence(services, { predictor_type: 'nosuch' });
    expect(result.status).toBe(422);
    expect(Object.keys(result.body)).toEqual(ENVELOPE_KEYS);
    expect(result.body).toMatchObject({
      status: 'FAILED',
      error: expect.stringContaining('nosuch'),
    });
  });

  test('names the kind of request', async () => {
    const services = await start({ jobMs: 60_000 });
    for (const [submit, type] of [
      [submitAlignment, 'msa'],
      [submitShifts, 'shiftcrypt'],
    ] as const) {
      const { body: ack } = await submit(services);
      const { body } = await get(`${api(services)}/results/${ack.request_id}/`);
      expect(body.request_type).toBe(type);
    }
  });
});

describe('2.4 timing block', () => {
  test('has every duration as a clock string and in whole seconds', async () => {
    const services = await start({ jobMs: 60_000, timeLimitSeconds: 5400 });
    const { body: ack } = await submitSequence(services);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const { body } = await get(`${api(services)}/results/${ack.request_id}/`);
    const { timing } = body;
    expect(timing).toMatchObject({
      started_at: expect.stringMatching(ISO_WITH_OFFSET),
      finished_at: null,
      queue_wait: '00:00:00',
      queue_wait_seconds: 0,
      elapsed_time: '00:00:01',
      elapsed_seconds: 1,
      left_time: '01:29:59',
      left_seconds: 5399,
      wall_time: '00:00:01',
      wall_seconds: 1,
      time_limit: '01:30:00',
      time_limit_seconds: 5400,
      last_heartbeat_at: expect.stringMatching(ISO_WITH_OFFSET),
    });
    expect(timing.queued_at).toMatch(ISO_WITH_OFFSET);
    expect(timing.heartbeat_age_seconds).toBeLessThanOrEqual(1);
  });

  test('of a job that has ended does not change and shows no remaining time', async () => {
    const services = await start();
    const { result } = await runSequence(services, { predictor_type: 'nosuch' });
    const { timing } = result.body;
    expect(timing).toMatchObject({
      finished_at: expect.stringMatching(ISO_WITH_OFFSET),
      left_time: null,
      left_seconds: null,
    });
    for (const name of ['queue_wait', 'elapsed_time', 'wall_time', 'time_limit']) {
      expect(timing, name).toHaveProperty(name, expect.stringMatching(CLOCK));
    }
  });
});

describe('2.5 prediction payload', () => {
  test('is an object for sequences and alignments and an array for shifts, without an envelope', async () => {
    const services = await start();
    for (const [submit, isArray] of [
      [submitSequence, false],
      [submitAlignment, false],
      [submitShifts, true],
    ] as const) {
      const { body: ack } = await submit(services);
      const { status, body, headers } = await until(`${api(services)}/results/${ack.request_id}/`);
      expect(status).toBe(200);
      expect(headers.get('Content-Type')).toContain('application/json');
      expect(Array.isArray(body)).toBe(isArray);
      expect(body).not.toHaveProperty('request_id');
    }
  });
});

describe('2.6 processing log and 4.5 history', () => {
  test('merges state changes and progress notes in chronological order', async () => {
    const services = await start({ jobMs: 20 });
    const { id } = await runSequence(services);
    const { status, body } = await get(`${api(services)}/results/${id}/history/`);
    expect(status).toBe(200);
    expect(body.history.map((entry) => entry.state)).toEqual(['RUNNING', 'FINISHED']);
    expect(body.messages.map((entry) => [entry.progress, entry.message])).toEqual([
      [30, 'running predictions'],
      [40, 'running predictions'],
      [90, 'saving results'],
    ]);
    expect(body.timeline).toHaveLength(5);
    const times = body.timeline.map((entry) => entry.timestamp);
    expect(times).toEqual([...times].sort());
    expect(Object.keys(body.history[0] ?? {})).toEqual(['kind', 'timestamp', 'state', 'message']);
    expect(Object.keys(body.messages[0] ?? {})).toEqual([
      'kind',
      'timestamp',
      'progress',
      'message',
    ]);
  });

  test('shows why a job failed, and is 404 for an unknown id', async () => {
    const services = await start();
    const { id } = await runSequence(services, { predictor_type: 'nosuch' });
    const { body } = await get(`${api(services)}/results/${id}/history/`);
    expect(body.history.at(-1)).toMatchObject({
      state: 'FAILED',
      message: expect.stringContaining('nosuch'),
    });
    expect((await get(`${api(services)}/results/${UNKNOWN}/history/`)).status).toBe(404);
  });
});

describe('3 states and transitions', () => {
  test('enqueued, RUNNING, FINISHED: 202, 202, 200', async () => {
    const services = await start({ jobMs: 300, concurrency: 1 });
    const { body: first } = await submitSequence(services);
    const { body: second } = await submitSequence(services);
    const seen = new Set<string>();
    const url = `${api(services)}/results/${second.request_id}/`;
    const deadline = Date.now() + 5000;
    for (;;) {
      const { status, body } = await get(url);
      if (status !== 202) {
        expect(status).toBe(200);
        break;
      }
      seen.add(body.status);
      if (Date.now() > deadline) throw new Error('the second job does not end');
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    expect([...seen]).toEqual(['enqueued', 'RUNNING']);
    expect((await get(`${api(services)}/results/${first.request_id}/`)).status).toBe(200);
  });

  test('a job fails if its worker stops reporting', async () => {
    const services = await start({
      heartbeatSilenceSeconds: 0.2,
      faults: [{ name: 'stuck-heartbeat' }],
    });
    const { result } = await runSequence(services);
    expect(result.status).toBe(422);
    expect(result.body.error).toContain('stopped reporting');
  });

  test('a job whose worker reports does not fail, however long it takes', async () => {
    const services = await start({ heartbeatSilenceSeconds: 0.3, jobMs: 1200 });
    const { result } = await runSequence(services);
    expect(result.status, result.text).toBe(200);
  });

  test('8 a job is stopped at its time limit', async () => {
    const services = await start({ timeLimitSeconds: 0.2, jobMs: 60_000 });
    const { result } = await runSequence(services);
    expect(result.status).toBe(422);
    expect(result.body.error).toContain('time limit');
  });
});

describe('4.4 results', () => {
  test('404 for an unknown id', async () => {
    const services = await start();
    const { status, body } = await get(`${api(services)}/results/${UNKNOWN}/`);
    expect(status).toBe(404);
    expect(body).toEqual({ error: 'Request not found' });
  });

  test('a molecule job is not readable here', async () => {
    const services = await start();
    const { status } = await get(`${api(services)}/results/not-an-id/`);
    expect(status).toBe(404);
  });
});
