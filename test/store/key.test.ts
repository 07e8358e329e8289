import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openFileStore } from '../../src/store/filesystem.ts';
import { keyFault } from '../../src/store/key.ts';
import { expectCode } from './store-expectations.ts';
import { temporaryFolder } from './temporary-folder.ts';

const HOSTILE = [
  '',
  '/etc/passwd',
  '../outside',
  'molecules/../../outside',
  'molecules/..',
  './items.csv',
  'molecules//x',
  'molecules/',
  'C:\\x',
  'molecules\\..\\x',
  'a\u0000b',
  'a\nb',
  'a\u007fb',
  'a\u0085b',
  '\ud800',
  '.tmp-1',
  'molecules/.tmp-x/y',
  'x'.repeat(256),
  'å'.repeat(128),
  `${'x'.repeat(200)}/`.repeat(6),
];

describe('a hostile key', () => {
  test.each(HOSTILE.map((key) => [JSON.stringify(key).slice(0, 40), key]))(
    '%s is refused by every operation',
    async (_, key) => {
      const folder = await temporaryFolder();
      const store = await openFileStore(join(folder, 'campaign'));
      const error = await expectCode(store.write(key, 'x'), 'STORE_BAD_KEY');
      expect(error.retryable).toBe(false);
      await expectCode(store.read(key), 'STORE_BAD_KEY');
      await expectCode(store.exists(key), 'STORE_BAD_KEY');
      await expectCode(store.remove(key), 'STORE_BAD_KEY');
      expect(await readdir(folder, { recursive: true })).toEqual(['campaign']);
    },
  );
});

test('names that chemists and services use are valid keys', () => {
  for (const key of [
    'molecules/(S)-nicotine/X_GMX.itp',
    'molecules/a/2-(4-Isobutylphenyl)propansäure_GMX.top',
    '.hundredfold/items-00000.json',
    'sequences/a b/result.csv',
    'SHA256SUMS',
  ]) {
    expect(keyFault(key), key).toBeNull();
  }
});

test('no key creates a file outside the folder', async () => {
  const folder = await temporaryFolder();
  const store = await openFileStore(join(folder, 'campaign'));
  const part = fc.oneof(fc.constantFrom('..', '.', '', '/', '\\', 'a', '~', '\0'), fc.string());
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
      // What is refused or blocked throws; what is accepted must be inside.
      const key = parts.join('/');
      const written = await store.write(key, 'x', { durable: false }).then(
        () => true,
        () => false,
      );
      if (written) expect(await store.readText(key)).toBe('x');
      expect(await readdir(folder)).toEqual(['campaign']);
    }),
    { numRuns: 300 },
  );
});
