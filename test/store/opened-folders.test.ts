/** A worker opens its tree for every step of an item: changes since the last time are seen each time. */
import { mkdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { openFileStore } from '../../src/store/filesystem.ts';
import { syncFolder } from '../../src/store/folder-sync.ts';
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

describe('a tree that was opened before', () => {
  test('is reported missing once its folder is removed, and found when the folder is restored', async () => {
    const folder = await tree();
    await rename(folder, `${folder}-away`);
    await expectCode(again(folder), 'TREE_NOT_HERE');
    await rename(`${folder}-away`, folder);
    expect((await again(folder)).location).toBe(folder);
  });

  test('is refused once a file is in its place', async () => {
    const folder = await tree();
    await rm(folder, { recursive: true });
    await writeFile(folder, 'a file');
    await expectCode(again(folder), 'STORE_BAD_KEY');
  });

  test('is found behind a link, also after the link changes', async () => {
    const parent = await temporaryFolder();
    const link = join(parent, 'link');
    for (const disk of ['first', 'second']) await mkdir(join(parent, disk));
    await symlink(join(parent, 'first'), link);
    expect((await again(link)).location).toBe(join(parent, 'first'));
    expect((await again(link)).location).toBe(join(parent, 'first'));
    await unlink(link);
    await symlink(join(parent, 'second'), link);
    expect((await again(link)).location).toBe(join(parent, 'second'));
  });
});

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

  test('is not written below a link that has existed for longer than a second', async () => {
    const folder = await tree();
    const outside = await temporaryFolder();
    await mkdir(join(outside, 'seq-1'));
    const store = await again(folder);
    await store.write(KEY, 'first');
    await rename(join(folder, 'sequences'), join(folder, 'aside'));
    await symlink(outside, join(folder, 'sequences'));
    await delay(1_100);
    await expectCode(store.write(KEY, 'second'), 'STORE_BAD_KEY');
    await expectCode(store.readText(KEY), 'STORE_BAD_KEY');
  });
});

describe('flushing a folder to disk', () => {
  test('is done once for all callers that arrive in the meantime, after the flush in progress', async () => {
    const folder = await temporaryFolder();
    const first = syncFolder(folder);
    const second = syncFolder(folder);
    expect(second).not.toBe(first);
    expect(syncFolder(folder)).toBe(second);
    await first;
    await second;
    const third = syncFolder(folder);
    expect(third).not.toBe(second);
    await third;
  });

  test('fails for all callers, and can be repeated', async () => {
    const folder = join(await temporaryFolder(), 'none');
    const asked = [syncFolder(folder), syncFolder(folder), syncFolder(folder)];
    const ends = await Promise.allSettled(asked);
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await mkdir(folder);
    await syncFolder(folder);
  });
});
