/** Each fault does what docs/faults.md says, and a service without faults does none of it. */
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { FaultRule } from '../../packages/local-services/src/faults.ts';
import {
  acceptedBy,
  api,
  fileSet,
  get,
  MOLECULE,
  OWNER,
  postJson,
  resultsUrl,
  runMolecule,
  runSequence,
  start,
  startForFile,
  submitAlignment,
  submitMolecule,
  submitSequence,
  until,
  type Answer,
} from './running-services.ts';

const services = await startForFile({ limit: 0, allowFaultControl: true });

afterEach(() => {
  services.faults.clear();
});

function strikeWith(...rules: FaultRule[]): void {
  services.faults.set(rules);
}

/** The status and Retry-After of an answer, or the error code of a request that ended without one. */
async function outcome(sent: Promise<Answer>): Promise<string> {
  try {
    const { status, headers } = await sent;
    const retryAfter = headers.get('Retry-After');
    return retryAfter === null ? String(status) : `${status} after ${retryAfter}`;
  } catch (error) {
    const { cause } = error as { cause?: { code?: string; message: string } };
    return cause?.code ?? cause?.message ?? String(error);
  }
}

describe('before acceptance: nothing is accepted', () => {
  test.each<[FaultRule, string]>([
    [{ name: 'hang', ms: 50 }, 'UND_ERR_SOCKET'],
    [{ name: 'reset' }, 'ECONNRESET'],
    [{ name: 'error' }, '503'],
    [{ name: 'error', status: 500, retryAfter: 7 }, '500 after 7'],
    [{ name: 'rate-limit' }, '429 after 1'],
    [{ name: 'rate-limit', retryAfter: null }, '429'],
    [{ name: 'reject' }, '400'],
    [{ name: 'reject', status: 418 }, '418'],
  ])('%o', async (rule, expected) => {
    const before = acceptedBy(services).length;
    strikeWith({ ...rule, times: 1 });
    const job_name = JSON.stringify(rule);
    expect(await outcome(submitSequence(services, { job_name }))).toBe(expected);
    expect(acceptedBy(services)).toHaveLength(before);
    const status = /^\d/.test(expected) ? Number.parseInt(expected) : 0;
    expect(services.journal().at(-1)).toMatchObject({ accepted: false, status, jobName: job_name });
    expect((await submitSequence(services, { job_name })).status, 'the rule is spent').toBe(200);
  });

  test('refuse: connections are refused until the faults are cleared, on the same port', async () => {
    strikeWith({ name: 'refuse' });
    const refused = async (): Promise<string> => outcome(submitSequence(services));
    await expect.poll(refused).toBe('ECONNREFUSED');
    services.faults.clear();
    await expect.poll(refused).toBe('200');
  });
});

describe('after acceptance: the job exists', () => {
  test.each<[FaultRule, string]>([
    [{ name: 'hang-after', ms: 100 }, 'UND_ERR_SOCKET'],
    [{ name: 'reset-after' }, 'ECONNRESET'],
    [{ name: 'error-after' }, '502'],
    [{ name: 'accept-late', ms: 200 }, 'ECONNRESET'],
    [{ name: 'wrong-type', endpoint: 'submit' }, '200'],
    [{ name: 'garble', endpoint: 'submit' }, '200'],
    [{ name: 'slow-after' }, '200'],
  ])('%o', async (rule, expected) => {
    const before = acceptedBy(services).length;
    strikeWith({ ...rule, times: 1 });
    const job_name = JSON.stringify(rule);
    const sent = submitSequence(services, { job_name });
    expect(await outcome(sent)).toBe(expected);
    const answered = Date.now();
    if (rule.name === 'accept-late') expect(acceptedBy(services)).toHaveLength(before);
    await expect.poll(() => acceptedBy(services).length).toBe(before + 1);
    if (rule.name === 'slow-after') {
      expect(answered - (acceptedBy(services).at(-1)?.at ?? 0)).toBeGreaterThanOrEqual(995);
    }
    expect((await submitSequence(services, { job_name })).status).toBe(409);
    const past = await get(`${api(services)}/past-results/single-sequence/`, OWNER);
    expect(past.list[0]?.job_name).toBe(job_name);
  });

  test('a submission that is refused anyway does not use up the rule', async () => {
    strikeWith({ name: 'reset-after', times: 1 });
    expect(await outcome(submitSequence(services, { sequence: '' }))).toBe('400');
    expect(await outcome(submitSequence(services))).toBe('ECONNRESET');
  });

  test('lose: the job is counted, but unknown afterwards', async () => {
    const before = acceptedBy(services).length;
    strikeWith({ name: 'lose' });
    const ack = await submitSequence(services);
    expect(ack.status).toBe(200);
    expect((await get(resultsUrl(services, ack))).status).toBe(404);
    expect(acceptedBy(services)).toHaveLength(before + 1);
  });
});

