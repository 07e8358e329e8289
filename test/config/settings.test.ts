/** hundredfold.yaml, and the environment variables named after its keys. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { Secret } from '../../src/config/secret.ts';
import type { Environment } from '../../src/domain/environment.ts';
import type { HundredfoldError } from '../../src/domain/errors.ts';

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'hundredfold-config-'))));
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true, force: true });
});

async function load(yaml: string, environment: Environment = {}) {
  const file = join(folder, 'hundredfold.yaml');
  await writeFile(file, yaml);
  return loadSettings(file, environment);
}

const TOKENS = {
  HUNDREDFOLD_MOLECULE_TOKEN: 'abcdefghij',
  HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret',
};
const predictions = (keys: string) =>
  `services:\n  predictions: { url: "https://p.example:8443/x/", ${keys} }`;

test('has a default for everything, also for a key with nothing below it', async () => {
  for (const yaml of ['', 'temporal:\n  # address: host:7233\nservices:\n'])
    expect(await load(yaml)).toMatchObject({
      temporal: null,
      services: {},
      storeUrl: './results',
      embeddedDir: '.hundredfold',
      policy: { deadlineMs: 86_400_000, whenUnsure: 'hold' },
    });
});

test('limits the prediction service to 100 jobs an hour, and does not limit the molecule service', async () => {
  const { services } = await load(
    `${predictions('')}\n  molecules: { url: "https://m.example/acpype" }`,
    TOKENS,
  );
  expect(services.molecules?.limit).toEqual({ limit: null, windowMs: 0 });
  expect(services.predictions?.limit).toEqual({ limit: 100, windowMs: 3_600_000 });
  expect(services.predictions?.reference.address).toBe('p.example:8443/x');
});

test('computes the fingerprint of a token only when it is read: it takes 60 ms', async () => {
  const fingerprint = vi.spyOn(Secret.prototype, 'fingerprint');
  const { services } = await load(predictions(''), TOKENS);
  expect(fingerprint).not.toHaveBeenCalled();
  const credential = new Secret('p-secret').fingerprint();
  expect(services.predictions?.reference.credential).toBe(credential);
});

const WINDOW = 'HUNDREDFOLD_SERVICES_PREDICTIONS_BUDGET_WINDOW';
const LIMIT = 'HUNDREDFOLD_SERVICES_PREDICTIONS_BUDGET_LIMIT';
test.each<[string, Environment, object]>([
  ['budget: { limit: 20, window: 10s }', {}, { limit: 20, windowMs: 10_000 }],
  ['budget: { limit: 5, window: 1.5h }', {}, { limit: 5, windowMs: 5_400_000 }],
  ['budget: none', {}, { limit: null, windowMs: 0 }],
  ['', { [LIMIT]: '300', [WINDOW]: '60m' }, { limit: 300, windowMs: 3_600_000 }],
  [
    'budget: { limit: 5, window: 1h }',
    { HUNDREDFOLD_SERVICES_PREDICTIONS_BUDGET: 'none' },
    { limit: null, windowMs: 0 },
  ],
])('reads the budget %s with the variables %j', async (keys, environment, limit) => {
  const { services } = await load(predictions(keys), { ...TOKENS, ...environment });
  expect(services.predictions?.limit).toEqual(limit);
});

test('is overridden by environment variables named after its keys', async () => {
  const settings = await load(predictions('token: { file: gone.txt }'), {
    HUNDREDFOLD_SERVICES_PREDICTIONS_URL: 'https://other.example',
    HUNDREDFOLD_SERVICES_PREDICTIONS_TOKEN_ENV: 'OTHER',
    HUNDREDFOLD_EMBEDDED_DIR: '/elsewhere',
    OTHER: 'from OTHER',
  });
  expect(settings.services.predictions?.url).toBe('https://other.example');
  expect(settings.services.predictions?.token.reveal()).toBe('from OTHER');
  expect(settings.embeddedDir).toBe('/elsewhere');
});

test.each([
  ['an invalid duration', 'jobs: { deadline: soon }', 'CONFIG_INVALID', 'jobs.deadline'],
  ['half a budget', predictions('budget: { limit: 5 }'), 'CONFIG_INVALID', 'window: 60m'],
  [
    'an object store of another kind',
    'store: { url: "gs://bucket/prefix" }',
    'CONFIG_STORE_UNSUPPORTED',
    'gs://bucket',
  ],
  [
    'a password in the address of an object store',
    'store: { url: "s3://id:hush@bucket/prefix" }',
    'CONFIG_STORE_ADDRESS',
    'a user name or a password',
  ],
  [
    'a password in the address of its server',
    'store: { url: "s3://bucket", endpoint: "http://id:hush@host:9000" }',
    'CONFIG_INVALID',
    'store.endpoint',
  ],
  [
    'a missing certificate',
    'temporal: { address: "t.example:7233", tls: { ca: ca.pem } }',
    'CONFIG_TLS_UNREADABLE',
    'ca.pem',
  ],
])('refuses %s, with the place, and without a secret', async (_, yaml, code, place) => {
  const error = await load(yaml).then(
    () => null,
    (thrown: unknown) => thrown as HundredfoldError,
  );
  expect(error).toMatchObject({ code, exitCode: 2 });
  expect(`${error?.message} ${error?.remedy}`).toContain(place);
  expect(inspect(error)).not.toContain('hush');
});

test('lists services without a token, with address and limits, if tokens are optional', async () => {
  const file = join(folder, 'hundredfold.yaml');
  const yaml = `${predictions('budget: { limit: 7, window: 1h }')}
  molecules: { url: "https://m.example/acpype", token: { file: gone } }`;
  await writeFile(file, yaml);
  const environment = { HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret' };
  const { services, unready } = loadSettings(file, environment, { tokens: 'optional' });
  expect(Object.keys(services)).toEqual(['predictions']);
  expect(unready).toMatchObject([
    {
      url: 'https://m.example/acpype',
      reference: { service: 'molecules', address: 'm.example/acpype' },
      limit: { limit: null },
      reason: { code: 'CONFIG_SECRET_MISSING' },
    },
  ]);
  const none = loadSettings(file, {}, { tokens: 'optional' });
  expect(none.unready.map(({ limit }) => limit.limit)).toEqual([null, 7]);
});

test('reads a token from a file beside it', async () => {
  await writeFile(join(folder, 'token'), 'from-a-file\n');
  const { services } = await load(predictions('token: { file: token }'));
  expect(services.predictions?.token.reveal()).toBe('from-a-file');
});

describe('a secret', () => {
  test('is listed with its variable, so that programs that we start do not inherit it', async () => {
    const yaml = `temporal: { address: "t.example:7233", apiKey: { env: CLOUD } }
services:
  molecules: { url: "https://m.example/acpype", token: { env: MINE } }
notify: { url: { env: HOOK } }`;
    const environment = { CLOUD: 'c', MINE: 'abcdefghij', HOOK: 'https://h.example/x' };
    const { notify } = await load(yaml, environment);
    expect(notify.secretVariables).toEqual(['CLOUD', 'MINE', 'HOOK']);
  });

  test('is not shown by anything that prints, and has the same fingerprint everywhere', () => {
    const secret = new Secret('hush-hush');
    const printed = [String(secret), JSON.stringify({ secret }), inspect({ secret })];
    expect(printed.join()).not.toContain('hush');
    expect(secret.fingerprint()).toBe(new Secret('hush-hush').fingerprint());
    expect(secret.fingerprint()).not.toBe(new Secret('hush-hust').fingerprint());
    expect(secret.fingerprint()).toMatch(/^[0-9a-f]{8}$/);
  });
});
