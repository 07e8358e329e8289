/** The faults of a gateway over real HTTP: their answers, and that nothing reaches the services. */
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { FaultName } from '../../src/local-services/faults.ts';
import type { LocalServices } from '../../src/local-services/server.ts';
import {
  api,
  get,
  MOLECULE,
  runSequence,
  start,
  submitMolecule,
  submitSequence,
  TOKEN,
} from './running-services.ts';

interface Seen {
  readonly status: number;
  readonly type: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

interface Asked {
  readonly method?: string;
  readonly body?: string;
}

/** The raw answer: `fetch` follows or hides redirects, and takes a 407 for a network error. */
async function ask(url: string, { method = 'GET', body = '' }: Asked = {}): Promise<Seen> {
  const headers = body === '' ? {} : { 'Content-Type': 'application/json' };
  const sent = request(url, { method, headers, agent: false });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const text = (await answer.setEncoding('utf8').toArray()).join('');
  const { statusCode: status = 0, headers: received } = answer;
  return { status, type: received['content-type'], headers: received, text };
}

function post(services: LocalServices): Promise<Seen> {
  return ask(`${services.moleculesUrl}/api`, {
    method: 'POST',
    body: JSON.stringify(MOLECULE),
  });
}

/** A submission to each service, a status request of each, and the client's other requests. */
async function askEverything(services: LocalServices): Promise<Seen[]> {
  const nobody = '00000000-0000-4000-8000-000000000000';
  return Promise.all([
    post(services),
    ask(`${api(services)}/submit/single-sequence/`, { method: 'POST', body: '{}' }),
    ask(`${api(services)}/results/${nobody}/`),
    ask(`${services.moleculesUrl}/api/queue/unknown/`),
    ask(`${services.url}/`),
  ]);
}

const HTML = 'text/html; charset=utf-8';
const UNIFORM: readonly [FaultName, number, string, RegExp][] = [
  ['firewall-403', 403, HTML, /<title>Request blocked<\/title>/],
  ['expired-token', 401, 'application/json; charset=utf-8', /^\{"error":"invalid_token"/],
  ['maintenance-html', 200, HTML, /<title>Scheduled maintenance<\/title>/],
  ['redirect-https', 308, HTML, /Permanent Redirect/],
  ['captive-portal', 302, HTML, /Network login/],
  ['proxy-auth', 407, HTML, /Proxy authentication required/],
];

describe('faults that answer everything', () => {
  test.each(UNIFORM)('%s answers every request with %i', async (name, status, type, body) => {
    const services = await start({ faults: [{ name }] });
    for (const seen of await askEverything(services)) {
      expect(seen).toMatchObject({ status, type });
      expect(seen.text).toMatch(body);
    }
    expect(services.journal()).toEqual([]);
    services.faults.clear();
    expect((await submitMolecule(services)).status).toBe(200);
    const fired = services.faults.fired();
    expect(fired.map((one) => one.name)).toEqual(Array(5).fill(name));
    expect(fired.filter(({ service }) => service === 'molecules')).toHaveLength(2);
  });

  test('one service can be meant alone, and a number of requests', async () => {
    const rule = { name: 'firewall-403', service: 'molecules', times: 1 } as const;
    const services = await start({ faults: [rule] });
    expect((await submitSequence(services)).status).toBe(200);
    expect((await submitMolecule(services)).status).toBe(403);
    expect((await submitMolecule(services)).status).toBe(200);
  });

  test('redirect-https names the same address with https', async () => {
    const services = await start({ faults: [{ name: 'redirect-https' }] });
    const { headers } = await ask(`${services.moleculesUrl}/api/queue/x/?a=b`);
    const { host } = new URL(services.url);
    expect(headers.location).toBe(`https://${host}/acpype/api/queue/x/?a=b`);
  });

  test('captive-portal answers GETs of the login page with 200', async () => {
    const services = await start({ faults: [{ name: 'captive-portal' }] });
    const { headers } = await post(services);
    const login = await ask(new URL(headers.location ?? '', services.url).href);
    expect(login).toMatchObject({ status: 200, type: HTML });
  });

  test('proxy-auth and expired-token say in a header what they require', async () => {
    const services = await start({ faults: [{ name: 'proxy-auth' }] });
    expect((await post(services)).headers['proxy-authenticate']).toMatch(/^Basic /);
    services.faults.set([{ name: 'expired-token' }]);
    expect((await post(services)).headers['www-authenticate']).toMatch(/^Bearer /);
  });

  test('another process can end them', async () => {
    const services = await start({ faults: [{ name: 'firewall-403' }], allowFaultControl: true });
    expect((await post(services)).status).toBe(403);
    expect((await ask(`${services.url}/_faults`, { method: 'DELETE' })).status).toBe(200);
    expect((await post(services)).status).toBe(200);
  });
});

describe('unknown', () => {
  test('a job that exists is unknown while it is new, and by chance later', async () => {
    const services = await start({
      faults: [
        { name: 'unknown', ms: 400 },
        { name: 'unknown', probability: 0.5, seed: 1 },
      ],
    });
    const { body: sequence } = await submitSequence(services);
    const { body: molecule } = await submitMolecule(services);
    const urls = [
      `${api(services)}/results/${sequence.request_id}/`,
      `${api(services)}/results/${sequence.request_id}/history/`,
      services.moleculesUrl + molecule.Location,
      `${services.moleculesUrl}/api/${molecule.hash_id}/`,
    ];
    for (const url of urls) {
      expect(await get(url)).toMatchObject({ status: 404, body: { error: 'Request not found' } });
    }
    await sleep(450);
    for (const url of urls) {
      const statuses = new Set<number>();
      for (let n = 0; n < 20; n += 1) statuses.add((await get(url)).status);
      expect(statuses, url).toEqual(new Set([200, 404]));
    }
  });

  test('downloads, lists and jobs that never existed are answered as always', async () => {
    const services = await start();
    const { id } = await runSequence(services);
    services.faults.set([{ name: 'unknown' }]);
    const headers = { 'X-Service-Token': TOKEN };
    const file = `${api(services)}/results/${id}/download/?format=csv`;
    expect((await get(file, headers)).status).toBe(200);
    const list = await get(`${api(services)}/past-results/single-sequence/`, headers);
    expect(list.list).toHaveLength(1);
    await get(`${api(services)}/results/nobody/`);
    expect(services.faults.fired()).toEqual([]);
  });
});

test('slow-after: the job is accepted at once, and its answer is late', async () => {
  const services = await start({ faults: [{ name: 'slow-after', ms: 400 }] });
  const began = Date.now();
  expect((await submitMolecule(services)).status).toBe(200);
  const answered = Date.now();
  const [job] = services.journal();
  const at = job?.at ?? 0;
  expect(answered - at).toBeGreaterThanOrEqual(395);
  expect(at - began).toBeLessThan(answered - at);
});
