/** Other users of the machine can neither read nor block anything; passwords of proxies and gateways are in no file. */
import { chmodSync, lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { readFileSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream';
import { expect, test } from 'vitest';
import { CA_FILE, proxyServer, SERVICE_HOST, tlsServer } from '../services/a-network.ts';
import { desk, type Desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const OWN = 'mPrivate7Z';
const RUN = ['run', 'm.csv', '--services', 'local', '--json'];

/** Paths below the folder that other users may read, write or enter. */
function openToOthers(folder: string): string[] {
  return [folder, ...readdirSync(folder, { recursive: true, encoding: 'utf8' })]
    .map((name) => (name === folder ? folder : join(folder, name)))
    .filter((path) => (lstatSync(path).mode & 0o077) !== 0);
}

test('local services get their own token, all files are private, and the shared temporary directory is not touched', async () => {
  const at = desk();
  at.resends = true;
  at.write('m.csv', 'id,kind,smiles\nethanol,molecule,CCO\n');
  const shared = at.path('tmp');
  mkdirSync(shared);
  chmodSync(shared, 0o1777);
  const dead = 'http://127.0.0.1:9';
  const env = {
    HUNDREDFOLD_MOLECULE_TOKEN: OWN,
    HUNDREDFOLD_PREDICTION_TOKEN: OWN,
    TMPDIR: shared,
    // Local services and the embedded server are reached directly, whatever proxy is set.
    http_proxy: dead,
    https_proxy: dead,
    HTTP_PROXY: dead,
    HTTPS_PROXY: dead,
  };
  await at.runs(0, RUN, { env });
  expect(readdirSync(shared)).toEqual([]);
  const state = at.path('.local', 'state', 'hundredfold');
  expect(readdirSync(at.embedded)).toEqual(
    expect.arrayContaining(['services.db', 'temporal.db', 'identity.json', 'worker.log']),
  );
  expect([...openToOthers(at.embedded), ...openToOthers(state)]).toEqual([]);
  for (const name of readdirSync(at.embedded).filter((one) => !one.startsWith('starting')))
    expect(readFileSync(join(at.embedded, name), 'latin1'), name).not.toContain(OWN);
  // Submissions cannot be counted.
  at.write('no-home', '');
  const refused = await at.runs(2, [...RUN, '--name', 'homeless', '--no-cache'], {
    env: { XDG_STATE_HOME: at.path('no-home') },
  });
  expect(refused.stderr).toContain('HUNDREDFOLD_STATE_DIR');
});

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
  const headers = '{ Authorization: { env: GATEWAY_LOGIN } }';
  at.write('hundredfold.yaml', `services: { predictions: { url: "${url}", headers: ${headers} } }`);
  peptides(at, 'night', 2);
  const proxyUrl = `http://me:proxy-hush-hush@127.0.0.1:${proxy.port}`;
  const env = {
    ...TOKEN,
    GATEWAY_LOGIN: `Basic ${login}`,
    HTTPS_PROXY: proxyUrl,
    NODE_EXTRA_CA_CERTS: CA_FILE,
  };
  const { stdout, stderr } = await at.runs(0, ['run', 'night.csv', '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ items: { total: 2, succeeded: 2 } });
  expect(refused).toEqual([]);
  expect(new Set(proxy.asked)).toEqual(new Set([`CONNECT ${SERVICE_HOST}:${gateway.port}`]));
  expect(stdout + stderr).not.toContain('hush');
  expect(filesWith(at, 'hush')).toEqual([]);
  expect(await service.end()).toHaveLength(2);
});
