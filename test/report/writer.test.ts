/** Derived files that are given up: nothing of them stays, and nothing waits for them. */
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { DerivedFiles } from '../../src/report/writer.ts';
import { openStore } from '../../src/store/open-store.ts';
import { temporaryFolder } from '../store/temporary-folder.ts';

test('a publication that fails leaves none of its files, however much of them was written', async () => {
  const store = await openStore(await temporaryFolder());
  const files = new DerivedFiles(store);
  const [long, short] = [files.open('tables/residues.csv'), files.open('items.csv')];
  await long.write('x'.repeat(200_000));
  await short.write('id\n');
  await files.abandon(new Error('the disk is full'));
  expect(await readdir(store.location, { recursive: true })).toEqual(['tables']);
});
