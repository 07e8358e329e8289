/** A tree is copied from one store to another: verified, resumable, in any direction. */
import { describe, expect, test } from 'vitest';
import { transfer } from '../../src/store/transfer.ts';
import type { Store } from '../../src/store/store.ts';
import { digestOf } from '../../src/store/digest.ts';
import { openFileStore } from '../../src/store/filesystem.ts';
import { temporaryFolder } from './temporary-folder.ts';
import { collected } from './store-expectations.ts';
import { damage, temporaryStore } from './temporary-store.ts';

const FILES: Readonly<Record<string, string>> = {
  'items.csv': 'id\na\n',
  'molecules/a/item.json': '{}',
  'molecules/a/a b+ü.gro': 'atoms',
  'sequences/p/result.json': '[]',
  '.hundredfold/campaign.json': '{"pages":0}',
};

async function aTree(): Promise<Store> {
  const store = await temporaryStore();
  for (const [key, text] of Object.entries(FILES)) await store.write(key, text);
  await store.write('.hundredfold/tree.json', '{"format":1,"id":"one"}');
  await store.write('.hundredfold/lease/00000001.json', '{}');
  return store;
}

async function published(): Promise<Store> {
  const store = await aTree();
  const lines = Object.entries(FILES)
    .filter(([key]) => !key.startsWith('.hundredfold/'))
    .map(([key, text]) => `${digestOf(text).sha256}  ${key}\n`);
  await store.write('SHA256SUMS', lines.join(''));
  return store;
}

const folder = async (): Promise<Store> => openFileStore(await temporaryFolder());
const total = Object.keys(FILES).length;

describe('a transfer', () => {
  test('copies all files except the lease and the identity; a second one has nothing to do', async () => {
    const from = await published();
    const to = await folder();
    expect(await transfer({ from, to })).toMatchObject({ copied: total + 1, kept: 0, faults: [] });
    expect(await collected(to.list(''))).toEqual([...Object.keys(FILES), 'SHA256SUMS'].sort());
    for (const [key, text] of Object.entries(FILES)) expect(await to.readText(key)).toBe(text);
    expect(await transfer({ from, to })).toMatchObject({ copied: 0, kept: total + 1, bytes: 0 });
  });

  test('copies the selected files', async () => {
    const to = await folder();
    const wanted = (key: string) => key.startsWith('molecules/');
    expect(await transfer({ from: await aTree(), to, wanted })).toMatchObject({ copied: 2 });
  });

  test('continues after an interruption, and replaces wrong files', async () => {
    const from = await published();
    const to = await folder();
    const abort = new AbortController();
    const reason = new Error('Ctrl-C');
    const onFile = () => abort.abort(reason);
    await expect(transfer({ from, to, onFile, signal: abort.signal })).rejects.toBe(reason);
    const there = await collected(to.list(''));
    expect(there.length).toBeGreaterThan(0);
    await damage(to, there[0] ?? '', 'edited');
    const done = await transfer({ from, to });
    expect(done.kept + done.copied).toBe(total + 1);
    for (const [key, text] of Object.entries(FILES)) expect(await to.readText(key)).toBe(text);
  });

  test('does not copy a file that differs from the published one, reports it, and copies the others', async () => {
    const from = await published();
    await damage(from, 'molecules/a/a b+ü.gro', 'other');
    const to = await folder();
    const done = await transfer({ from, to });
    expect(done.faults).toEqual([
      expect.stringContaining('molecules/a/a b+ü.gro is not what was published'),
    ]);
    expect(await to.exists('molecules/a/a b+ü.gro')).toBe(false);
    expect(done.copied).toBe(total);
  });
});
