import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { inspect } from 'node:util';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { loadSettings } from '../../src/config/settings.ts';
import { addressOf } from '../../src/config/services.ts';
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

const refusal = (loading: Promise<unknown>): Promise<HundredfoldError> =>
  loading.then(
    () => {
      throw new Error('it was accepted');
    },
    (error: unknown) => error as HundredfoldError,
  );

const TOKENS = {
  HUNDREDFOLD_MOLECULE_TOKEN: 'abcdefghij',
  HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret',
};

describe('the configuration', () => {
  test('has a default for everything', async () => {
    expect(await load('')).toMatchObject({
      temporal: null,
      services: {},
      storeUrl: './results',
      embeddedDir: '.hundredfold',
      policy: { deadlineMs: 86_400_000, whenUnsure: 'hold' },
    });
  });

  test('limits the prediction service to 100 jobs an hour, and does not limit the molecule service', async () => {
    const yaml =
      'services:\n  molecules: { url: "https://m.example/acpype" }\n  predictions: { url: "https://p.example/" }';
    const { services } = await load(yaml, TOKENS);
    expect(services.molecules?.limit).toEqual({ limit: null, windowMs: 0 });
    expect(services.predictions?.limit).toEqual({ limit: 100, windowMs: 3_600_000 });
    expect(services.predictions?.reference.address).toBe('p.example');
  });

  test('computes the fingerprint of a token only when it is read: it takes 60 ms', async () => {
    const fingerprint = vi.spyOn(Secret.prototype, 'fingerprint');
    const { services } = await load(
      'services: { predictions: { url: "https://p.example" } }',
      TOKENS,
    );
    expect(fingerprint).not.toHaveBeenCalled();
    expect({ ...services.predictions?.reference }).toEqual({
      service: 'predictions',
      address: 'p.example',
      credential: new Secret('p-secret').fingerprint(),
    });
  });

  test.each([
    ['{ limit: 20, window: 10s }', { limit: 20, windowMs: 10_000 }],
    ['{ limit: 5, window: 1.5h }', { limit: 5, windowMs: 5_400_000 }],
    ['none', { limit: null, windowMs: 0 }],
  ])('reads the budget %s', async (budget, limit) => {
    const yaml = `services:\n  predictions: { url: "https://p.example", budget: ${budget} }`;
    expect((await load(yaml, TOKENS)).services.predictions?.limit).toEqual(limit);
  });

  test('is overridden by environment variables named after its keys', async () => {
    const settings = await load('services:\n  predictions: { url: "https://p.example" }', {
      ...TOKENS,
      HUNDREDFOLD_SERVICES_PREDICTIONS_URL: 'https://other.example',
      HUNDREDFOLD_SERVICES_PREDICTIONS_BUDGET_LIMIT: '300',
      HUNDREDFOLD_SERVICES_PREDICTIONS_BUDGET_WINDOW: '60m',
      HUNDREDFOLD_EMBEDDED_DIR: '/elsewhere',
    });
    expect(settings.services.predictions?.url).toBe('https://other.example');
    expect(settings.services.predictions?.limit).toEqual({
      limit: 300,
      windowMs: 3_600_000,
    });
    expect(settings.embeddedDir).toBe('/elsewhere');
  });

  test('has no limit with BUDGET=none in the environment, whatever is in the file', async () => {
    const yaml =
      'services:\n  predictions: { url: "https://p.example", budget: { limit: 5, window: 1h } }';
    const none = { ...TOKENS, HUNDREDFOLD_SERVICES_PREDICTIONS_BUDGET: 'none' };
    expect((await load(yaml, none)).services.predictions?.limit.limit).toBeNull();
  });

  test('uses a token from the variable that the environment names, whatever is in the file', async () => {
    const yaml =
      'services:\n  predictions: { url: "https://p.example", token: { file: gone.txt } }';
    const other = { HUNDREDFOLD_SERVICES_PREDICTIONS_TOKEN_ENV: 'OTHER', OTHER: 'from OTHER' };
    expect((await load(yaml, other)).services.predictions?.token.reveal()).toBe('from OTHER');
  });

  test.each([
    ['an unknown key', 'servces: {}', 'CONFIG_INVALID', 'servces'],
    [
      'a literal token',
      'services:\n  predictions: { url: "https://p.example", token: abc }',
      'CONFIG_INVALID',
      'token',
    ],
    ['an invalid duration', 'jobs: { deadline: soon }', 'CONFIG_INVALID', 'jobs.deadline'],
    [
      'a budget with only one of its keys',
      'services:\n  predictions: { url: "https://p.example", budget: { limit: 5 } }',
      'CONFIG_INVALID',
      'window: 60m',
    ],
    [
      'an object store of another kind',
      'store: { url: "gs://bucket/prefix" }',
      'CONFIG_STORE_UNSUPPORTED',
      'gs://bucket',
    ],
    [
      'a password in the address of an object store',
      'store: { url: "s3://id:pass@bucket/prefix" }',
      'CONFIG_STORE_ADDRESS',
      'a user name or a password',
    ],
    [
      'a password in the address of its server',
      'store: { url: "s3://bucket", endpoint: "http://id:pass@host:9000" }',
      'CONFIG_INVALID',
      'store.endpoint',
    ],
    [
      'a missing certificate',
      'temporal: { address: "t.example:7233", tls: { ca: ca.pem } }',
      'CONFIG_TLS_UNREADABLE',
      'ca.pem',
    ],
    ['broken YAML', 'services: [', 'CONFIG_NOT_YAML', 'hundredfold.yaml'],
    [
      'a token variable that is not set',
      'services:\n  predictions: { url: "https://p.example" }',
      'CONFIG_SECRET_MISSING',
      'Set it (export HUNDREDFOLD_PREDICTION_TOKEN=…), name another source under services.predictions.token, or remove services.predictions if no row needs it.',
    ],
  ])('refuses %s, with the place', async (_, yaml, code, named) => {
    const error = await refusal(load(yaml));
    expect(error).toMatchObject({ code, exitCode: 2 });
    expect(error.message + error.remedy).toContain(named);
  });

  test('lists services without a token, with address and limits, if tokens are optional', async () => {
    const yaml = `services:
  molecules: { url: "https://m.example/acpype", token: { file: gone } }
  predictions: { url: "https://p.example", budget: { limit: 7, window: 1h } }`;
    const file = join(folder, 'hundredfold.yaml');
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

  test('refuses a molecule token that is not 10 characters long, without showing it', async () => {
    const environment = { HUNDREDFOLD_MOLECULE_TOKEN: 'much-too-long-secret' };
    const error = await refusal(
      load('services:\n  molecules: { url: "https://m.example" }', environment),
    );
    expect(error.code).toBe('CONFIG_MOLECULE_TOKEN');
    expect(error.message + error.remedy).not.toContain('much-too-long');
  });

  test('treats a key with nothing below it as missing', async () => {
    expect((await load('temporal:\n  # address: host:7233\nservices:\n')).temporal).toBeNull();
  });

  test('reads a token from a file beside it', async () => {
    await writeFile(join(folder, 'token'), 'from-a-file\n');
    const yaml = 'services:\n  predictions: { url: "https://p.example", token: { file: token } }';
    expect((await load(yaml)).services.predictions?.token.reveal()).toBe('from-a-file');
  });
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

  test('is not shown by anything that prints', () => {
    const secret = new Secret('hush-hush');
    const printed = [
      secret.toString(),
      JSON.stringify({ secret }),
      inspect({ secret }),
      String(secret),
    ];
    expect(printed.join()).not.toContain('hush');
  });

  test('has the same fingerprint everywhere, different from similar ones', () => {
    expect(new Secret('a').fingerprint()).toBe(new Secret('a').fingerprint());
    expect(new Secret('a').fingerprint()).not.toBe(new Secret('b').fingerprint());
    expect(new Secret('a').fingerprint()).toMatch(/^[0-9a-f]{8}$/);
  });
});

test.each([
  ['https://bio.example/', 'bio.example'],
  ['https://bio.example:8443/acpype/', 'bio.example:8443/acpype'],
])('the address of %s is %s', (url, address) => {
  expect(addressOf(url)).toBe(address);
});
