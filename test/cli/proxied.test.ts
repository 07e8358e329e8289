/** The command behind a proxy. Connections within this machine do not use it: private.test.ts. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { pipeline } from 'node:stream';
import { expect, test } from 'vitest';
import { CA_FILE, proxyServer, SERVICE_HOST, tlsServer } from '../services/a-network.ts';
import { desk, type Desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

/** Files below the desk that contain this text. */
function filesWith(at: Desk, text: string): string[] {
  return readdirSync(at.folder, { recursive: true, encoding: 'utf8' }).filter((name) => {
    const path = at.path(name);
    return statSync(path).isFile() && readFileSync(path).includes(text);
  });
}

test('a campaign runs through a proxy with a login, to a service with a private CA and a gateway login', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 10, seconds: 60 });
  const refused: string[] = [];
  const login = Buffer.from('lab:gateway-hush').toString('base64');
  await using gateway = await tlsServer((incoming, response) => {
    if (incoming.headers.authorization !== `Basic ${login}`) {
      refused.push(incoming.url ?? '');
      response.writeHead(401).end();
      return;
    }
    const { method, url, headers } = incoming;
    const onward = request(
      `${service.url}${url ?? ''}`,
      { method, headers: { ...headers, host: new URL(service.url).host } },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        pipeline(answer, response, () => undefined);
      },
    );
    pipeline(incoming, onward, () => undefined);
  });
  await using proxy = await proxyServer({ login: 'me:proxy-hush-hush' });
  const url = `https://${SERVICE_HOST}:${gateway.port}`;
  const basic = '{ user: lab, password: { env: GATEWAY_PASSWORD } }';
  at.write(
    'hundredfold.yaml',
    `contact: you@example.org\nservices: { predictions: { url: "${url}", basic: ${basic}, tls: { ca: "${CA_FILE}" } } }`,
  );
  peptides(at, 'night', 2);
  const proxyUrl = `http://me:proxy-hush-hush@127.0.0.1:${proxy.port}`;
  const env = { ...TOKEN, GATEWAY_PASSWORD: 'gateway-hush', HTTPS_PROXY: proxyUrl };
  const { stdout, stderr } = await at.runs(0, ['run', 'night.csv', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ items: { total: 2, succeeded: 2 } });
  expect(refused).toEqual([]);
  expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${SERVICE_HOST}:${gateway.port}`]));
  expect(stdout + stderr).not.toContain('hush');
  expect(filesWith(at, 'hush')).toEqual([]);
  expect(await service.end()).toHaveLength(2);
});
