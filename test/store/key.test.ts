/** Keys, and names from a service that become a part of one. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openFileStore } from '../../src/store/file-store.ts';
import { nameArtefactFile, buildItemKey, findKeyFault } from '../../src/store/layout.ts';
import { StoreError } from '../../src/store/store.ts';
import { expectCode } from './store-expectations.ts';
import { temporaryFolder } from './temporary-folder.ts';

const HOSTILE = [
  ...['', '/etc/passwd', '../outside', 'molecules/../../outside', 'molecules/..', './items.csv'],
  ...['molecules//x', 'molecules/', 'C:\\x', 'molecules\\..\\x', 'a\u0000b', 'a\nb', 'a\u007fb'],
  ...['a\u0085b', '\ud800', '.tmp-1', 'molecules/.tmp-x/y', 'x'.repeat(256), 'å'.repeat(128)],
  `${'x'.repeat(200)}/`.repeat(6),
];

test('a hostile key is refused by every operation', async () => {
  const folder = await temporaryFolder();
  const store = await openFileStore(join(folder, 'campaign'));
  for (const key of HOSTILE) {
    const error = await expectCode(store.write(key, 'x'), 'STORE_BAD_KEY');
    expect(error.retryable).toBe(false);
    await expectCode(store.read(key), 'STORE_BAD_KEY');
    await expectCode(store.exists(key), 'STORE_BAD_KEY');
    await expectCode(store.remove(key), 'STORE_BAD_KEY');
  }
  expect(await readdir(folder, { recursive: true })).toEqual(['campaign']);
});

test.each([
  'molecules/(S)-nicotine/X_GMX.itp',
  'molecules/a/2-(4-Isobutylphenyl)propansäure_GMX.top',
  '.hundredfold/items-00000.json',
  'sequences/a b/result.csv',
])('the name %s, as chemists and services use it, is a valid key', (key) => {
  expect(findKeyFault(key)).toBeNull();
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

test.each([
  ...['..', '.hidden', 'a/b', '', 'a'.repeat(65)].map((id) => [id, 'x']),
  ...['../../items.csv', 'sub/X_GMX.top', '..', '', 'X\u0000.top'].map((file) => ['aspirin', file]),
  ['//etc', 'passwd'],
])('the id %j with the file %j, as a service could send it, is refused', (id = '', file = '') => {
  expect(() => buildItemKey('molecule', id, file)).toThrow(StoreError);
});

test.each([
  ['record', 'text/html', 'record.json'],
  ['result', null, 'result.json'],
  ['csv', 'text/csv', 'result.csv'],
  ['metadata', 'application/json; charset=utf-8', 'metadata.json'],
  ['metadata', 'text/csv', 'metadata.csv'],
  ['metadata', null, 'metadata.csv'],
  ['distributions', 'application/problem+json', 'distributions.json'],
] as const)('the artefact %s sent as %s is stored as %s', (artefact, contentType, name) => {
  const kind = artefact === 'record' ? 'molecule' : 'alignment';
  expect(nameArtefactFile(kind, artefact, contentType)).toBe(name);
});
