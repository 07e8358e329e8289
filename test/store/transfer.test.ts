/** A tree is copied from one store to another: verified, resumable, in any direction. */
import { expect, test } from 'vitest';
import { computeDigest, type Store } from '../../src/store/store.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { transfer } from '../../src/runner/pull.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { damage, temporaryStore } from './temporary-store.ts';

const GRO = 'molecules/a/a b+ü.gro';
const FILES: Readonly<Record<string, string>> = {
  'items.csv': 'id\na\n',
  'molecules/a/item.json': '{}',
  [GRO]: 'atoms',
  'sequences/p/result.json': '[]',
  '.hundredfold/campaign.json': '{"pages":0}',
};
const SUMS = Object.entries(FILES)
  .filter(([key]) => !key.startsWith('.hundredfold/'))
  .map(([key, text]) => `${computeDigest(text).sha256}  ${key}\n`);
const PUBLISHED = { ...FILES, SHA256SUMS: SUMS.join('') };
const TOTAL = Object.keys(PUBLISHED).length;

/** A published tree, and an empty folder. */
async function between(): Promise<{ from: Store; to: Store }> {
  const from = await temporaryStore();
  for (const [key, text] of Object.entries(PUBLISHED)) await from.write(key, text);
  await from.write('.hundredfold/tree.json', '{"format":1,"id":"one"}');
  await from.write('.hundredfold/lease/00000001.json', '{}');
  return { from, to: await openFileStore(await temporaryFolder()) };
}

async function expectWhole(to: Store): Promise<void> {
  expect(await Array.fromAsync(to.list(''))).toEqual(Object.keys(PUBLISHED).sort());
  for (const [key, text] of Object.entries(PUBLISHED)) expect(await to.readText(key)).toBe(text);
}

test('a transfer continues after an interruption, and replaces wrong files', async () => {
  const both = await between();
  const reason = new Error('the connection broke');
  const onFile = () => {
    throw reason;
  };
  await expect(transfer({ ...both, onFile })).rejects.toBe(reason);
  const [first = 'none'] = await Array.fromAsync(both.to.list(''));
  await damage(both.to, first, 'edited');
  const done = await transfer(both);
  expect(done.kept + done.copied).toBe(TOTAL);
  await expectWhole(both.to);
});

test('a file that differs from the published one is reported and not copied, unlike the others', async () => {
  const { from, to } = await between();
  await damage(from, GRO, 'other');
  const { faults, copied } = await transfer({ from, to });
  expect(faults).toEqual([expect.stringContaining(`${GRO} is not what was published`)]);
  expect(await to.exists(GRO)).toBe(false);
  expect(copied).toBe(TOTAL - 1);
});
