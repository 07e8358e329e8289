/** Services behind proxies, gateways and private CAs: what arrives, and whether a failed request was sent. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { Network } from '../../src/services/dispatcher.ts';
import type { HttpAnswer } from '../../src/services/http-answer.ts';
import { createHttp, type Http } from '../../src/services/http.ts';
import { CA, plainServer, proxyServer, SERVICE_HOST, tlsServer } from './a-network.ts';
import { deadUrl } from './scripted-server.ts';

const LOGIN = 'lab:pr0xy-hush-hush';

const open: Http[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((http) => http.close()));
});

function newHttp(network: Network, deadlineMs = 3_000): Http {
  const http = createHttp({ service: 'predictions', secrets: [], deadlineMs, network });
  open.push(http);
  return http;
}

function post(http: Http, url: string): Promise<HttpAnswer> {
  const body = { contentType: 'application/json', bytes: Buffer.from('{"a":1}') };
  const { signal } = new AbortController();
  return http.send({ method: 'POST', url: new URL(`${url}/submit/`), body, signal });
}

const get = (http: Http, url: string): Promise<HttpAnswer> =>
  http.send({ method: 'GET', url: new URL(`${url}/x/`), signal: new AbortController().signal });

const through = (port: number, { login = '', scheme = 'http' } = {}): Network['proxy'] => ({
  url: `${scheme}://${login === '' ? '' : `${login}@`}127.0.0.1:${port}`,
  name: `127.0.0.1:${port}`,
});

async function textOf(answer: HttpAnswer): Promise<string> {
  if (answer.type !== 'answered') throw new Error(answer.message);
  const text = await answer.body.text(10_000);
  if (text.type !== 'whole') throw new Error(text.message);
  return text.text;
}

/** Returns what arrived. */
function echo(incoming: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = incoming;
  response.end(JSON.stringify({ method, url, headers }));
}

describe('through a proxy', () => {
  test('a service with TLS is reached by CONNECT; the proxy sees the login, the service does not', async () => {
    await using service = await tlsServer(echo);
    await using proxy = await proxyServer({ login: LOGIN });
    const http = newHttp({ ca: CA, proxy: through(proxy.port, { login: LOGIN }) });
    const url = `https://${SERVICE_HOST}:${service.port}`;
    const answers = [await get(http, url), await post(http, url), await post(http, url)];
    for (const answer of answers) expect(await textOf(answer)).not.toContain('proxy-authorization');
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${SERVICE_HOST}:${service.port}`]));
  });

  test('a service without TLS is reached by a forwarded request', async () => {
    await using service = await plainServer(echo);
    await using proxy = await proxyServer({ login: LOGIN });
    const http = newHttp({ proxy: through(proxy.port, { login: LOGIN }) });
    const url = `http://${SERVICE_HOST}:${service.port}`;
    expect(JSON.parse(await textOf(await post(http, url)))).toMatchObject({ url: '/submit/' });
    expect(proxy.asked).toEqual([`POST ${url}/submit/`]);
  });

  test('an https proxy with a certificate of the private CA', async () => {
    await using service = await tlsServer(echo);
    await using proxy = await proxyServer({ tls: true });
    const http = newHttp({ ca: CA, proxy: through(proxy.port, { scheme: 'https' }) });
    const answer = await post(http, `https://${SERVICE_HOST}:${service.port}`);
    expect(await textOf(answer)).toContain('/submit/');
  });

  test.each([
    ['refuses the login', { login: LOGIN }, 'PROXY_407'],
    ['refuses to connect there', { refuseWith: 403 }, 'PROXY_403'],
    ['cannot connect', { refuseWith: 502 }, 'PROXY_502'],
    ['closes the connection', { hangsUp: true }, 'UND_ERR_PRX_CONN'],
  ])('a proxy that %s at CONNECT: unreached, and the message names it', async (_, given, code) => {
    await using service = await tlsServer(echo);
    await using proxy = await proxyServer(given);
    const http = newHttp({ ca: CA, proxy: through(proxy.port, { login: 'lab:other-secret' }) });
    const answer = await post(http, `https://${SERVICE_HOST}:${service.port}`);
    expect(answer).toMatchObject({ type: 'unreached', code });
    expect(answer).toHaveProperty('message', expect.stringContaining(`127.0.0.1:${proxy.port}`));
    expect(JSON.stringify(answer)).not.toContain('other-secret');
  });

  test('a proxy that refuses the login of a forwarded request: unreached, and later requests work', async () => {
    await using service = await plainServer(echo);
    await using proxy = await proxyServer({ login: LOGIN });
    const http = newHttp({ proxy: through(proxy.port) });
    const url = `http://${SERVICE_HOST}:${service.port}`;
    for (let round = 0; round < 20; round += 1) {
      expect(await post(http, url)).toMatchObject({ type: 'unreached', code: 'PROXY_407' });
    }
  });

  test('nothing at the address of the proxy: unreached', async () => {
    const { port } = new URL(await deadUrl());
    const http = newHttp({ proxy: through(Number(port)) });
    expect(await post(http, `https://${SERVICE_HOST}`)).toMatchObject({
      type: 'unreached',
      code: 'ECONNREFUSED',
    });
  });

  test('a tunnel that breaks during the TLS handshake: unreached', async () => {
    await using service = await tlsServer(echo);
    await using proxy = await proxyServer({ breaksAfter: 1 });
    const http = newHttp({ ca: CA, proxy: through(proxy.port) });
    const answer = await post(http, `https://${SERVICE_HOST}:${service.port}`);
    expect(answer.type).toBe('unreached');
  });

  test('a service that closes the connection through the tunnel after the request was written: broken', async () => {
    await using service = await tlsServer((incoming) => incoming.socket.destroy());
    await using proxy = await proxyServer();
    const http = newHttp({ ca: CA, proxy: through(proxy.port) });
    const answer = await post(http, `https://${SERVICE_HOST}:${service.port}`);
    expect(answer.type).toBe('broken');
  });

  test('a forwarded request whose connection breaks: broken', async () => {
    await using service = await plainServer(echo);
    const http = newHttp({ proxy: through(service.port) });
    // This "proxy" closes after the first byte.
    await using proxy = await plainServer((incoming) => incoming.socket.destroy());
    const gone = newHttp({ proxy: through(proxy.port) });
    expect((await post(gone, 'http://service.test')).type).toBe('broken');
    expect((await post(http, 'http://service.test')).type).toBe('answered');
  });

  test('a proxy that never answers CONNECT: unreached at the deadline', async () => {
    await using proxy = await proxyServer({ isSilent: true });
    const http = newHttp({ proxy: through(proxy.port) }, 400);
    expect(await post(http, 'https://service.test')).toMatchObject({
      type: 'unreached',
      code: 'DEADLINE',
      message: expect.stringContaining(
        `no connection before the deadline (DEADLINE) (through the proxy 127.0.0.1:${proxy.port})`,
      ) as string,
    });
    expect(proxy.asked).toEqual(['CONNECT service.test:443']);
  });
});

