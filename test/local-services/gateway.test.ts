/** Each personality of the gateway over real HTTP: its answers, the start and end of its faults, its journal. */
import { once } from 'node:events';
import { request, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import type { LocalServices } from '../../src/local-services/server.ts';
import type { GatewayName } from '../../src/local-services/gateway/personalities.ts';
import { Trouble } from '../../src/local-services/gateway/trouble.ts';
import {
  api,
  databaseFile,
  get,
  MOLECULE,
  runSequence,
  start,
  submitMolecule,
  submitSequence,
  TOKEN,
  until,
} from './running-services.ts';

const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

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
const UNIFORM: readonly [GatewayName, number, string, RegExp][] = [
  ['firewall-403', 403, HTML, /<title>Request blocked<\/title>/],
  ['expired-token', 401, 'application/json; charset=utf-8', /^\{"error":"invalid_token"/],
  ['maintenance-html', 200, HTML, /<title>Scheduled maintenance<\/title>/],
  ['redirect-https', 308, HTML, /Permanent Redirect/],
  ['captive-portal', 302, HTML, /Network login/],
  ['proxy-auth', 407, HTML, /Proxy authentication required/],
];

describe('personalities that reject everything', () => {
  test.each(UNIFORM)('%s answers every request with %i', async (gateway, status, type, body) => {
    const services = await start({ gateway });
    for (const seen of await askEverything(services)) {
      expect(seen).toMatchObject({ status, type });
      expect(seen.text).toMatch(body);
    }
    expect(services.journal()).toEqual([]);
    services.gateway.clear();
    expect((await submitMolecule(services)).status).toBe(200);
    expect(services.gateway.answered()).toHaveLength(5);
  });

  test('redirect-https names the same address with https', async () => {
    const services = await start({ gateway: 'redirect-https' });
    const { headers } = await ask(`${services.moleculesUrl}/api/queue/x/?a=b`);
    const { host } = new URL(services.url);
    expect(headers.location).toBe(`https://${host}/acpype/api/queue/x/?a=b`);
  });

  test('captive-portal answers GETs of the login page with 200', async () => {
    const services = await start({ gateway: 'captive-portal' });
    const { headers } = await post(services);
    const login = await ask(new URL(headers.location ?? '', services.url).href);
    expect(login).toMatchObject({ status: 200, type: HTML });
  });

  test('proxy-auth and expired-token say in a header what they require', async () => {
    const services = await start({ gateway: 'proxy-auth' });
    expect((await post(services)).headers['proxy-authenticate']).toMatch(/^Basic /);
    services.gateway.set('expired-token');
    expect((await post(services)).headers['www-authenticate']).toMatch(/^Bearer /);
  });
});

describe('flapping-404', () => {
  test('an existing job is always unknown at first, and sometimes later', async () => {
    const services = await start({
      gateway: { name: 'flapping-404', ms: 300, probability: 0.5 },
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
    await wait(350);
    for (const url of urls) {
      const statuses = new Set<number>();
      for (let n = 0; n < 20; n += 1) statuses.add((await get(url)).status);
      expect(statuses, url).toEqual(new Set([200, 404]));
    }
  });

  test('downloads, lists and unknown jobs are relayed', async () => {
    const services = await start({ gateway: null });
    const { id } = await runSequence(services);
    services.gateway.set({ name: 'flapping-404', ms: 60_000 });
    const headers = { 'X-Service-Token': TOKEN };
    const file = `${api(services)}/results/${id}/download/?format=csv`;
    expect((await get(file, headers)).status).toBe(200);
    const list = await get(`${api(services)}/past-results/single-sequence/`, headers);
    expect(list.list).toHaveLength(1);
    await get(`${api(services)}/results/nobody/`);
    expect(services.gateway.answered()).toEqual([]);
  });
});

describe('slow-answers', () => {
  const RULE = { name: 'slow-answers', seed: 7, ms: 600 } as const;

  /** In ms, as the gateway decides it for four requests. */
  function delays(method: string): number[] {
    const trouble = new Trouble(Date.now, () => null);
    trouble.set(RULE);
    return Array.from({ length: 4 }, () => {
      const treatment = trouble.treat({ method, url: '/api/acpype/', host: 'localhost' });
      return 'holdMs' in treatment ? treatment.holdMs : NaN;
    });
  }

  test('delays only answers to POSTs, and by the same times for the same seed', () => {
    const held = delays('POST');
    expect(delays('POST')).toEqual(held);
    expect(Math.min(...held)).toBeGreaterThanOrEqual(30);
    expect(Math.max(...held)).toBeLessThanOrEqual(RULE.ms);
    expect(new Set(held).size).toBe(held.length);
    expect(Math.max(...held) - Math.min(...held)).toBeGreaterThan(50);
    expect(delays('GET')).toEqual([0, 0, 0, 0]);
  });

  test('an answer is sent after its delay', async () => {
    const services = await start({ gateway: RULE });
    for (const ms of delays('POST')) {
      const began = performance.now();
      expect((await submitMolecule(services)).status).toBe(200);
      // A timer may fire a millisecond early.
      expect(performance.now() - began).toBeGreaterThan(ms - 2);
    }
  });
});

describe('start and end', () => {
  test('faults start and end at the configured times', async () => {
    const services = await start({ gateway: { name: 'firewall-403', afterMs: 400, forMs: 500 } });
    expect((await submitMolecule(services)).status).toBe(200);
    await wait(450);
    expect((await submitMolecule(services)).status).toBe(403);
    await wait(550);
    expect((await submitMolecule(services)).status).toBe(200);
  });

  test('another process can switch faults, also while everything is refused', async () => {
    const services = await start({ gateway: 'firewall-403', allowFaultControl: true });
    const control = `${services.url}/_gateway`;
    const put = (body: unknown): Promise<Seen> =>
      ask(control, {
        method: 'PUT',
        body: JSON.stringify(body),
      });
    expect(JSON.parse((await ask(control)).text)).toEqual({
      rule: { name: 'firewall-403' },
      inForce: true,
    });
    expect((await put({ name: 'proxy-auth', forMs: 60_000 })).status).toBe(200);
    expect((await post(services)).status).toBe(407);
    for (const wrong of ['firewall-404', 7, {}, { name: 'proxy-auth', forMs: '5s' }]) {
      expect(await put(wrong), JSON.stringify(wrong)).toMatchObject({ status: 400 });
    }
    expect((await put('firewall-404')).text).toContain('firewall-403');
    expect((await post(services)).status).toBe(407);
    expect((await ask(control, { method: 'DELETE' })).status).toBe(200);
    expect((await post(services)).status).toBe(200);
    expect((await ask(`${services.url}/_faults`)).text).toBe('[]');
  });

  test('faults cannot be switched without the option', async () => {
    const services = await start({ gateway: null });
    expect((await ask(`${services.url}/_gateway`)).status).toBe(404);
  });

  test('an unknown name is refused, and services without a gateway say so', async () => {
    await expect(start({ gateway: 'firewall' as GatewayName })).rejects.toMatchObject({
      code: 'LOCAL_SERVICES_OPTION',
      message: expect.stringContaining('firewall-403'),
    });
    const services = await start();
    expect(() => {
      services.gateway.set('firewall-403');
    }).toThrow(expect.objectContaining({ code: 'LOCAL_SERVICES_OPTION' }));
  });
});

describe('the journal', () => {
  test('contains each request that the gateway answered, without its query, also after it is closed', async () => {
    const database = databaseFile();
    const services = await start({ database, gateway: 'firewall-403' });
    await post(services);
    await ask(`${api(services)}/past-results/shiftcrypt/alignment/?token=${TOKEN}`);
    await services.close();
    const expected = [
      { service: 'molecules', method: 'POST', path: '/acpype/api', status: 403 },
      {
        service: 'predictions',
        method: 'GET',
        path: '/online_predictors/api/past-results/shiftcrypt/alignment/',
        status: 403,
      },
    ];
    expect(services.gateway.answered()).toMatchObject(expected);
    const again = await start({ database, gateway: null });
    expect(again.gateway.answered()).toEqual(services.gateway.answered());
    expect(JSON.stringify(again.gateway.answered())).not.toContain(encodeURIComponent(TOKEN));
  });
});

describe('a gateway without faults', () => {
  test('relays submissions, results and files, and the address of the client', async () => {
    const services = await start({ gateway: null });
    const { id, result } = await runSequence(services);
    expect(result.status).toBe(200);
    const { body } = await submitMolecule(services, { smiles: 'C'.repeat(50) });
    expect((await until(services.moleculesUrl + body.Location)).status).toBe(200);
    const file = `${api(services)}/results/${id}/download/?format=csv`;
    const { headers } = await get(file, { 'X-Service-Token': TOKEN });
    expect(headers.get('content-disposition')).toContain(id);
    for (const { address } of services.journal()) expect(address).toMatch(/127\.0\.0\.1$/);
  });

  test('relays connection faults', async () => {
    const services = await start({ gateway: null });
    services.faults.set([{ name: 'reset-after', times: 1 }]);
    await expect(post(services)).rejects.toMatchObject({ code: 'ECONNRESET' });
    services.faults.set([{ name: 'truncate', times: 1 }]);
    await expect(post(services)).rejects.toMatchObject({ message: 'aborted' });
    services.faults.set([{ name: 'hang', ms: 50, times: 1 }]);
    await expect(post(services)).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('refuses connections with the fault refuse', async () => {
    const services = await start({ gateway: null });
    services.faults.set([{ name: 'refuse', ms: 200 }]);
    await expect(submitMolecule(services)).rejects.toThrow();
    await wait(300);
    expect((await submitMolecule(services)).status).toBe(200);
  });

  test('a port in use is refused', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;
    await expect(start({ port, gateway: null })).rejects.toMatchObject({
      code: 'LOCAL_SERVICES_PORT',
    });
    taken.close();
  });
});
