/** Keys and variables for proxies, gateways and unencrypted addresses. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findProxy, revealNetwork } from '../../src/config/network.ts';
import { loadSettings } from '../../src/config/settings.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'hundredfold-config-'))));
afterEach(async () => rm(folder, { recursive: true, force: true }));

const PLAIN = '{ url: "https://p.example" }';

async function load(predictions: string, environment: NodeJS.ProcessEnv = {}, top = '') {
  const file = join(folder, 'hundredfold.yaml');
  await writeFile(file, `services:\n  predictions: ${predictions}\n${top}`);
  return loadSettings(file, { HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret', ...environment });
}

async function networkOf(...given: Parameters<typeof load>) {
  const { services } = await load(...given);
  if (!services['predictions']) throw new Error('no service');
  return revealNetwork(services['predictions'].network);
}

test('a token is sent by https or within this machine only, unless it is allowed', async () => {
  const refused = {
    code: 'CONFIG_TOKEN_OVER_HTTP',
    exitCode: 2,
    message: expect.stringContaining('services.predictions.url') as string,
    remedy: expect.stringContaining('services.predictions.allowHttp: true') as string,
  };
  for (const host of ['p.example', '10.0.0.7:8080/x', '127.0.0.1.evil.example']) {
    const bare = `{ url: "http://${host}" }`;
    await expect(load(bare)).rejects.toMatchObject(refused);
    await load(`{ url: "http://${host}", allowHttp: true }`);
  }
  const here = ['127.0.0.1:8080', '[::1]:8080', 'localhost/x', 'a.localhost'];
  for (const url of [...here.map((host) => `http://${host}`), 'https://p.example'])
    await load(`{ url: "${url}" }`);
});

test('the address of a webhook is a secret', async () => {
  const environment = { HOOK: 'https://h.example/hush-hush' };
  const { notify } = await load(PLAIN, environment, 'notify: { url: { env: HOOK } }');
  expect(notify?.url.reveal()).toBe(environment.HOOK);
  expect(inspect(notify, { depth: 9 })).not.toContain('hush');
});

describe('the proxy of a service', () => {
  const proxy = (url: string, environment: NodeJS.ProcessEnv) =>
    findProxy(url, environment)?.url.reveal();

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
    const six = { HTTP_PROXY: 'http://p.example', NO_PROXY: 'fd00::12' };
    expect(proxy('http://[fd00::12]:8080', six)).toBeUndefined();
  });

  test('shows its password neither in a refusal nor in any output, and has it among the secrets', async () => {
    for (const HTTPS_PROXY of ['socks5://u:hush@h', 'http://u:100%hush@h']) {
      const asked = () => findProxy('https://x.example', { HTTPS_PROXY });
      expect(asked).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }) as Error);
      expect(asked).not.toThrow(/hush/);
    }
    const environment = { HTTPS_PROXY: 'http://lab:hush%20hush@proxy.example:3128' };
    const { services } = await load(PLAIN, environment);
    const printed = inspect(services, { depth: 9 }) + JSON.stringify(services);
    expect(printed).toContain('proxy.example:3128');
    expect(printed).not.toMatch(/hush|bGFi/);
    const login = Buffer.from('lab:hush hush').toString('base64');
    expect((await networkOf(PLAIN, environment)).secrets).toEqual(['hush hush', login]);
  });
});

test('a gateway has headers of its own; their values are secret, and a login also without its scheme', async () => {
  const login = Buffer.from('lab:pass-hush').toString('base64');
  const given = { LOGIN: `Basic ${login}` };
  const gateway = `{ url: "https://p.example", headers: { Authorization: { env: LOGIN }, X-Key: { file: key } } }`;
  const key = join(folder, 'key');
  await writeFile(key, 'k3y-hush\n', { mode: 0o600 });
  const { headers, secrets } = await networkOf(gateway, given);
  expect(headers).toEqual({ authorization: `Basic ${login}`, 'x-key': 'k3y-hush' });
  expect(new Set(secrets)).toEqual(new Set([`Basic ${login}`, login, 'k3y-hush']));
  // A value that is invalid in a header.
  await writeFile(key, 'hush\nX-Other: y', { mode: 0o600 });
  const error: unknown = await load(gateway, given).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'CONFIG_INVALID' });
  expect(inspect(error)).not.toContain('hush');
  const own = `{ url: "https://p.example", headers: { Host: { env: LOGIN } } }`;
  await expect(load(own, given)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