describe('TLS with a private CA', () => {
  test('is trusted with its CA, and refused without: unreached', async () => {
    await using service = await tlsServer(echo);
    const url = `https://127.0.0.1:${service.port}`;
    expect((await post(newHttp({ ca: CA }), url)).type).toBe('answered');
    expect(await post(newHttp({}), url)).toMatchObject({
      type: 'unreached',
      message: expect.stringContaining('certificate') as string,
    });
  });
});

describe('a gateway', () => {
  test('receives its headers with each request, and no answer repeats them', async () => {
    const login = Buffer.from('lab:gateway-hush').toString('base64');
    const http = newHttp({
      headers: { authorization: `Basic ${login}`, 'x-gateway-key': 'k3y-hush-hush' },
      secrets: ['gateway-hush', login, 'k3y-hush-hush'],
    });
    const seen: unknown[] = [];
    await using strict = await plainServer((incoming, response) => {
      seen.push(incoming.headers['authorization'], incoming.headers['x-gateway-key']);
      echo(incoming, response);
    });
    const text = await textOf(await post(http, `http://127.0.0.1:${strict.port}`));
    expect(seen).toEqual([`Basic ${login}`, 'k3y-hush-hush']);
    expect(text).toContain('x-gateway-key');
    expect(text).not.toMatch(/hush|bGFi/);
  });
});

describe('the User-Agent', () => {
  test.each([
    [undefined, /^hundredfold\/\d+\.\d+\.\d+\S*$/],
    ['you@example.org', /^hundredfold\/\d+\.\d+\.\d+\S* \(\+you@example\.org\)$/],
  ])('with the contact %s', async (contact, agent) => {
    await using service = await plainServer(echo);
    const text = await textOf(await get(newHttp({ contact }), `http://127.0.0.1:${service.port}`));
    const { headers } = JSON.parse(text) as { headers: Record<string, string> };
    expect(headers['user-agent']).toMatch(agent);
  });
});
