/** What a store in a folder does beyond what every store does: disks, links, and files of other programs. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openFileStore } from '../../src/store/file-store.ts';
import { expectCode } from './store-expectations.ts';
import { temporaryFolder } from './temporary-folder.ts';

const KEY = 'molecules/aspirin/record.json';

async function aStore(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const store = await openFileStore(await temporaryFolder());
  for (const [key, data] of Object.entries(files)) await store.write(key, data);
  return store;
}

async function everyName(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe('writing', () => {
  test('a file that would leave less than the minimum free space is refused before its first byte', async () => {
    const store = await aStore();
    let asked = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      asked = true;
      yield await Promise.resolve(Buffer.from('x'));
    }
    const options = { expectedBytes: 1e18, keepFree: 32_000_000 };
    const error = await expectCode(store.write(KEY, body(), options), 'STORE_FULL');
    expect(error.message).toMatch(/the disk has .* left; 1000000 TB are needed/);
    expect(error.retryable).toBe(true);
    expect(asked).toBe(false);
    expect(await everyName(store.location)).toEqual([]);
  });

  test('a file is on the disk before it has its name, and its folder afterwards', async () => {
    const store = await aStore();
    const file = await open(store.location, 'r');
    const sync = vi.spyOn(Object.getPrototypeOf(file) as typeof file, 'sync');
    onTestFinished(() => sync.mockRestore());
    await file.close();
    const isThere: boolean[] = [];
    sync.mockImplementation(async () => {
      isThere.push(existsSync(join(store.location, KEY)));
      await Promise.resolve();
    });
    await store.write(KEY, 'whole');
    expect([isThere[0], isThere.at(-1)]).toEqual([false, true]);
  });

  test('the folder of an item is created again if it was just removed', async () => {
    const store = await aStore({ [KEY]: 'first' });
    await rm(join(store.location, 'molecules'), { recursive: true });
    expect(await store.readText(KEY)).toBeNull();
    await store.write(KEY, 'second');
    expect(await store.readText(KEY)).toBe('second');
  });

  test('leftovers of a crash are not listed, are reported, and are removed by a sweep', async () => {
    const store = await aStore({ [KEY]: 'whole' });
    await writeFile(join(store.location, 'molecules/aspirin/.tmp-4711'), 'ha');
    expect(await Array.fromAsync(store.list(''))).toEqual([KEY]);
    expect(await Array.fromAsync(store.leftovers())).toEqual(['molecules/aspirin/.tmp-4711']);
    await store.sweep();
    expect(await everyName(store.location)).toEqual(['record.json']);
  });

  test('a folder in place of a file is reported, and not overwritten', async () => {
    const store = await aStore({ 'molecules/a/x': 'x' });
    await expectCode(store.write('molecules/a', 'y'), 'STORE_BAD_KEY');
    await expectCode(store.write('molecules/a/x/z', 'y'), 'STORE_BAD_KEY');
    expect(await Array.fromAsync(store.list(''))).toEqual(['molecules/a/x']);
    await expectCode(openFileStore(join(store.location, 'molecules/a/x')), 'STORE_BAD_KEY');
    await expectCode(openFileStore(join(store.location, 'molecules/a/x/y')), 'STORE_BAD_KEY');
  });
});

describe('reading', () => {
  test.each(['missing', 'folder', 'folder/missing', 'file/below', 'pipe', 'socket'])(
    '%s: nothing to read',
    async (key) => {
      const store = await aStore({ file: 'a' });
      await mkdir(join(store.location, 'folder'));
      execFileSync('mkfifo', [join(store.location, 'pipe')]);
      const server = createServer().listen(join(store.location, 'socket'));
      onTestFinished(() => void server.close());
      const read = [await store.read(key), await store.readText(key), await store.digest(key)];
      expect(read).toEqual([null, null, null]);
      expect(await store.exists(key)).toBe(false);
    },
  );
});

describe('links', () => {
  test('no link below the folder is followed to write, read, list or remove', async () => {
    const folder = await temporaryFolder();
    const outside = join(folder, 'outside');
    await mkdir(join(outside, 'aspirin'), { recursive: true });
    await writeFile(join(outside, 'secret'), 'secret');
    const store = await openFileStore(join(folder, 'campaign'));
    await symlink(outside, join(store.location, 'molecules'));
    await symlink(join(outside, 'secret'), join(store.location, 'items.csv'));

    for (const key of [KEY, 'molecules/new/input.pdb'])
      await expectCode(store.write(key, 'x'), 'STORE_BAD_KEY');
    for (const key of ['molecules/secret', 'items.csv']) {
      await expectCode(store.read(key), 'STORE_BAD_KEY');
      await expectCode(store.readText(key), 'STORE_BAD_KEY');
      await expectCode(store.digest(key), 'STORE_BAD_KEY');
    }
    await expectCode(store.remove('items.csv'), 'STORE_BAD_KEY');
    await expectCode(Array.fromAsync(store.list('molecules/')), 'STORE_BAD_KEY');
    expect(await Array.fromAsync(store.list(''))).toEqual([]);

    await store.write('items.csv', 'id\n');
    expect(await store.readText('items.csv')).toBe('id\n');
    expect((await everyName(outside)).sort()).toEqual(['secret']);
    expect(await readdir(outside)).toEqual(['aspirin', 'secret']);
  });

  test.each(['molecules/aspirin', 'molecules'])(
    'nothing is written through %s if it was a folder just before',
    async (replaced) => {
      const outside = await temporaryFolder();
      await mkdir(join(outside, 'aspirin'));
      const store = await aStore({ [KEY]: 'first' });
      await rename(join(store.location, replaced), join(store.location, 'aside'));
      await symlink(outside, join(store.location, replaced));
      await expectCode(store.write(KEY, 'second'), 'STORE_BAD_KEY');
      await expectCode(store.create('molecules/aspirin/note.json', 'note'), 'STORE_BAD_KEY');
      await expectCode(store.readText(KEY), 'STORE_BAD_KEY');
    },
  );
});
