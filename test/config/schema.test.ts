/** The JSON Schema of the configuration and the program accept and refuse the same. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { schemaFiles } from '../../scripts/schemas.ts';
import { loadSettings } from '../../src/config/settings.ts';
import { HundredfoldError } from '../../src/domain/errors.ts';

const schema = JSON.parse((await schemaFiles())['config.schema.json'] ?? '') as object;
const ofSchema = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);

let folder: string;
beforeAll(async () => (folder = await mkdtemp(join(tmpdir(), 'hundredfold-config-'))));
afterAll(async () => rm(folder, { recursive: true, force: true }));

const TOKENS = {
  HUNDREDFOLD_MOLECULE_TOKEN: 'abcdefghij',
  HUNDREDFOLD_PREDICTION_TOKEN: 'p-secret',
  X: '0123456789',
};

/** Whether the program accepts it as a configuration. Missing parts (a token, a file) are reported separately. */
async function takenByProgram(config: unknown): Promise<boolean> {
  const file = join(folder, 'hundredfold.yaml');
  await writeFile(file, stringify(config));
  try {
    loadSettings(file, TOKENS);
    return true;
  } catch (error) {
    if (!(error instanceof HundredfoldError)) throw error;
    return error.code !== 'CONFIG_INVALID';
  }
}

/** Mostly right: there are many keys, and a single wrong one is enough. */
const mostly = (right: fc.Arbitrary<unknown>, ...wrong: readonly unknown[]) =>
  fc.oneof(
    { weight: 20, arbitrary: right },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...wrong, null, '', 'x', 0, -1, true, [], {}, { x: 1 }),
    },
  );

const object = (keys: Readonly<Record<string, fc.Arbitrary<unknown>>>, ...needed: string[]) =>
  mostly(fc.record(keys, { requiredKeys: needed }));

const secret = mostly(
  fc.constantFrom({ env: 'X' }, { file: 'x' }),
  ...[{ env: 'X', file: 'x' }, { env: null }, 'literal'],
);
const duration = mostly(
  fc.constantFrom('60m', '1.5h', ' 10 s ', '500ms', '14d', 250, 0.5),
  ...['0s', '0.0', '1 week', '5.m'],
);
const limit = mostly(
  fc.constantFrom(1, 100, '5', ' 007 ', 10_000, '10000'),
  ...[1.5, 10_001, '1e2', '0', '-1', '1.0'],
);
const budget = mostly(fc.oneof(fc.constant('none'), fc.record({ limit, window: duration })));
const size = mostly(
  fc.constantFrom('64MB', ' 1.5 mb', '1KiB', '480MiB', '2000', 0.5, 512e6),
  ...['0MB', '5iB', '1 TB', '5.MB', 513e6],
);
const url = mostly(
  fc.constantFrom('http://127.0.0.1:8080/acpype', 'HTTPS://münchen.example'),
  ...['ftp://x', 'x.org'],
);
const text = mostly(fc.constantFrom('default', './x', 'x:7233'));
const service = {
  url,
  token: secret,
  budget,
  maxDownload: size,
  allowHttp: mostly(fc.constantFrom(true, 'true', 'false'), 'yes', 1),
  tls: object({ ca: text }),
  basic: object(
    { user: mostly(fc.constant('lab'), 'a:b', ''), password: secret },
    ...['user', 'password'],
  ),
  headers: mostly(
    fc.constantFrom({}, { 'X-Gateway-Key': { env: 'X' }, authorization: { file: 'x' } }),
    ...[{ Host: { env: 'X' } }, { 'a b': { env: 'X' } }, { 'x-key': 'literal' }],
  ),
};
const contact = mostly(
  fc.constantFrom('you@example.org', 'https://lab.example/~me'),
  ...['x'.repeat(190) + '@example.org', 'you@example.org\nX: y', 'a (b@c)', 'nobody'],
);

const config = object({
  contact,
  temporal: object({
    address: fc.constant(null),
    namespace: text,
    taskQueue: text,
    deployment: mostly(fc.constant('lab'), 'a.b'),
    apiKey: secret,
    tls: object({ ca: text, cert: text, key: text }),
  }),
  services: object({
    molecules: object({ ...service, public: mostly(fc.boolean(), 'yes', 1) }, 'url'),
    predictions: object(
      {
        ...service,
        variant: mostly(fc.constant('earlier')),
        formats: mostly(fc.constantFrom(['json'], 'json, input', []), ['csv'], 'json;input', ''),
      },
      'url',
    ),
  }),
  store: object({ url: text }, 'url'),
  embedded: object({ dir: text }, 'dir'),
  jobs: object({ deadline: duration, whenUnsure: mostly(fc.constantFrom('hold', 'resubmit')) }),
});

test('program and schema accept and refuse the same configurations', async () => {
  const seen = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(config, async (written) => {
      const taken = ofSchema(written);
      seen[taken ? 'taken' : 'refused'] += 1;
      expect({ written, taken }).toEqual({ written, taken: await takenByProgram(written) });
    }),
    { numRuns: 250 },
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(25);
});
