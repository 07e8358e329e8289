/** Services behind proxies, gateways and private CAs: what arrives, and whether a failed request was sent. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Network } from '../../src/services/connection.ts';
import { type HttpAnswer, createHttp, type Http } from '../../src/services/http.ts';
import { plainServer, proxyServer, SERVICE_HOST, tlsServer, trustPrivateCa } from './a-network.ts';
import { deadUrl } from './scripted-server.ts';

const LOGIN = 'lab:pr0xy-hush-hush';

function newHttp(network: Network, deadlineMs = 3_000): Http {
  const http = createHttp({ service: 'predictions', secrets: [], deadlineMs, network });
  onTestFinished(() => http.close());
  return http;
}

function post(http: Http, url: string): Promise<HttpAnswer> {
  const body = { contentType: 'application/json', bytes: Buffer.from('{"a":1}') };
  const { signal } = new AbortController();
  return http.send({ method: 'POST', url: new URL(`${url}/submit/`), body, signal });
}

const through = (port: number | string, login = '', scheme = 'http'): Network['proxy'] => ({
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

const hangUp = (incoming: IncomingMessage): void => void incoming.socket.destroy();

test('a service whose CA is not trusted is unreached', async () => {
  await using service = await tlsServer(echo);
  const url = `https://127.0.0.1:${service.port}`;
  expect(await post(newHttp({}), url)).toMatchObject({
    type: 'unreached',
    message: expect.stringContaining('certificate') as string,
  });
});

describe('through a proxy', () => {
  beforeAll(trustPrivateCa);

  test('a service with TLS is reached by CONNECT; the proxy sees the login, the service does not', async () => {
    await using service = await tlsServer(echo);
    await using proxy = await proxyServer({ login: LOGIN });
    const http = newHttp({ proxy: through(proxy.port, LOGIN) });
    const url = `https://${SERVICE_HOST}:${service.port}`;
    for (const answer of [await post(http, url), await post(http, url)])
      expect(await textOf(answer)).not.toContain('proxy-authorization');
    expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${SERVICE_HOST}:${service.port}`]));
  });

  test('a service without TLS is reached by a forwarded request', async () => {
    await using service = await plainServer(echo);
    await using proxy = await proxyServer({ login: LOGIN });
    const url = `http://${SERVICE_HOST}:${service.port}`;
    const answer = await post(newHttp({ proxy: through(proxy.port, LOGIN) }), url);
    expect(JSON.parse(await textOf(answer))).toMatchObject({ url: '/submit/' });
    expect(proxy.asked).toEqual([`POST ${url}/submit/`]);
  });

  test('an https proxy with a certificate of the private CA', async () => {
    await using service = await tlsServer(echo);
    await using proxy = await proxyServer({ tls: true });
    const http = newHttp({ proxy: through(proxy.port, '', 'https') });
    const answer = await post(http, `https://${SERVICE_HOST}:${service.port}`);
    expect(await textOf(answer)).toContain('/submit/');
  });

  const SECRET = 'lab:other-secret';
  test.each<[string, Parameters<typeof proxyServer>[0], object]>([
    ['refuses the login', { login: LOGIN }, { code: 'PROXY_407' }],
    ['refuses to connect there', { refuseWith: 403 }, { code: 'PROXY_403' }],
    ['cannot connect', { refuseWith: 502 }, { code: 'PROXY_502' }],
    ['closes the connection', { hangsUp: true }, { code: 'UND_ERR_PRX_CONN' }],
    ['breaks the tunnel during the TLS handshake', { breaksAfter: 1 }, {}],
    ['never answers', { isSilent: true }, { code: 'DEADLINE' }],
  ])(
    'a proxy that %s at CONNECT: unreached, and the message names it',
    async (_, given, failure) => {
      await using service = await tlsServer(echo);
      await using proxy = await proxyServer(given);
      const network = { proxy: through(proxy.port, SECRET) };
      const http = newHttp(network, given?.isSilent === true ? 400 : undefined);
      const answer = await post(http, `https://${SERVICE_HOST}:${service.port}`);
      expect(answer).toMatchObject({ type: 'unreached', ...failure });
      expect(answer).toHaveProperty('message', expect.stringContaining(`127.0.0.1:${proxy.port}`));
      expect(JSON.stringify(answer)).not.toContain('other-secret');
    },
  );

  test('a proxy that refuses the login of a forwarded request: unreached, and later requests work', async () => {
    await using proxy = await proxyServer({ login: LOGIN });
    const http = newHttp({ proxy: through(proxy.port) });
    for (let round = 0; round < 20; round += 1) {
      const answer = await post(http, `http://${SERVICE_HOST}:1`);
      expect(answer).toMatchObject({ type: 'unreached', code: 'PROXY_407' });
    }
  });

  test('nothing at the address of the proxy: unreached', async () => {
    const http = newHttp({ proxy: through(new URL(await deadUrl()).port) });
    const answer = await post(http, `https://${SERVICE_HOST}`);
    expect(answer).toMatchObject({ type: 'unreached', code: 'ECONNREFUSED' });
  });

  test('a connection that breaks after the request was written: broken', async () => {
    await using service = await tlsServer(hangUp);
    await using proxy = await proxyServer();
    const tunnel = newHttp({ proxy: through(proxy.port) });
    expect((await post(tunnel, `https://${SERVICE_HOST}:${service.port}`)).type).toBe('broken');
    await using gone = await plainServer(hangUp);
    const forwarded = newHttp({ proxy: through(gone.port) });
    expect((await post(forwarded, `http://${SERVICE_HOST}`)).type).toBe('broken');
  });
});

test('a gateway receives its headers with each request, and no answer repeats them', async () => {
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

test('the User-Agent has program and version', async () => {
  await using service = await plainServer(echo);
  const text = await textOf(await post(newHttp({}), `http://127.0.0.1:${service.port}`));
  const { headers } = JSON.parse(text) as { headers: Record<string, string> };
  expect(headers['user-agent']).toMatch(/^hundredfold\/\d+\.\d+\.\d+\S*$/);
});
