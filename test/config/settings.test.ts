/** hundredfold.yaml, its secrets, and the variables in its values. Settings by case: test/goldens/settings.txt. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { Secret } from '../../src/config/secret.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'hundredfold-config-'))));
afterEach(async () => rm(folder, { recursive: true, force: true }));

async function load(yaml: string, environment: NodeJS.ProcessEnv = {}, tokens?: 'optional') {
  const file = join(folder, 'hundredfold.yaml');
  await writeFile(file, yaml);
  return loadSettings(file, environment, tokens && { tokens });
}

const predictions = (keys: string) =>
  `services:\n  predictions: { url: "https://p.example:8443/x/", ${keys} }`;

test.each([
  ['store: { url: !secret results }', /Unresolved tag: !secret at line 1/],
  ['store:\n\turl: results', /Tabs are not allowed as indentation at line 2/],
  ['store: { url: {{ results }} }', /store\.url: /],
])('of %j the fault is told, and Node prints no warning', async (yaml, said) => {
  const warn = vi.spyOn(process, 'emitWarning');
  await expect(load(yaml)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(said) as string,
  });
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});

test('a token may be in a file beside it; the folder of the embedded server has a variable', async () => {
  const token = join(folder, 'token');
  await writeFile(token, 'from-a-file\n', { mode: 0o644 });
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const byFile = await load(predictions('token: { file: token }'));
  expect(byFile.services['predictions']?.secrets['token']?.reveal()).toBe('from-a-file');
  expect(stderr.mock.lastCall?.[0], 'others can read it').toContain(`chmod 600 '${token}'`);
  stderr.mockRestore();
  const { embeddedDir } = await load('embedded: { dir: here }', {
    HUNDREDFOLD_EMBEDDED_DIR: '/elsewhere',
  });
  expect(embeddedDir).toBe('/elsewhere');
});

test.each([
  [
    '{ name: a, url: "https://p.example:8443/x", maxOpen: 1 }',
    'is the address of the service itself',
  ],
  [
    '{ name: a, url: "https://b", maxOpen: 1 }, { name: b, url: "https://b/", maxOpen: 1 }',
    'is the address of the lane a',
  ],
  [
    '{ name: a, url: "http://127.0.0.1:8080", maxOpen: 1 }, { name: b, url: "http://localhost:8080", maxOpen: 1 }',
    'is the address of the lane a',
  ],
  [
    '{ name: a, url: "https://a", maxOpen: 1 }, { name: a, url: "https://b", maxOpen: 1 }',
    'the name a is used already',
  ],
  ['{ name: engines, url: "https://a", maxOpen: 1 }', 'the name engines is used already'],
  ['{ name: service, url: "https://a", maxOpen: 1 }', 'the name service is used already'],
  ['{ name: a, url: "http://big:8080", maxOpen: 1 }', 'would receive the inputs unencrypted'],
])('refuses the lanes %s', async (lanes, words) => {
  const environment = { HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret' };
  await expect(load(predictions(`lanes: [${lanes}]`), environment)).rejects.toThrow(words);
});

test('a lane gets no secret of the service, and plain http where it is allowed', async () => {
  const lane = '{ name: big, url: "http://big:8080", maxOpen: 2, allowHttp: true }';
  const environment = { HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret' };
  const { lanes } = await load(predictions(`lanes: [${lane}]`), environment);
  expect(lanes.map(({ secrets }) => secrets['token']?.reveal())).toEqual(['local-user']);
});

test('lists services without a token, with address and limits, if tokens are optional', async () => {
  const yaml = `${predictions('budget: { limit: 7, window: 1h }')}
  molecules: { url: "https://m.example/acpype", token: { file: gone } }`;
  const environment = { HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret' };
  const { services, unready } = await load(yaml, environment, 'optional');
  expect(Object.keys(services)).toEqual(['predictions']);
  expect(unready).toMatchObject([
    {
      url: 'https://m.example/acpype',
      reference: { service: 'molecules', address: 'm.example/acpype' },
      policy: { windows: [] },
      reason: { code: 'CONFIG_SECRET_MISSING' },
    },
  ]);
  const none = await load(yaml, {}, 'optional');
  expect(none.unready.map(({ policy }) => policy.windows[0]?.limit)).toEqual([undefined, 7]);
});

test('a secret is not shown by anything that prints, and has the same fingerprint everywhere', () => {
  const secret = new Secret('hush-hush');
  const printed = [String(secret), JSON.stringify({ secret }), inspect({ secret })];
  expect(printed.join()).not.toContain('hush');
  expect(secret.fingerprint()).toBe(new Secret('hush-hush').fingerprint());
  expect(secret.fingerprint()).not.toBe(new Secret('hush-hust').fingerprint());
  expect(secret.fingerprint()).toMatch(/^[0-9a-f]{8}$/);
});

test('a reference to a variable in a value is taken from the environment; what is not set is named', async () => {
  const keys = 'budget: { limit: "${LIMIT}", window: "${SPAN:-60m}" }, allowHttp: "${PLAIN}"';
  const yaml = `${predictions(keys)}\nstore: { url: "\${HOME}/$$\{x}/\${HOUSE:-there}" }`;
  const environment = {
    LIMIT: '20',
    PLAIN: 'true',
    HOME: '/srv/me',
    HUNDREDFOLD_PREDICTION_TOKEN: 'p',
  };
  const { services, storeUrl } = await load(yaml, environment);
  expect(services['predictions']?.policy.windows).toEqual([{ limit: 20, windowMs: 3_600_000 }]);
  expect(storeUrl).toBe('/srv/me/${x}/there');
  await expect(load(yaml, { ...environment, LIMIT: '' })).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringMatching(/^services\.predictions\.budget\.limit: .* LIMIT /) as string,
  });
});
