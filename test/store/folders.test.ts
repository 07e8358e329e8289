/** The folders of a tree may be removed, or replaced by links, while it is open. */
import { mkdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openFileStore } from '../../src/store/filesystem.ts';
import { expectCode } from './store-expectations.ts';
import { temporaryFolder } from './temporary-folder.ts';

const KEY = 'sequences/seq-1/result.json';
const again = (folder: string) => openFileStore(folder, { create: false });

async function tree(name = 'tree'): Promise<string> {
  const folder = join(await temporaryFolder(), name);
  await openFileStore(folder);
  await again(folder);
  return folder;
}

describe('the folder of an item', () => {
  test('is created again if it was just removed', async () => {
    const store = await again(await tree());
    await store.write(KEY, 'first');
    await rm(join(store.location, 'sequences'), { recursive: true });
    expect(await store.readText(KEY)).toBeNull();
    await store.write(KEY, 'second');
    expect(await readFile(join(store.location, KEY), 'utf8')).toBe('second');
  });

  test('is not written through a link, even if it was a folder just before', async () => {
    const folder = await tree();
    const outside = await temporaryFolder();
    const store = await again(folder);
    await store.write(KEY, 'first');
    await rename(join(folder, 'sequences/seq-1'), join(folder, 'aside'));
    await symlink(outside, join(folder, 'sequences/seq-1'));
    await expectCode(store.write(KEY, 'second'), 'STORE_BAD_KEY');
    await expectCode(store.create('sequences/seq-1/note.json', 'note'), 'STORE_BAD_KEY');
  });

  test('is neither written nor read below a link', async () => {
    const folder = await tree();
    const outside = await temporaryFolder();
    await mkdir(join(outside, 'seq-1'));
    const store = await again(folder);
    await store.write(KEY, 'first');
    await rename(join(folder, 'sequences'), join(folder, 'aside'));
    await symlink(outside, join(folder, 'sequences'));
    await expectCode(store.write(KEY, 'second'), 'STORE_BAD_KEY');
    await expectCode(store.readText(KEY), 'STORE_BAD_KEY');
  });
});
