/** The contract of the prediction service: 7 (429) and 8. Rolling windows short enough to wait for. */
import { describe, expect, test } from 'vitest';
import {
  api,
  get,
  start,
  submitAlignment,
  submitMolecule,
  submitSequence,
  submitShifts,
  TOKEN,
} from './running-services.ts';

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('8 jobs per token', () => {
  test('100 in a rolling hour by default; the 101st is 429', async () => {
    const services = await start();
    for (let n = 0; n < 100; n += 1) {
      const { status, headers } = await submitSequence(services);
      expect(status).toBe(200);
      expect(headers.get('X-RateLimit-Limit')).toBe('100');
      expect(headers.get('X-RateLimit-Remaining')).toBe(String(99 - n));
      const reset = Number(headers.get('X-RateLimit-Reset'));
      expect(reset).toBeGreaterThan(3500);
      expect(reset).toBeLessThanOrEqual(3600);
    }
    const { status, body, headers } = await submitSequence(services);
    expect(status).toBe(429);
    expect(body).toEqual({
      error: expect.any(String),
      limit: 100,
      remaining: 0,
      reset_after: expect.any(Number),
    });
    expect(Number.isInteger(body.reset_after)).toBe(true);
    expect(headers.get('Retry-After')).toBe(String(body.reset_after));
  });

  test('shared by the three submit endpoints, but not with another token', async () => {
    const services = await start({ limit: 3 });
    for (const submit of [submitSequence, submitAlignment, submitShifts]) {
      expect((await submit(services)).status).toBe(200);
    }
    for (const submit of [submitSequence, submitAlignment, submitShifts]) {
      expect((await submit(services)).status).toBe(429);
    }
    expect((await submitSequence(services, { token: 'another' })).status).toBe(200);
  });

  test('rejections use no slot: missing fields, used names, alignments, and 429 itself', async () => {
    const services = await start({ limit: 2, windowMs: 600 });
    await submitSequence(services, { job_name: 'used' });
    await submitSequence(services, { sequence: '' });
    await submitSequence(services, { job_name: 'used' });
    await submitAlignment(services, { msa_data: '>one\nMK\n' });
    expect((await submitSequence(services)).headers.get('X-RateLimit-Remaining')).toBe('0');
    for (let n = 0; n < 5; n += 1) expect((await submitSequence(services)).status).toBe(429);
    await wait(650);
    expect((await submitSequence(services)).status, 'the 429 answers took no place').toBe(200);
  });

  test('an invalid predictor name is accepted and uses a slot', async () => {
    const services = await start({ limit: 1 });
    await submitSequence(services, { predictor_type: 'nosuch' });
    expect((await submitSequence(services)).status).toBe(429);
  });

  test('the window rolls: each slot becomes free one window after it was used', async () => {
    const services = await start({ limit: 2, windowMs: 500 });
    await submitSequence(services);
    await wait(300);
    await submitSequence(services);
    expect((await submitSequence(services)).status).toBe(429);
    await wait(230);
    expect((await submitSequence(services)).status, 'the first place is back').toBe(200);
    expect((await submitSequence(services)).status, 'the second is not').toBe(429);
  });

  test('a client that waits for Retry-After is not refused again', async () => {
    const services = await start({ limit: 1, windowMs: 1200 });
    await submitSequence(services);
    const { status, headers } = await submitSequence(services);
    expect(status).toBe(429);
    await wait(Number(headers.get('Retry-After')) * 1000);
    expect((await submitSequence(services)).status).toBe(200);
  });

  test('with many concurrent clients no rolling window contains more than the limit', async () => {
    const services = await start({ limit: 10, windowMs: 300, addressLimit: 0, concurrency: 0 });
    let accepted = 0;
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        // Some windows, however busy the machine is.
        while (accepted <= 40) if ((await submitSequence(services)).status === 200) accepted += 1;
      }),
    );
    const stamps = services.journal().flatMap((entry) => (entry.accepted ? [entry.at] : []));
    stamps.forEach((at, n) => {
      const tenth = stamps[n + 10] ?? Number.POSITIVE_INFINITY;
      expect(tenth - at, `jobs ${String(n)} to ${String(n + 10)}`).toBeGreaterThanOrEqual(300);
    });
  });

  test('limit 0 is no limit, without headers', async () => {
    const services = await start({ limit: 0 });
    const { status, headers } = await submitSequence(services);
    expect(status).toBe(200);
    expect(headers.get('X-RateLimit-Limit')).toBeNull();
  });
});

describe('8 the second, higher limit', () => {
  test('applies to a network address, whatever the token', async () => {
    const services = await start({ limit: 2, addressLimit: 3 });
    for (const token of ['one', 'two', 'three']) {
      expect((await submitSequence(services, { token })).status).toBe(200);
    }
    const { status, body, headers } = await submitSequence(services, { token: 'four' });
    expect(status).toBe(429);
    expect(body).toMatchObject({
      limit: 3,
      remaining: 0,
      error: expect.stringContaining('address'),
    });
    expect(headers.get('Retry-After')).not.toBeNull();
  });
});

describe('the journal', () => {
  test('contains every submission that arrived, and no token', async () => {
    const services = await start({ limit: 1 });
    const { body } = await submitSequence(services, { job_name: 'a job' });
    await submitSequence(services);
    await submitSequence(services, { sequence: '' });
    await submitMolecule(services);
    const journal = services.journal();
    expect(
      journal.map(({ service, endpoint, accepted, status }) => [
        service,
        endpoint,
        accepted,
        status,
      ]),
    ).toEqual([
      ['predictions', 'single_sequence', true, 200],
      ['predictions', 'single_sequence', false, 429],
      ['predictions', 'single_sequence', false, 400],
      ['molecules', 'molecule', true, 200],
    ]);
    expect(journal[0]).toMatchObject({ jobName: 'a job', requestId: body.request_id });
    expect(journal[0]?.token).toMatch(/^[0-9a-f]{12}$/);
    expect(JSON.stringify(journal)).not.toContain(TOKEN);
    expect(journal[0]?.token).toBe(journal[1]?.token);
  });

  test('can be read after the services are closed', async () => {
    const services = await start();
    await submitSequence(services);
    await services.close();
    expect(services.journal()).toHaveLength(1);
    await expect(get(`${api(services)}/past-results/msa/`)).rejects.toThrow();
  });
});
