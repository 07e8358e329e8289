/** What every store does; in-bucket.test.ts runs the same against a real S3 server. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { expectCode, pieces } from './store-expectations.ts';
import { temporaryStore, writeElsewhere } from './temporary-store.ts';

const KEY = 'molecules/aspirin/record.json';

async function aStore(files: Readonly<Record<string, string>> = {}): Promise<Store> {
  const store = await temporaryStore();
  for (const [key, text] of Object.entries(files)) await store.write(key, text);
  return store;
}

/** The whole contents of the store, finished or not. */
async function everyName(store: Store): Promise<string[]> {
  return [
    ...(await Array.fromAsync(store.list(''))),
    ...(await Array.fromAsync(store.leftovers())),
  ];
}

describe('writing and reading', () => {
  test('text, bytes and streams are read back unchanged, with length and digest', async () => {
    const store = await aStore();
    const text = 'Größe: 5 Å\n';
    const sha256 = createHash('sha256').update(text, 'utf8').digest('hex');
    const bytes = Buffer.byteLength(text);
    for (const data of [text, Buffer.from(text), pieces(text.slice(0, 4), text.slice(4))]) {
      const stored = await store.write(KEY, data, { expectedBytes: bytes });
      expect(stored).toEqual({ bytes, sha256 });
      expect(await store.readText(KEY)).toBe(text);
      expect(Buffer.concat(await Array.fromAsync(store.readStream(KEY))).toString()).toBe(text);
    }
    expect(await everyName(store)).toEqual([KEY]);
  });

  test.each([
    ['shorter than announced', 5, ['abc']],
    ['longer than announced', 2, ['abc']],
    ['empty although a length was announced', 1, []],
  ])('a body %s is STORE_TRUNCATED and does not change the old file', async (_, expected, body) => {
    const store = await aStore({ [KEY]: 'the old one' });
    const write = store.write(KEY, pieces(...body), { expectedBytes: expected });
    expect((await expectCode(write, 'STORE_TRUNCATED')).retryable).toBe(true);
    expect(await store.readText(KEY)).toBe('the old one');
    expect(await everyName(store)).toEqual([KEY]);
  });

  test('a missing key is null, not an error; a stream of it is STORE_MISSING', async () => {
    const store = await aStore();
    expect(await store.read(KEY)).toBeNull();
    expect(await store.readText(KEY)).toBeNull();
    expect(await store.exists('molecules')).toBe(false);
    expect(await Array.fromAsync(store.list('molecules/'))).toEqual([]);
    await store.remove(KEY);
    await expectCode(Array.fromAsync(store.readStream(KEY)), 'STORE_MISSING');
  });
});

describe('listing', () => {
  test('returns the keys of a prefix in the order of the whole keys', async () => {
    const names = ['a b+c&d%20e', 'größe.csv', 'z\u{1F600}', 'zz'];
    const keys = ['a.csv', 'shifts/a-b/x', 'shifts/a/x', 'shifts/a.b/x'].concat(
      names.map((name) => `shifts/s/${name}`),
    );
    const store = await aStore(Object.fromEntries(keys.map((key) => [key, key])));
    expect(await Array.fromAsync(store.list(''))).toEqual([...keys].sort());
    expect(await Array.fromAsync(store.list('shifts/a-'))).toEqual(['shifts/a-b/x']);
    expect(await Array.fromAsync(store.folders())).toEqual(['shifts']);
    for (const key of keys) expect(await store.readText(key)).toBe(key);
    await store.remove('shifts/a/x');
    expect(await store.exists('shifts/a/x')).toBe(false);
  });

  test('of more files than one page has all of them, which a bulk has written', async () => {
    const store = await aStore();
    const keys = Array.from({ length: 1_050 }, (_, n) => `pages/${n}.json`);
    for (let at = 0; at < keys.length; at += 50) {
      const some = keys.slice(at, at + 50);
      await Promise.all(some.map((key) => store.write(key, key, { durable: false })));
      await store.flush(some);
    }
    expect(await Array.fromAsync(store.list('pages/'))).toEqual(keys.sort());
  });
});

describe('a large file', () => {
  const SIZE = 20_000_000;
  const part = Buffer.alloc(1_000_000, 'topology ');

  async function* body(fate?: () => void): AsyncGenerator<Uint8Array> {
    for (let sent = 0; sent < SIZE; sent += part.byteLength) {
      await Promise.resolve();
      yield part;
    }
    fate?.();
  }

  test.each([
    ['a stream of unknown length', body],
    ['bytes', () => Buffer.concat(Array.from({ length: SIZE / part.byteLength }, () => part))],
  ])('as %s is written and read back complete, with its digest', async (_, data) => {
    const store = await aStore();
    const hash = createHash('sha256');
    for await (const piece of body()) hash.update(piece);
    const digest = { bytes: SIZE, sha256: hash.digest('hex') };
    expect(await store.write(KEY, data())).toEqual(digest);
    expect(await store.digest(KEY)).toEqual(digest);
    const read = createHash('sha256');
    for await (const piece of store.readStream(KEY)) read.update(piece);
    expect(read.digest('hex')).toBe(digest.sha256);
    expect(await everyName(store)).toEqual([KEY]);
  });

  test('that breaks near its end leaves nothing, and the old file unchanged', async () => {
    const store = await aStore({ [KEY]: 'the old one' });
    const reset = new Error('socket hang up');
    const broken = body(() => {
      throw reset;
    });
    await expect(store.write(KEY, broken)).rejects.toBe(reset);
    await expectCode(store.write(KEY, body(), { expectedBytes: SIZE + 1 }), 'STORE_TRUNCATED');
    expect(await store.readText(KEY)).toBe('the old one');
    expect(await everyName(store)).toEqual([KEY]);
  });
});

describe('a file that only one may make', () => {
  test('is created by exactly one of many concurrent writers', async () => {
    const store = await aStore();
    const created = await Promise.all(
      // All write the same: the answer must not depend on the contents.
      Array.from({ length: 20 }, async () =>
        (await openStore(store.location)).create(KEY, 'taken'),
      ),
    );
    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await store.readText(KEY)).toBe('taken');
    expect(await everyName(store)).toEqual([KEY]);
  });
});

describe('files that another process may change', () => {
  test('a file is replaced if it has not changed since it was read, also several times in a row', async () => {
    const store = await aStore({ [KEY]: 'one' });
    expect(await store.replace(KEY, 'two', 'one')).toBe(true);
    expect(await store.replace(KEY, 'three', 'two')).toBe(true);
    expect(await store.readText(KEY)).toBe('three');
  });

  test('a file is not replaced if another process has changed or removed it', async () => {
    const store = await aStore({ [KEY]: 'one' });
    await writeElsewhere(store, KEY, 'changed');
    expect(await store.replace(KEY, 'two', 'one')).toBe(false);
    expect(await store.readText(KEY)).toBe('changed');
    expect(await store.replace(KEY, 'three', 'changed')).toBe(true);
    await store.remove(KEY);
    expect(await store.replace(KEY, 'four', 'three')).toBe(false);
    expect(await store.exists(KEY)).toBe(false);
  });
});
