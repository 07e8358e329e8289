import { existsSync } from 'node:fs';
import { mkdir, open, readdir, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openFileStore } from '../../src/store/filesystem.ts';
import { collected, expectCode, pieces } from './store-expectations.ts';
import { temporaryFolder } from './temporary-folder.ts';

const KEY = 'molecules/aspirin/record.json';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function everyName(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

describe('writing', () => {
  test('a file that would leave less than the minimum free space is refused before its first byte', async () => {
    const store = await openFileStore(await temporaryFolder());
    let asked = false;
    async function* body(): AsyncGenerator<Uint8Array> {
      asked = true;
      yield await Promise.resolve(Buffer.from('x'));
    }
    const options = { expectedBytes: 1e18, keepFree: 32_000_000 };
    const error = await expectCode(store.write(KEY, body(), options), 'STORE_FULL');
    expect(error.message).toMatch(/the disk has .* MB left; 1000000000000.0 MB are needed/);
    expect(error.retryable).toBe(true);
    expect(asked).toBe(false);
    expect(await everyName(store.location)).toEqual([]);
  });

  test('a file is on the disk before it has its name, and its folder afterwards', async () => {
    const store = await openFileStore(await temporaryFolder());
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

  test('a stream that can be aborted is not buffered in memory', async () => {
    const store = await openFileStore(await temporaryFolder());
    const written: WeakRef<Uint8Array>[] = [];
    let alive = -1;
    async function* body(): AsyncGenerator<Uint8Array> {
      for (let n = 0; n < 40; n += 1) {
        const piece = Buffer.alloc(70_000);
        written.push(new WeakRef(piece));
        yield piece;
      }
      await setImmediate();
      collectGarbage();
      alive = written.filter((piece) => piece.deref() !== undefined).length;
    }
    await store.write(KEY, body(), { signal: new AbortController().signal });
    expect(alive).toBeLessThan(5);
  });
});

describe('leftovers of a crash', () => {
  test('are not listed, are reported as leftovers, and are removed by a sweep', async () => {
    const store = await openFileStore(await temporaryFolder());
    await store.write(KEY, 'whole');
    await writeFile(join(store.location, 'molecules/aspirin/.tmp-4711'), 'ha');
    expect(await collected(store.list(''))).toEqual([KEY]);
    expect(await collected(store.leftovers())).toEqual(['molecules/aspirin/.tmp-4711']);
    expect(await store.sweep()).toBe(1);
    expect(await everyName(store.location)).toEqual(['record.json']);
  });
});

describe('reading, listing, removing', () => {
  test('reports a folder in place of the file, and does not overwrite it', async () => {
    const store = await openFileStore(await temporaryFolder());
    await store.write('molecules/a/x', 'x');
    await expectCode(store.write('molecules/a', 'y'), 'STORE_BAD_KEY');
    await expectCode(store.write('molecules/a/x/z', 'y'), 'STORE_BAD_KEY');
    expect(await collected(store.list(''))).toEqual(['molecules/a/x']);
    await expectCode(openFileStore(join(store.location, 'molecules/a/x')), 'STORE_BAD_KEY');
    await expectCode(openFileStore(join(store.location, 'molecules/a/x/y')), 'STORE_BAD_KEY');
  });
});

describe('links', () => {
  test('the campaign folder itself may be a link to a larger disk', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'large-disk'));
    await symlink(join(folder, 'large-disk'), join(folder, 'results'));
    const store = await openFileStore(join(folder, 'results'));
    await store.write(KEY, 'x');
    expect(await everyName(join(folder, 'large-disk'))).toEqual(['record.json']);
  });

  test('no link below it is followed to write, read, list or remove', async () => {
    const folder = await temporaryFolder();
    const outside = join(folder, 'outside');
    await mkdir(join(outside, 'aspirin'), { recursive: true });
    await writeFile(join(outside, 'secret'), 'secret');
    const store = await openFileStore(join(folder, 'campaign'));
    await symlink(outside, join(store.location, 'molecules'));
    await symlink(join(outside, 'secret'), join(store.location, 'items.csv'));

    await expectCode(store.write(KEY, 'x'), 'STORE_BAD_KEY');
    await expectCode(store.write('molecules/new/input.pdb', 'x'), 'STORE_BAD_KEY');
    await expectCode(store.read('molecules/secret'), 'STORE_BAD_KEY');
    await expectCode(store.read('items.csv'), 'STORE_BAD_KEY');
    await expectCode(store.remove('items.csv'), 'STORE_BAD_KEY');
    await expectCode(collected(store.list('molecules/')), 'STORE_BAD_KEY');
    expect(await collected(store.list(''))).toEqual([]);

    await store.write('items.csv', 'id\n');
    expect(await store.readText('items.csv')).toBe('id\n');
    expect((await everyName(outside)).sort()).toEqual(['secret']);
    expect(await readdir(outside)).toEqual(['aspirin', 'secret']);
  });
});

describe('taking a file over from another store', () => {
  const inode = async (folder: string, key: string) => (await stat(join(folder, key))).ino;

  test('shares its disk blocks, and does not change when the other file is replaced or removed', async () => {
    const folder = await temporaryFolder();
    const from = await openFileStore(join(folder, 'a'));
    const to = await openFileStore(join(folder, 'b'));
    await from.write(KEY, 'one');
    await to.adopt('files/x', from, KEY);
    expect(await to.readText('files/x')).toBe('one');
    expect(await inode(to.location, 'files/x')).toBe(await inode(from.location, KEY));
    await from.write(KEY, 'two');
    expect(await to.readText('files/x')).toBe('one');
    await from.remove(KEY);
    expect(await to.readText('files/x')).toBe('one');
  });

  test('replaces another file, and leaves the same file alone', async () => {
    const folder = await temporaryFolder();
    const from = await openFileStore(join(folder, 'a'));
    const to = await openFileStore(join(folder, 'b'));
    await to.write('files/x', 'former');
    await from.write(KEY, 'one');
    for (const _ of ['another file', 'the same file']) {
      await to.adopt('files/x', from, KEY);
      expect(await to.readText('files/x')).toBe('one');
      expect(await readdir(join(to.location, 'files'))).toEqual(['x']);
    }
    expect(await inode(to.location, 'files/x')).toBe(await inode(from.location, KEY));
  });

  test('copies from a store that is not a folder', async () => {
    const folder = await temporaryFolder();
    const to = await openFileStore(folder);
    const from = { ...to, readStream: () => pieces('from ', 'afar') };
    await to.adopt('files/x', from, KEY);
    expect(await to.readText('files/x')).toBe('from afar');
  });

  test('reports a missing file, and follows no link', async () => {
    const folder = await temporaryFolder();
    const from = await openFileStore(join(folder, 'a'));
    const to = await openFileStore(join(folder, 'b'));
    await expectCode(to.adopt('files/x', from, KEY), 'STORE_MISSING');
    await writeFile(join(folder, 'secret'), 's');
    await mkdir(join(from.location, 'molecules'));
    await symlink(join(folder, 'secret'), join(from.location, 'molecules', 'x'));
    await expectCode(to.adopt('files/x', from, 'molecules/x'), 'STORE_BAD_KEY');
    expect(await to.exists('files/x')).toBe(false);
  });
});