describe('the answer', () => {
  test('truncate: half of the announced bytes', async () => {
    const { url, result } = await runSequence(services);
    strikeWith({ name: 'truncate', endpoint: 'results' });
    const response = await fetch(url);
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Length')).toBe(String(result.text.length));
    await expect(response.text()).rejects.toMatchObject({ cause: { code: 'UND_ERR_SOCKET' } });
  });

  test('wrong-type: JSON labelled as HTML; garble: HTML instead of JSON', async () => {
    strikeWith({ name: 'wrong-type', endpoint: 'submit' });
    const labelled = await submitSequence(services);
    expect(labelled.headers.get('Content-Type')).toContain('text/html');
    expect(labelled.body.request_id).toBeDefined();
    strikeWith({ name: 'garble', endpoint: 'submit' });
    expect((await submitMolecule(services)).text).toContain('<html>');
  });

  test('nan: a number that is not JSON', async () => {
    strikeWith({ name: 'nan' });
    const { result } = await runSequence(services);
    expect(result.body).toBeUndefined();
    expect(result.text).toMatch(/\[NaN,/);
  });

  test('missing-key: the most important key, or the named one', async () => {
    const { id } = await runMolecule(services);
    strikeWith({ name: 'missing-key', times: 2 });
    const set = fileSet(await get(`${services.moleculesUrl}/api/${id}/`));
    expect(Object.keys(set)).toHaveLength(18);
    expect(set).not.toHaveProperty('GMX_top');
    expect((await runSequence(services)).result.body).not.toHaveProperty('proteins');
    strikeWith({ name: 'missing-key', endpoint: 'submit', key: 'hash_id' });
    expect((await submitMolecule(services)).body).not.toHaveProperty('hash_id');
  });

  test('forget-past-results: the list is empty although there are jobs', async () => {
    await submitAlignment(services);
    strikeWith({ name: 'forget-past-results', times: 1 });
    const past = async () => (await get(`${api(services)}/past-results/msa/`, OWNER)).list;
    expect(await past()).toEqual([]);
    expect(await past()).not.toEqual([]);
  });

  test('skew: every time in an answer is shifted, durations are not', async () => {
    strikeWith({ name: 'skew', ms: -7_200_000 });
    const { url, result } = await runSequence(services, { predictor_type: 'nosuch' });
    const offBy = Date.now() - Date.parse(result.body.created_at);
    expect(offBy).toBeGreaterThan(7_190_000);
    expect(result.body.timing.wall_seconds).toBeLessThan(60);
    const { headers } = await get(`${url}history/`);
    expect(Date.now() - Date.parse(headers.get('Date') ?? '')).toBeGreaterThan(7_190_000);
  });
});

describe('unknown', () => {
  test('a job that exists is unknown while it is new, and by chance later', async () => {
    const sequence = await submitSequence(services);
    const { body: molecule } = await submitMolecule(services);
    const urls = [
      resultsUrl(services, sequence),
      `${resultsUrl(services, sequence)}history/`,
      services.moleculesUrl + molecule.Location,
      `${services.moleculesUrl}/api/${molecule.hash_id}/`,
    ];
    strikeWith({ name: 'unknown', ms: 60_000 });
    for (const url of urls) {
      expect(await get(url)).toMatchObject({ status: 404, body: { error: 'Request not found' } });
    }
    await wait(10);
    strikeWith({ name: 'unknown', ms: 1 }, { name: 'unknown', probability: 0.5, seed: 1 });
    for (const url of urls) {
      const statuses = new Set<number>();
      for (let n = 0; n < 20; n += 1) statuses.add((await get(url)).status);
      expect(statuses, url).toEqual(new Set([200, 404]));
    }
  });

  test('downloads, lists and jobs that never existed are answered as always', async () => {
    const { url } = await runSequence(services);
    const before = services.faults.fired().length;
    strikeWith({ name: 'unknown' });
    expect((await get(`${url}download/?format=csv`, OWNER)).status).toBe(200);
    const { list } = await get(`${api(services)}/past-results/single-sequence/`, OWNER);
    expect(list.length).toBeGreaterThan(0);
    await get(`${api(services)}/results/nobody/`);
    expect(services.faults.fired()).toHaveLength(before);
  });
});

interface Seen {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The raw answer: `fetch` follows or hides redirects, and takes a 407 for a network error. */
async function ask(url: string, body?: string): Promise<Seen> {
  const headers = { 'Content-Type': 'application/json' };
  const options = body === undefined ? { agent: false } : { method: 'POST', headers, agent: false };
  const [answer] = (await once(request(url, options).end(body), 'response')) as [IncomingMessage];
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  return { status: answer.statusCode, headers: answer.headers, text };
}

describe('faults of a gateway answer everything, and nothing reaches the services', () => {
  const query = '/acpype/api/queue/x/?a=b';
  const type = (subtype: string) => ({ 'content-type': `${subtype}; charset=utf-8` });
  const html = type('text/html');
  const here = new URL(services.url).host;

  const like = (words: RegExp) => expect.stringMatching(words) as string;

  test.each([
    ['firewall-403', 403, html, /<title>Request blocked<\/title>/],
    [
      'expired-token',
      401,
      { ...type('application/json'), 'www-authenticate': like(/^Bearer /) },
      /^\{"error":"invalid_token"/,
    ],
    ['maintenance-html', 200, html, /<title>Scheduled maintenance<\/title>/],
    ['redirect-https', 308, { ...html, location: `https://${here}${query}` }, /Permanent Redirect/],
    ['captive-portal', 302, { ...html, location: '/captive-portal/login' }, /Network login/],
    [
      'proxy-auth',
      407,
      { ...html, 'proxy-authenticate': like(/^Basic /) },
      /authentication required/,
    ],
  ] as const)('%s: %i', async (name, status, headers, words) => {
    const text = like(words);
    const before = { journal: services.journal().length, fired: services.faults.fired().length };
    strikeWith({ name });
    expect(await ask(services.url + query)).toMatchObject({ status, headers, text });
    const others = [
      await ask(`${services.moleculesUrl}/api`, JSON.stringify(MOLECULE)),
      await ask(`${api(services)}/submit/single-sequence/`, '{}'),
      await ask(`${api(services)}/results/nobody/`),
      await ask(`${services.url}/`),
    ];
    for (const seen of others) expect(seen).toMatchObject({ status, text });
    expect(services.journal()).toHaveLength(before.journal);
    const fired = services.faults.fired().slice(before.fired);
    expect(fired.map((one) => one.name)).toEqual(Array(5).fill(name));
    expect(fired.filter(({ service }) => service === 'molecules')).toHaveLength(2);
    await fetch(`${services.url}/_faults`, { method: 'DELETE' });
    expect((await submitMolecule(services)).status).toBe(200);
  });
});

describe('rules', () => {
  test('apply only to the service and the endpoint that they name, a number of times', async () => {
    strikeWith(
      { name: 'firewall-403', service: 'molecules', times: 1 },
      { name: 'error', service: 'molecules' },
      { name: 'error', service: 'predictions', endpoint: 'history' },
    );
    expect((await submitMolecule(services)).status).toBe(403);
    expect((await submitMolecule(services)).status).toBe(503);
    const { url, result } = await runSequence(services);
    expect(result.status).toBe(200);
    expect((await get(`${url}history/`)).status).toBe(503);
  });

  test('status is a request for an open job, results for one that has ended', async () => {
    const faults: FaultRule[] = [{ name: 'error', endpoint: 'status', times: 1 }];
    const own = await start({ jobMs: 300, faults });
    const url = resultsUrl(own, await submitSequence(own));
    expect((await get(url)).status).toBe(503);
    expect((await get(url)).status).toBe(202);
    own.faults.set([{ name: 'error', endpoint: 'results', times: 1 }]);
    expect((await until(url)).status).toBe(503);
    expect((await get(url)).status).toBe(200);
  });

  test('with a probability and a seed apply to the same requests each time', async () => {
    const run = async (): Promise<number[]> => {
      strikeWith({ name: 'reject', probability: 0.5, seed: 42 });
      const seen: number[] = [];
      for (let n = 0; n < 20; n += 1) seen.push((await submitSequence(services)).status);
      return seen;
    };
    const first = await run();
    expect(await run()).toEqual(first);
    expect(new Set(first)).toEqual(new Set([200, 400]));
  });
});

test('PUT, GET and DELETE /_faults control faults if the server was started with this option', async () => {
  const url = `${services.url}/_faults`;
  const put = async (rule: object): Promise<Response> => {
    const headers = { 'Content-Type': 'application/json' };
    return fetch(url, { method: 'PUT', headers, body: JSON.stringify([rule]) });
  };
  const set = await put({ name: 'reject', times: 2 });
  expect(await set.json()).toEqual([{ name: 'reject', times: 2, left: 2 }]);
  expect((await submitSequence(services)).status).toBe(400);
  expect((await get(url)).list[0]?.left).toBe(1);
  await fetch(url, { method: 'DELETE' });
  expect((await submitSequence(services)).status).toBe(200);
  expect((await put({ name: 'nosuch' })).status).toBe(400);
  const other = await start();
  expect((await get(`${other.url}/_faults`)).status).toBe(404);
  expect((await postJson(`${other.url}/_faults`, [])).status).toBe(404);
});
