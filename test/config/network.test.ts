/** Keys and variables for proxies, gateways, private CAs and unencrypted addresses. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { proxyFor, revealNetwork } from '../../src/config/network.ts';
import { loadSettings } from '../../src/config/settings.ts';
import type { Environment } from '../../src/domain/environment.ts';
import { withoutSecrets } from '../../src/config/secret-variables.ts';
import { CA, CA_FILE } from '../services/a-network.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'hundredfold-config-'))));
afterEach(async () => rm(folder, { recursive: true, force: true }));

const PLAIN = '{ url: "https://p.example" }';

async function load(predictions: string, environment: Environment = {}, top = '') {
  const file = join(folder, 'hundredfold.yaml');
  await writeFile(file, `services:\n  predictions: ${predictions}\n${top}`);
  const tokens = { HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret', HOOK_TOKEN: 'hook-hush' };
  return loadSettings(file, { ...tokens, ...environment });
}

async function networkOf(...given: Parameters<typeof load>) {
  const { services } = await load(...given);
  if (!services['predictions']) throw new Error('no service');
  return revealNetwork(services['predictions'].network);
}

const WITH_TOKEN = {
  'services.predictions': (keys: string, environment?: Environment) =>
    load(`{ ${keys} }`, environment),
  notify: (keys: string, environment?: Environment) =>
    load(PLAIN, environment, `notify: { ${keys}, token: { env: HOOK_TOKEN } }`),
};

test.each(Object.entries(WITH_TOKEN))(
  'the token of %s is sent by https or within this machine only, unless it is allowed',
  async (place, configured) => {
    const variable = `HUNDREDFOLD_${place.replace('.', '_').toUpperCase()}_ALLOW_HTTP`;
    const refused = {
      code: 'CONFIG_TOKEN_OVER_HTTP',
      exitCode: 2,
      message: expect.stringContaining(`${place}.url`) as string,
      remedy: expect.stringContaining(`${place}.allowHttp: true`) as string,
    };
    for (const host of ['p.example', '10.0.0.7:8080/x', '127.0.0.1.evil.example']) {
      const bare = `url: "http://${host}"`;
      const allowed = `${bare}, allowHttp: true`;
      await expect(configured(bare)).rejects.toMatchObject(refused);
      await configured(allowed);
      await configured(bare, { [variable]: 'true' });
      await expect(configured(allowed, { [variable]: 'false' })).rejects.toMatchObject(refused);
    }
    const here = ['127.0.0.1:8080', '[::1]:8080', 'localhost/x', 'a.localhost'];
    for (const url of [...here.map((host) => `http://${host}`), 'https://p.example'])
      await configured(`url: "${url}"`);
  },
);

test('the address of a webhook is not shown by its refusal, and without a token it needs no https', async () => {
  const environment = { HOOK: 'http://h.example/hush-hush' };
  for (const url of ['{ env: HOOK }', `"${environment.HOOK}"`]) {
    const thrown = await WITH_TOKEN.notify(`url: ${url}`, environment).catch(inspect);
    expect(thrown).toContain('CONFIG_TOKEN_OVER_HTTP');
    expect(thrown).not.toMatch(/hush|h\.example/);
    await load(PLAIN, environment, `notify: { url: ${url} }`);
  }
});

describe('the proxy of a service', () => {
  const proxy = (url: string, environment: Environment) => proxyFor(url, environment)?.url.reveal();

  test('is chosen by the scheme of the URL; lower-case variables come first, and a proxy needs no scheme', () => {
    const both = { HTTPS_PROXY: 'http://s.example:1', HTTP_PROXY: 'p.example:2' };
    expect(proxy('https://x.example', both)).toBe('http://s.example:1/');
    expect(proxy('http://x.example', both)).toBe('http://p.example:2/');
    const lower = { ...both, https_proxy: 'https://l.example' };
    expect(proxy('https://x.example', lower)).toBe('https://l.example/');
    expect(proxy('https://x.example', { HTTP_PROXY: 'p.example' })).toBeUndefined();
    expect(proxy('https://x.example', { ...both, https_proxy: '' })).toBeUndefined();
    for (const url of ['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]'])
      expect(proxy(url, both), 'this machine').toBeUndefined();
  });

  test('is not used for the hosts of NO_PROXY', () => {
    const isOut = (list: string) =>
      proxy('https://x.example', { HTTPS_PROXY: 'http://p.example', NO_PROXY: list }) === undefined;
    const out = ['*', 'other.example, x.example', 'example', '.x.example', 'x.example:443'];
    const used = ['*.lab.x.example', 'x.example:80', 'ax.example', 'x.example.org', ' , ', '::1'];
    expect([...out, ...used].filter(isOut)).toEqual(out);
  });

  test('shows its password neither in a refusal nor in any output, and has it among the secrets', async () => {
    const asked = () => proxyFor('https://x.example', { HTTPS_PROXY: 'socks5://u:hush@h' });
    expect(asked).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error);
    expect(asked).not.toThrow(/hush/);
    const environment = { HTTPS_PROXY: 'http://lab:hush%20hush@proxy.example:3128' };
    const { services } = await load(PLAIN, environment);
    const printed = inspect(services, { depth: 9 }) + JSON.stringify(services);
    expect(printed).toContain('proxy.example:3128');
    expect(printed).not.toMatch(/hush|bGFi/);
    const login = Buffer.from('lab:hush hush').toString('base64');
    expect((await networkOf(PLAIN, environment)).secrets).toEqual(['hush hush', login]);
  });
});

test('a gateway has Basic login and headers, also by variables; all of it is secret', async () => {
  const basic = 'basic: { user: lab, password: { env: GP } }';
  const gateway = `{ url: "https://p.example", ${basic}, headers: { X-Key: { file: key } } }`;
  const given = { GP: 'pass-hush' };
  const key = join(folder, 'key');
  await writeFile(key, 'k3y-hush\n', { mode: 0o600 });
  const { headers, secrets } = await networkOf(gateway, given);
  const login = Buffer.from('lab:pass-hush').toString('base64');
  expect(headers).toEqual({ authorization: `Basic ${login}`, 'x-key': 'k3y-hush' });
  expect(new Set(secrets)).toEqual(new Set(['pass-hush', login, 'k3y-hush']));
  const { notify } = await load(gateway, given);
  const inherited = withoutSecrets({ ...given, A: 'b' }, notify.secretVariables ?? []);
  expect(inherited).toEqual({ A: 'b' });
  const byVariables = await networkOf(PLAIN, {
    ...given,
    MINE: 'value',
    HUNDREDFOLD_SERVICES_PREDICTIONS_HEADERS_X_GATEWAY_KEY_ENV: 'MINE',
    HUNDREDFOLD_SERVICES_PREDICTIONS_BASIC_USER: 'lab',
    HUNDREDFOLD_SERVICES_PREDICTIONS_BASIC_PASSWORD_ENV: 'GP',
  });
  const two = { authorization: `Basic ${login}`, 'x-gateway-key': 'value' };
  expect(byVariables.headers).toEqual(two);
  // A value that is invalid in a header.
  await writeFile(key, 'hush\nX-Other: y', { mode: 0o600 });
  const error: unknown = await load(gateway, given).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(inspect(error)).not.toContain('hush');
});

test('a private CA is read beside the configuration; one that is missing or no certificate is refused', async () => {
  const loaded = (ca: string) => networkOf(`{ url: "https://p.example", tls: { ca: "${ca}" } }`);
  expect((await loaded(CA_FILE)).ca).toBe(CA);
  for (const name of ['gone.pem', 'hundredfold.yaml'])
    await expect(loaded(name)).rejects.toMatchObject({ code: 'CONFIG_TLS_INVALID' });
});
