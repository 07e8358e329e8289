/** Each fault does what docs/faults.md says, and a service without faults does none of it. */
import { describe, expect, test } from 'vitest';
import type { LocalServices } from '../../src/local-services/server.ts';
import type { FaultRule } from '../../src/local-services/faults.ts';
import {
  ALIGNMENT,
  api,
  fileSet,
  get,
  postJson,
  runSequence,
  start,
  submitAlignment,
  submitMolecule,
  submitSequence,
  TOKEN,
  until,
} from './running-services.ts';

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function startWith(...faults: FaultRule[]): Promise<LocalServices> {
  return start({ faults });
}

/** The error code of a request that ended without an answer, e.g. ECONNRESET. */
async function codeOf(request: Promise<unknown>): Promise<string> {
  const error: unknown = await request.then(
    () => new Error('the request was answered'),
    (reason: unknown) => reason,
  );
  const { cause, message } = error as Error & { cause?: { code?: string; message: string } };
  return cause?.code ?? cause?.message ?? message;
}

function accepted(services: LocalServices): number {
  return services.journal().filter((entry) => entry.accepted).length;
}

describe('before acceptance', () => {
  test('refuse: connections are refused, and accepted again after `ms`, on the same port', async () => {
    const services = await startWith({ name: 'refuse', ms: 300 });
    expect(await codeOf(submitSequence(services))).toBe('ECONNREFUSED');
    await wait(350);
    expect((await submitSequence(services)).status).toBe(200);
  });

  test('refuse: without `ms`, connections are refused until the faults are cleared', async () => {
    const services = await start();
    expect((await submitSequence(services)).status).toBe(200);
    services.faults.set([{ name: 'refuse' }]);
    await wait(300);
    expect(await codeOf(submitSequence(services))).toMatch(
      /ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET/,
    );
    expect(await codeOf(submitSequence(services))).toBe('ECONNREFUSED');
    services.faults.clear();
    await wait(50);
    expect((await submitSequence(services)).status).toBe(200);
  });

  test('hang: no answer and nothing accepted', async () => {
    const services = await startWith({ name: 'hang', times: 1, endpoint: 'submit' });
    const body = JSON.stringify({ token: TOKEN, msa_data: ALIGNMENT });
    const request = fetch(`${api(services)}/submit/msa/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
      signal: AbortSignal.timeout(200),
    });
    await expect(request).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(accepted(services)).toBe(0);
    expect(services.journal()[0]).toMatchObject({ accepted: false, status: 0 });
    expect((await submitSequence(services)).status, 'the rule is spent').toBe(200);
  });

  test('hang with `ms`: the connection is closed after that time', async () => {
    const services = await startWith({ name: 'hang', ms: 50 });
    expect(await codeOf(submitSequence(services))).toBe('UND_ERR_SOCKET');
  });

  test('reset: the connection is reset and nothing accepted', async () => {
    const services = await startWith({ name: 'reset', times: 1 });
    expect(await codeOf(submitSequence(services))).toBe('ECONNRESET');
    expect(accepted(services)).toBe(0);
    expect(services.journal()[0]?.jobName).toBeNull();
  });

  test('error: 5xx, with Retry-After on request', async () => {
    const services = await startWith(
      { name: 'error', times: 1 },
      { name: 'error', times: 1, status: 500, retryAfter: 7 },
    );
    const first = await submitSequence(services);
    expect([first.status, first.headers.get('Retry-After')]).toEqual([503, null]);
    const second = await submitSequence(services);
    expect([second.status, second.headers.get('Retry-After')]).toEqual([500, '7']);
    expect(accepted(services)).toBe(0);
  });

  test('rate-limit: 429 with and without Retry-After', async () => {
    const services = await startWith(
      { name: 'rate-limit', times: 1 },
      { name: 'rate-limit', times: 1, retryAfter: null },
    );
    const first = await submitSequence(services);
    expect([first.status, first.headers.get('Retry-After')]).toEqual([429, '1']);
    const second = await submitSequence(services);
    expect([second.status, second.headers.get('Retry-After')]).toEqual([429, null]);
    expect(second.body).toMatchObject({ limit: 100, remaining: 0 });
    expect(accepted(services)).toBe(0);
  });

  test('reject: 4xx', async () => {
    const services = await startWith({ name: 'reject', status: 418 });
    expect((await submitMolecule(services)).status).toBe(418);
    expect(accepted(services)).toBe(0);
  });

  test('slow: the answer is late, but correct', async () => {
    const services = await startWith({ name: 'slow', ms: 300 });
    const start = performance.now();
    expect((await submitSequence(services)).status).toBe(200);
    expect(performance.now() - start).toBeGreaterThan(290);
  });
});

describe('after acceptance', () => {
  test('reset-after: the connection is reset, but the job exists', async () => {
    const services = await startWith({ name: 'reset-after', times: 1 });
    expect(await codeOf(submitSequence(services, { job_name: 'unsure' }))).toBe('ECONNRESET');
    expect(accepted(services)).toBe(1);
    const again = await submitSequence(services, { job_name: 'unsure' });
    expect(again.status).toBe(409);
    const past = await get(`${api(services)}/past-results/single-sequence/`, {
      'X-Service-Token': TOKEN,
    });
    expect(past.list[0]?.job_name).toBe('unsure');
  });

  test('accept-late: the job exists some time after the connection was reset', async () => {
    const services = await startWith({ name: 'accept-late', ms: 200, times: 1 });
    expect(await codeOf(submitSequence(services, { job_name: 'late' }))).toBe('ECONNRESET');
    expect(accepted(services)).toBe(0);
    await expect.poll(() => accepted(services)).toBe(1);
    expect((await submitSequence(services, { job_name: 'late' })).status).toBe(409);
  });

  test('hang-after: the job exists', async () => {
    const services = await startWith({ name: 'hang-after', ms: 100 });
    expect(await codeOf(submitMolecule(services))).toBe('UND_ERR_SOCKET');
    expect(accepted(services)).toBe(1);
  });

  test('error-after: the answer is 502, but the job exists', async () => {
    const services = await startWith({ name: 'error-after' });
    expect((await submitSequence(services)).status).toBe(502);
    expect(accepted(services)).toBe(1);
  });

  test('a submission that is refused anyway does not use up the rule', async () => {
    const services = await startWith({ name: 'reset-after', times: 1 });
    expect((await submitSequence(services, { sequence: '' })).status).toBe(400);
    expect(await codeOf(submitSequence(services))).toBe('ECONNRESET');
  });
});

describe('the job', () => {
  test('lose: the job is accepted and counted, but unknown afterwards', async () => {
    const services = await startWith({ name: 'lose', times: 1 });
    const { status, body } = await submitSequence(services);
    expect(status).toBe(200);
    expect((await get(`${api(services)}/results/${body.request_id}/`)).status).toBe(404);
    expect(accepted(services)).toBe(1);
  });

  test('fail: the job ends FAILED', async () => {
    const services = await startWith({ name: 'fail', times: 1 });
    const { result } = await runSequence(services);
    expect(result.status).toBe(422);
    expect((await runSequence(services)).result.status).toBe(200);
  });

  test('stuck-heartbeat: the heartbeat ages while the job runs', async () => {
    const services = await startWith({ name: 'stuck-heartbeat' });
    const { body } = await submitSequence(services);
    await wait(1100);
    const { body: envelope } = await get(`${api(services)}/results/${body.request_id}/`);
    expect(envelope.status).toBe('RUNNING');
    expect(envelope.timing.heartbeat_age_seconds).toBe(1);
  });
});

describe('the answer', () => {
  test('truncate: half of the announced bytes', async () => {
    const services = await start();
    const { id, result } = await runSequence(services);
    services.faults.set([{ name: 'truncate', endpoint: 'results' }]);
    const response = await fetch(`${api(services)}/results/${id}/`);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Length')).toBe(String(result.text.length));
    expect(await codeOf(response.text())).toBe('UND_ERR_SOCKET');
  });

  test('wrong-type: JSON labelled as HTML', async () => {
    const services = await startWith({ name: 'wrong-type', endpoint: 'submit' });
    const { headers, body } = await submitSequence(services);
    expect(headers.get('Content-Type')).toContain('text/html');
    expect(body.request_id).toBeDefined();
  });

  test('garble: a page of HTML with status 200', async () => {
    const services = await startWith({ name: 'garble', endpoint: 'submit' });
    const { status, body, text } = await submitMolecule(services);
    expect(status).toBe(200);
    expect(body).toBeUndefined();
    expect(text).toContain('<html>');
    expect(accepted(services)).toBe(1);
  });

  test('nan: a number that is not JSON', async () => {
    const services = await startWith({ name: 'nan' });
    const { result } = await runSequence(services);
    expect(result.body).toBeUndefined();
    expect(result.text).toMatch(/\[NaN,/);
  });

  test('missing-key: the most important key, or the named one', async () => {
    const services = await startWith({ name: 'missing-key', times: 2 });
    const { body: ack } = await submitMolecule(services);
    await until(services.moleculesUrl + ack.Location);
    const set = fileSet(await get(`${services.moleculesUrl}/api/${ack.hash_id}/`));
    expect(Object.keys(set)).toHaveLength(18);
    expect(set).not.toHaveProperty('GMX_top');
    const sequence = await runSequence(services);
    expect(sequence.result.body).not.toHaveProperty('proteins');
    services.faults.set([{ name: 'missing-key', endpoint: 'submit', key: 'hash_id' }]);
    expect((await submitMolecule(services)).body).not.toHaveProperty('hash_id');
  });

  test('forget-past-results: the list is empty although there are jobs', async () => {
    const services = await startWith({ name: 'forget-past-results', times: 1 });
    await submitAlignment(services);
    const past = async () =>
      (await get(`${api(services)}/past-results/msa/`, { 'X-Service-Token': TOKEN })).body;
    expect(await past()).toEqual([]);
    expect(await past()).toHaveLength(1);
  });

  test('skew: every time in an answer is shifted, durations are not', async () => {
    const services = await startWith({ name: 'skew', ms: -7_200_000 });
    const { id, result } = await runSequence(services, { predictor_type: 'nosuch' });
    const offBy = Date.now() - Date.parse(result.body.created_at);
    expect(offBy).toBeGreaterThan(7_190_000);
    expect(offBy).toBeLessThan(7_230_000);
    expect(result.body.timing.wall_seconds).toBe(0);
    const { headers } = await get(`${api(services)}/results/${id}/history/`);
    expect(Date.now() - Date.parse(headers.get('Date') ?? '')).toBeGreaterThan(7_190_000);
  });
});

describe('rules', () => {
  test('apply only to the service and the endpoint that they name', async () => {
    const services = await startWith(
      { name: 'error', service: 'molecules' },
      { name: 'error', service: 'predictions', endpoint: 'history' },
    );
    expect((await submitMolecule(services)).status).toBe(503);
    const { id, result } = await runSequence(services);
    expect(result.status).toBe(200);
    expect((await get(`${api(services)}/results/${id}/history/`)).status).toBe(503);
  });

  test('status is a request for an open job, results for one that has ended', async () => {
    const services = await start({
      jobMs: 300,
      faults: [{ name: 'error', endpoint: 'status', times: 1 }],
    });
    const { body } = await submitSequence(services);
    const url = `${api(services)}/results/${body.request_id}/`;
    expect((await get(url)).status).toBe(503);
    expect((await get(url)).status).toBe(202);
    services.faults.set([{ name: 'error', endpoint: 'results', times: 1 }]);
    expect((await until(url)).status).toBe(503);
    expect((await get(url)).status).toBe(200);
  });

  test('with a probability and a seed apply to the same requests each time', async () => {
    const rule: FaultRule = { name: 'reject', probability: 0.5, seed: 42 };
    const runs = await Promise.all(
      [0, 1].map(async () => {
        const services = await startWith(rule);
        const seen: number[] = [];
        for (let n = 0; n < 20; n += 1) seen.push((await submitSequence(services)).status);
        return seen;
      }),
    );
    expect(runs[0]).toEqual(runs[1]);
    expect(new Set(runs[0])).toEqual(new Set([200, 400]));
  });

  test('an unknown name is refused, with the known names', async () => {
    const services = await start();
    const rule = { name: 'nosuch' } as unknown as FaultRule;
    expect(() => {
      services.faults.add(rule);
    }).toThrow(/Unknown fault "nosuch".*truncate/);
  });
});

describe('PUT, GET and DELETE /_faults', () => {
  test('control faults if the server was started with this option', async () => {
    const services = await start({ allowFaultControl: true });
    const url = `${services.url}/_faults`;
    const put = await fetch(url, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify([{ name: 'reject', times: 2 }]),
    });
    expect(await put.json()).toEqual([{ name: 'reject', times: 2, left: 2 }]);
    expect((await submitSequence(services)).status).toBe(400);
    expect((await get(url)).list[0]?.left).toBe(1);
    await fetch(url, { method: 'DELETE' });
    expect((await submitSequence(services)).status).toBe(200);
    const wrong = await fetch(url, {
      method: 'PUT',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify([{ name: 'nosuch' }]),
    });
    expect(wrong.status).toBe(400);
  });

  test('do not exist otherwise', async () => {
    const services = await start();
    expect((await get(`${services.url}/_faults`)).status).toBe(404);
    expect((await postJson(`${services.url}/_faults`, [])).status).toBe(404);
  });
});
