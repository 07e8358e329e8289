import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/services/service.ts';
import { createClient } from '../../../src/services/registry.ts';
import { JOBS, quiet, TOKEN } from '../jobs.ts';
import { httpServer, json, type SeenRequest } from '../scripted-server.ts';

const ID = '3f1c5a1e-0000-4000-8000-000000000001';

type Variant = 'current' | 'earlier';

async function sent(job: Job, variant: Variant = 'current', path = ''): Promise<SeenRequest> {
  await using server = await httpServer((_, response) => json(response, 202, { request_id: ID }));
  const client = createClient({
    service: 'predictions',
    url: server.url + path,
    config: { variant },
    token: TOKEN,
  });
  expect(await client.submit(job, quiet())).toMatchObject({ type: 'accepted', remoteId: ID });
  await client.close();
  const [request] = server.requests;
  if (request === undefined) throw new Error('nothing was sent');
  return request;
}

/** The parts of a multipart body (RFC 7578) by name. */
function multipart(request: SeenRequest): Record<string, { text: string; fileName?: string }> {
  const boundary = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '')?.[1] ?? '?';
  const parts = request.body.split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const [head = '', ...rest] = part.split('\r\n\r\n');
      const text = rest.join('\r\n\r\n').slice(0, -'\r\n'.length);
      const fileName = /filename="(.*?)"/.exec(head)?.[1];
      const name = /name="(.*?)"/.exec(head)?.[1] ?? '?';
      return [name, fileName === undefined ? { text } : { text, fileName }];
    }),
  );
}

describe('the body of a submission', () => {
  test('single sequence (contract 4.1)', async () => {
    const request = await sent(JOBS.sequence);
    expect(request.method).toBe('POST');
    expect(request.path).toBe('/online_predictors/api/submit/single-sequence/');
    expect(request.headers['content-type']).toBe('application/json');
    expect(JSON.parse(request.body)).toEqual({
      token: TOKEN,
      predictor_type: 'dynamine,efoldmine,psper',
      sequence: JOBS.sequence.input.text,
      job_name: JOBS.sequence.name,
    });
  });

  test('alignment (contract 4.2), with a job name', async () => {
    const request = await sent(JOBS.alignment);
    expect(request.path).toBe('/online_predictors/api/submit/msa/');
    expect(JSON.parse(request.body)).toEqual({
      token: TOKEN,
      msa_data: JOBS.alignment.input.text,
      job_name: JOBS.alignment.name,
    });
  });

  test('shifts (contract 4.3)', async () => {
    const request = await sent(JOBS.shifts);
    expect(request.path).toBe('/online_predictors/api/submit/shiftcrypt/');
    expect(JSON.parse(request.body)).toEqual({
      token: TOKEN,
      chemical_shifts: JOBS.shifts.input.text,
      model_class: '2',
      original_numbering: false,
      job_name: JOBS.shifts.name,
    });
  });

  test('the token is only in the body', async () => {
    const { path, headers } = await sent(JOBS.sequence);
    expect(JSON.stringify([path, headers])).not.toContain(TOKEN);
  });

  test('a service below a path, with or without a slash at its end', async () => {
    for (const path of ['/b2b', '/b2b/']) {
      const request = await sent(JOBS.alignment, 'current', path);
      expect(request.path).toBe('/b2b/online_predictors/api/submit/msa/');
    }
  });
});

describe('the earlier variant (contract 9)', () => {
  test('has hyphens in its path and its own names for two predictors', async () => {
    const request = await sent(JOBS.sequence, 'earlier');
    expect(request.path).toBe('/online-predictors/api/submit/single-sequence/');
    expect(JSON.parse(request.body)).toHaveProperty('predictor_type', 'dynamine,earlyfolding,psp');
  });

  test.each([
    ['input.nef', 'nef_file'],
    ['input.str', 'nrm_star_file'],
  ])('sends %s as multipart field %s', async (name, field) => {
    const job = { ...JOBS.shifts, input: { name, text: 'data_x\n_é\n' } };
    const request = await sent(job, 'earlier');
    expect(request.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(request.headers['content-length']).toBe(String(Buffer.byteLength(request.body)));
    const { [field]: file, ...fields } = multipart(request);
    expect(file).toEqual({ fileName: name, text: job.input.text });
    expect(fields).toEqual({
      token: { text: TOKEN },
      job_name: { text: job.name },
      model_class: { text: '2' },
      original_numbering: { text: 'false' },
    });
  });
});

describe('the acknowledgement', () => {
  test.each([
    [{ request_id: ID, task_id: 'x' }],
    [{ requestId: ID }],
    [{ id: ID }],
    [{ data: { request_id: ID } }],
  ])('is read from %j', async (body) => {
    await using server = await httpServer((_, response) => json(response, 200, body));
    const client = createClient({
      service: 'predictions',
      url: server.url,
      token: TOKEN,
    });
    expect(await client.submit(JOBS.sequence, quiet())).toMatchObject({ remoteId: ID });
    await client.close();
  });

  test('a task id is not a job id', async () => {
    await using server = await httpServer((_, response) => json(response, 200, { task_id: ID }));
    const client = createClient({
      service: 'predictions',
      url: server.url,
      token: TOKEN,
    });
    expect((await client.submit(JOBS.sequence, quiet())).type).toBe('unsure');
    await client.close();
  });
});

describe('the rate limit (contract 8)', () => {
  async function limitOf(headers: Record<string, string>): Promise<unknown> {
    await using server = await httpServer((_, response) => {
      json(response, 202, { request_id: ID }, headers);
    });
    const client = createClient({
      service: 'predictions',
      url: server.url,
      token: TOKEN,
    });
    const outcome = await client.submit(JOBS.sequence, quiet());
    await client.close();
    return outcome.type === 'accepted' ? outcome.rateLimit : outcome;
  }

  test('is read from its headers', async () => {
    const headers = {
      'x-ratelimit-limit': '100',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': '1800',
    };
    expect(await limitOf(headers)).toEqual({ limit: 100, remaining: 0, resetAfterSeconds: 1800 });
  });

  test('a reset given as a point in time becomes a wait, by the clock of the service', async () => {
    const headers = {
      date: 'Sat, 21 Nov 2026 10:00:00 GMT',
      'x-ratelimit-reset': String(Date.parse('2026-11-21T10:01:00Z') / 1000),
    };
    expect(await limitOf(headers)).toEqual({ limit: null, remaining: null, resetAfterSeconds: 60 });
  });

  test('is null if the service sends none, or an unreadable one', async () => {
    expect(await limitOf({})).toBeNull();
    expect(await limitOf({ 'x-ratelimit-limit': 'many', 'x-ratelimit-remaining': '' })).toBeNull();
  });

  test('is read from the body of a 429 as well (contract 7)', async () => {
    const body = { error: 'Rate limit exceeded', limit: 100, remaining: 0, reset_after: 30 };
    await using server = await httpServer((_, response) =>
      json(response, 429, body, { 'retry-after': '31' }),
    );
    const client = createClient({
      service: 'predictions',
      url: server.url,
      token: TOKEN,
    });
    expect(await client.submit(JOBS.sequence, quiet())).toEqual({
      type: 'notNow',
      reason: 'rate-limited',
      retryAfterMs: 31_000,
      message: 'Rate limit exceeded',
      rateLimit: { limit: 100, remaining: 0, resetAfterSeconds: 30 },
    });
    await client.close();
  });
});
