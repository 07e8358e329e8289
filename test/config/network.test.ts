/** Keys and variables for proxies, gateways, private CAs and unencrypted addresses. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { revealNetwork, proxyFor } from '../../src/config/network.ts';
import { loadSettings } from '../../src/config/settings.ts';
import type { Environment } from '../../src/domain/environment.ts';
import { withoutSecrets } from '../../src/config/secret-variables.ts';
import { CA, CA_FILE } from '../services/a-network.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'hundredfold-config-'))));
afterEach(async () => rm(folder, { recursive: true, force: true }));

const TOKEN = { HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret' };

async function load(predictions: string, environment: Environment = {}, top = '') {
  const file = join(folder, 'hundredfold.yaml');
  await writeFile(file, `services:\n  predictions: ${predictions}\n${top}`);
  return loadSettings(file, { ...TOKEN, ...environment });
}

async function networkOf(...given: Parameters<typeof load>) {
  const { services } = await load(...given);
  if (!services.predictions) throw new Error('no service');
  return revealNetwork(services.predictions.network);
}

describe('a token over http', () => {
  test.each(['http://p.example', 'http://10.0.0.7:8080/x', 'http://127.0.0.1.evil.example'])(
    'to %s is refused with the correct form',
    async (url) => {
      await expect(load(`{ url: "${url}" }`)).rejects.toMatchObject({
        code: 'CONFIG_TOKEN_OVER_HTTP',
        exitCode: 2,
        message: expect.stringContaining('services.predictions.url') as string,
        remedy: expect.stringMatching(
          /https:\/\/.*services\.predictions\.allowHttp: true/,
        ) as string,
      });
    },
  );

  test.each([
    'http://127.0.0.1:8080',
    'http://[::1]:8080',
    'http://localhost/x',
    'http://a.localhost',
    'https://p.example',
  ])('to %s is accepted: https, or this machine', async (url) => {
    expect((await load(`{ url: "${url}" }`)).services.predictions?.url).toBe(url);
  });

  test('is sent if the configuration or the environment allows it', async () => {
    await load('{ url: "http://p.example", allowHttp: true }');
    const allowed = { HUNDREDFOLD_SERVICES_PREDICTIONS_ALLOW_HTTP: 'true' };
    await load('{ url: "http://p.example" }', allowed);
    const refused = { HUNDREDFOLD_SERVICES_PREDICTIONS_ALLOW_HTTP: 'false' };
    await expect(load('{ url: "http://p.example", allowHttp: true }', refused)).rejects.toThrow();
  });
});

describe('the token of a webhook over http', () => {
  const notify = (keys: string, environment: Environment = {}) =>
    load(
      '{ url: "https://p.example" }',
      { HOOK_TOKEN: 'hook-hush', ...environment },
      `notify: { ${keys} }`,
    );
  const token = 'token: { env: HOOK_TOKEN }';

  test.each(['http://h.example/hook', 'http://10.0.0.7:8080/x', 'http://127.0.0.1.evil.example'])(
    'to %s is refused with the correct form',
    async (url) => {
      await expect(notify(`url: "${url}", ${token}`)).rejects.toMatchObject({
        code: 'CONFIG_TOKEN_OVER_HTTP',
        exitCode: 2,
        message: expect.stringContaining(
          'notify.url: an http address of another machine would receive the token unencrypted',
        ) as string,
        remedy: expect.stringMatching(/https .*notify\.allowHttp: true/) as string,
      });
    },
  );

  test.each(['{ env: HOOK }', '"http://h.example/hush-hush"'])(
    'is refused without showing the address: %s',
    async (url) => {
      const HOOK = 'http://h.example/hush-hush';
      const thrown = await notify(`url: ${url}, ${token}`, { HOOK }).catch(inspect);
      expect(thrown).toContain('CONFIG_TOKEN_OVER_HTTP');
      expect(thrown).not.toMatch(/hush|h\.example/);
    },
  );

  test.each([
    'http://127.0.0.1:8080/x',
    'http://[::1]:8080',
    'http://localhost',
    'https://h.example',
  ])('to %s is accepted: https, or this machine', async (url) => {
    const { notify: found } = await notify(`url: "${url}", ${token}`);
    expect(found.webhook?.url.reveal()).toBe(url);
  });

  test('is sent if the configuration or the environment allows it, and a webhook without token needs no https', async () => {
    const url = 'url: "http://h.example/hook"';
    await notify(`${url}, ${token}, allowHttp: true`);
    await notify(`${url}, ${token}`, { HUNDREDFOLD_NOTIFY_ALLOW_HTTP: 'true' });
    await notify(url);
    const refused = { HUNDREDFOLD_NOTIFY_ALLOW_HTTP: 'false' };
    await expect(notify(`${url}, ${token}, allowHttp: true`, refused)).rejects.toThrow();
  });
});

describe('the proxy of a service', () => {
  const proxy = (url: string, environment: Environment) => proxyFor(url, environment)?.url.reveal();

  test('is chosen by the scheme of the URL; lower-case variables come first, and a proxy needs no scheme', () => {
    const both = { HTTPS_PROXY: 'http://s.example:1', HTTP_PROXY: 'p.example:2' };
    expect(proxy('https://x.example', both)).toBe('http://s.example:1/');
    expect(proxy('http://x.example', both)).toBe('http://p.example:2/');
    expect(proxy('https://x.example', { ...both, https_proxy: 'https://l.example' })).toBe(
      'https://l.example/',
    );
    expect(proxy('https://x.example', { HTTP_PROXY: 'p.example' })).toBeUndefined();
    expect(proxy('https://x.example', { ...both, https_proxy: '' })).toBeUndefined();
  });

  test.each(['http://127.0.0.1:8080', 'http://localhost', 'http://[::1]'])(
    'is never used for this machine: %s',
    (url) => expect(proxy(url, { HTTP_PROXY: 'http://p.example' })).toBeUndefined(),
  );

  test.each([
    ['*', true],
    ['other.example, x.example', true],
    ['example', true],
    ['.x.example', true],
    ['*.lab.x.example', false],
    ['x.example:443', true],
    ['x.example:80', false],
    ['ax.example', false],
    ['x.example.org', false],
    [' , ', false],
    ['[::1]:443,::1', false],
  ])('is not used for https://x.example with NO_PROXY=%s: %s', (list, out) => {
    const environment = { HTTPS_PROXY: 'http://p.example', NO_PROXY: list };
    expect(proxy('https://x.example', environment) === undefined).toBe(out);
  });

  test('with an invalid address is refused without showing it', () => {
    const asked = () => proxyFor('https://x.example', { HTTPS_PROXY: 'socks5://u:hush@h' });
    expect(asked).toThrow(expect.objectContaining({ code: 'CONFIG_PROXY_INVALID' }) as Error);
    expect(asked).not.toThrow(/hush/);
  });

  test('has its password among the secrets, and not in any output', async () => {
    const environment = { HTTPS_PROXY: 'http://lab:hush%20hush@proxy.example:3128' };
    const { services } = await load('{ url: "https://p.example" }', environment);
    const printed = inspect(services, { depth: 9 }) + JSON.stringify(services);
    expect(printed).toContain('proxy.example:3128');
    expect(printed).not.toMatch(/hush|bGFi/);
    expect((await networkOf('{ url: "https://p.example" }', environment)).secrets).toEqual([
      'hush hush',
      Buffer.from('lab:hush hush').toString('base64'),
    ]);
  });
});

describe('a gateway', () => {
  const GATEWAY =
    '{ url: "https://p.example", basic: { user: lab, password: { env: GP } }, headers: { X-Key: { file: key } } }';

  test('has Basic login and headers; all of it is secret', async () => {
    await writeFile(join(folder, 'key'), 'k3y-hush\n', { mode: 0o600 });
    const { headers, secrets } = await networkOf(GATEWAY, { GP: 'pass-hush' });
    const login = Buffer.from('lab:pass-hush').toString('base64');
    expect(headers).toEqual({ authorization: `Basic ${login}`, 'x-key': 'k3y-hush' });
    expect(new Set(secrets)).toEqual(new Set(['pass-hush', login, 'k3y-hush']));
    const { notify } = await load(GATEWAY, { GP: 'pass-hush' });
    const inherited = withoutSecrets({ GP: 'pass-hush', A: 'b' }, notify.secretVariables ?? []);
    expect(inherited).toEqual({ A: 'b' });
  });

  test('is set by variables, too', async () => {
    const { headers } = await networkOf('{ url: "https://p.example" }', {
      HUNDREDFOLD_SERVICES_PREDICTIONS_HEADERS_X_GATEWAY_KEY_ENV: 'MINE',
      HUNDREDFOLD_SERVICES_PREDICTIONS_BASIC_USER: 'lab',
      HUNDREDFOLD_SERVICES_PREDICTIONS_BASIC_PASSWORD_ENV: 'GP',
      MINE: 'value',
      GP: 'pass',
    });
    expect(Object.keys(headers).sort()).toEqual(['authorization', 'x-gateway-key']);
  });

  test('with a value that is invalid in a header is refused without showing it', async () => {
    await writeFile(join(folder, 'key'), 'hush\nX-Other: y', { mode: 0o600 });
    const error = await load(GATEWAY, { GP: 'x' }).catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'CONFIG_HEADER_UNUSABLE' });
    expect(inspect(error)).not.toContain('hush');
  });
});

describe('a private CA', () => {
  test('is read beside the configuration', async () => {
    expect((await networkOf(`{ url: "https://p.example", tls: { ca: "${CA_FILE}" } }`)).ca).toBe(
      CA,
    );
  });

  test.each([
    ['gone.pem', 'cannot read'],
    ['hundredfold.yaml', 'no certificate'],
  ])('that is %s is refused: %s', async (name, words) => {
    const loading = load(`{ url: "https://p.example", tls: { ca: ${name} } }`);
    await expect(loading).rejects.toMatchObject({
      code: 'CONFIG_TLS_UNREADABLE',
      message: expect.stringContaining(words) as string,
    });
  });
});

test('the contact comes from the configuration, or its variable', async () => {
  const predictions = '{ url: "https://p.example" }';
  expect((await networkOf(predictions, {}, 'contact: you@example.org')).contact).toBe(
    'you@example.org',
  );
  const variable = { HUNDREDFOLD_CONTACT: 'https://lab.example/' };
  expect((await networkOf(predictions, variable)).contact).toBe('https://lab.example/');
});
