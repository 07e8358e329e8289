/** What every store does; in-bucket.test.ts runs the same against a real S3 server. */
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { openStore } from '../../src/store/open-store.ts';
import type { Store } from '../../src/store/store.ts';
import { collected, expectCode, pieces } from './store-expectations.ts';
import { onFolder, temporaryStore, writeElsewhere } from './temporary-store.ts';

const KEY = 'molecules/aspirin/record.json';

/** The whole contents of the store, finished or not. */
async function everyName(store: Store): Promise<string[]> {
  return [...(await collected(store.list(''))), ...(await collected(store.leftovers()))];
}

/** Sends the first half and then stalls, like a connection that is never closed. */
async function* halfThenSilence(sent: () => void): AsyncGenerator<Uint8Array> {
  yield Buffer.from('half');
  sent();
  await new Promise<never>(() => undefined);
}

describe('writing', () => {
  test('text, bytes and streams are read back unchanged, with length and digest', async () => {
    const store = await temporaryStore();
    const text = 'Größe: 5 Å\n';
    const sha256 = createHash('sha256').update(text, 'utf8').digest('hex');
    const bytes = Buffer.byteLength(text);

    const [first, ...rest] = [text.slice(0, 4), text.slice(4)];
    for (const data of [text, Buffer.from(text), pieces(first, ...rest)]) {
      const stored = await store.write(KEY, data, { expectedBytes: bytes });
      expect(stored).toMatchObject({ key: KEY, bytes, sha256 });
      expect(await store.readText(KEY)).toBe(text);
      expect(Buffer.concat(await collected(store.readStream(KEY))).toString()).toBe(text);
    }
    expect(await everyName(store)).toEqual([KEY]);
  });

  test('a file of many chunks is read back chunk by chunk', async () => {
    const store = await temporaryStore();
    const big = Buffer.alloc(1_500_000, 'topology ');
    await store.write(KEY, big);
    const read = await collected(store.readStream(KEY));
    expect(read.length).toBeGreaterThan(1);
    expect(Buffer.concat(read).equals(big)).toBe(true);
  });

  test.each([
    ['shorter than announced', 5, ['abc']],
    ['longer than announced', 2, ['abc']],
    ['empty although a length was announced', 1, []],
  ])('a body %s is STORE_TRUNCATED and does not change the old file', async (_, expected, body) => {
    const store = await temporaryStore();
    await store.write(KEY, 'the old one');
    const write = store.write(KEY, pieces(...body), { expectedBytes: expected });
    expect((await expectCode(write, 'STORE_TRUNCATED')).retryable).toBe(true);
    expect(await store.readText(KEY)).toBe('the old one');
    expect(await everyName(store)).toEqual([KEY]);
  });

  test('a connection that breaks mid-stream leaves nothing, and its own error is reported', async () => {
    const store = await temporaryStore();
    const reset = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    const broken = async function* (): AsyncGenerator<Uint8Array> {
      yield* pieces('first half');
      throw reset;
    };
    await expect(store.write(KEY, broken())).rejects.toBe(reset);
    expect(await store.exists(KEY)).toBe(false);
    expect(await everyName(store)).toEqual([]);
  });

  test('a stalled sender can be aborted, and nothing is left', async () => {
    const store = await temporaryStore();
    const abort = new AbortController();
    const reason = new Error('the worker stops');
    const write = store.write(
      KEY,
      halfThenSilence(() => abort.abort(reason)),
      {
        signal: abort.signal,
      },
    );
    await expect(write).rejects.toBe(reason);
    expect(await everyName(store)).toEqual([]);
    const late = store.write(KEY, 'text', { signal: abort.signal });
    await expect(late).rejects.toBe(reason);
    expect(await everyName(store)).toEqual([]);
  });

  test('many writers of one key leave one complete file of one of them', async () => {
    const store = await temporaryStore();
    const texts = Array.from({ length: 20 }, (_, n) => String(n).repeat(10_000));
    const inPieces = (text: string): AsyncIterable<Uint8Array> =>
      pieces(...(text.match(/.{1,999}/g) ?? []));
    await Promise.all(texts.map((text) => store.write(KEY, inPieces(text))));
    expect(texts).toContain(await store.readText(KEY));
    expect(await everyName(store)).toEqual([KEY]);
  });

  test('files of a bulk are complete at once and flushed afterwards', async () => {
    const store = await temporaryStore();
    const keys = Array.from({ length: 50 }, (_, n) => `shifts/s${n}/input.nef`);
    await Promise.all(keys.map((key) => store.write(key, key, { durable: false })));
    await store.flush(keys);
    expect((await collected(store.list('shifts/'))).sort()).toEqual(keys.sort());
  });
});

describe('reading, listing, removing', () => {
  test('a missing key is null, not an error; a stream of it is STORE_MISSING', async () => {
    const store = await temporaryStore();
    expect(await store.read(KEY)).toBeNull();
    expect(await store.readText(KEY)).toBeNull();
    expect(await store.exists('molecules')).toBe(false);
    expect(await collected(store.list('molecules/'))).toEqual([]);
    await store.remove(KEY);
    await expectCode(collected(store.readStream(KEY)), 'STORE_MISSING');
  });

  test('list returns the keys of a prefix in the order of the whole keys', async () => {
    const store = await temporaryStore();
    const keys = ['a.csv', 'molecules/a-b/x', 'molecules/a/x', 'molecules/a.b/x', 'sequences/s/y'];
    for (const key of keys) await store.write(key, key);
    expect(await collected(store.list(''))).toEqual([...keys].sort());
    expect(await collected(store.list('molecules/a-'))).toEqual(['molecules/a-b/x']);
    await store.remove('molecules/a/x');
    expect(await store.exists('molecules/a/x')).toBe(false);
  });
});

describe('copying a file from another store', () => {
  test('replaces the existing one, once or twice, and leaves nothing behind', async () => {
    const from = await temporaryStore();
    const to = await temporaryStore();
    await from.write(KEY, 'new');
    await to.write('files/x', 'old');
    for (let time = 0; time < 2; time += 1) {
      await to.adopt('files/x', from, KEY);
      expect(await to.readText('files/x')).toBe('new');
    }
    expect([await everyName(from), await everyName(to)]).toEqual([[KEY], ['files/x']]);
    await expectCode(to.adopt('files/y', from, 'files/none'), 'STORE_MISSING');
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
    const store = await temporaryStore();
    const hash = createHash('sha256');
    for await (const piece of body()) hash.update(piece);
    const digest = { bytes: SIZE, sha256: hash.digest('hex') };
    expect(await store.write(KEY, data())).toMatchObject({ key: KEY, ...digest });
    expect(await store.digest(KEY)).toEqual(digest);
    const read = createHash('sha256');
    for await (const piece of store.readStream(KEY)) read.update(piece);
    expect(read.digest('hex')).toBe(digest.sha256);
    expect(await everyName(store)).toEqual([KEY]);
  });

  test('that breaks near its end leaves nothing, and the old file unchanged', async () => {
    const store = await temporaryStore();
    await store.write(KEY, 'the old one');
    const reset = new Error('socket hang up');
    const broken = body(() => {
      throw reset;
    });
    await expect(store.write(KEY, broken)).rejects.toBe(reset);
    const abort = new AbortController();
    const reason = new Error('the worker stops');
    const { signal } = abort;
    const aborted = store.write(
      KEY,
      body(() => abort.abort(reason)),
      { signal },
    );
    await expect(aborted).rejects.toBe(reason);
    await expectCode(store.write(KEY, body(), { expectedBytes: SIZE + 1 }), 'STORE_TRUNCATED');
    expect(await store.readText(KEY)).toBe('the old one');
    expect(await everyName(store)).toEqual([KEY]);
  });
});

describe('creating a file', () => {
  test('succeeds for exactly one of many concurrent writers', async () => {
    const store = await temporaryStore();
    const created = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const own = await openStore(store.location);
        // All write the same: the answer must not depend on the contents.
        return (await own.create(KEY, 'taken')) ? n : null;
      }),
    );
    expect(created.filter((n) => n !== null)).toHaveLength(1);
    expect(await store.readText(KEY)).toBe('taken');
    expect(await everyName(store)).toEqual([KEY]);
  });
});

describe('staging a file', () => {
  test('shows nothing before it is created, and succeeds for exactly one', async () => {
    const store = await temporaryStore();
    const staged = await Promise.all([1, 2, 3].map(() => store.stage(KEY, 'taken')));
    expect(await store.exists(KEY)).toBe(false);
    expect(await collected(store.list('molecules/'))).toEqual([]);
    const created = await Promise.all(staged.map((one) => one.create()));
    expect(created.filter(Boolean)).toHaveLength(1);
    expect(await store.readText(KEY)).toBe('taken');
    expect(await collected(store.leftovers())).toEqual([]);
  });

  test('leaves nothing behind when it is discarded, and nothing is lost when it was created', async () => {
    const store = await temporaryStore();
    const [one, other] = await Promise.all([1, 2].map(() => store.stage(KEY, 'taken')));
    await one?.discard();
    expect(await collected(store.leftovers())).toHaveLength(
      store.location.startsWith('s3') ? 0 : 1,
    );
    expect(await other?.create()).toBe(true);
    await other?.discard();
    expect(await everyName(store)).toEqual([KEY]);
    expect(await collected(store.leftovers())).toEqual([]);
  });
});

test('names of other alphabets are kept and listed in the order of their code units', async () => {
  const store = await temporaryStore();
  const names = ['a b+c&d%20e', 'größe.csv', 'z\u{1F600}', 'z\uE000', 'z\uFB01x', 'zz'];
  const keys = names.map((name) => `shifts/s/${name}`);
  for (const key of keys) await store.write(key, key);
  expect(await collected(store.list('shifts/'))).toEqual([...keys].sort());
  for (const key of keys) expect(await store.readText(key)).toBe(key);
  expect(await collected(store.folders())).toEqual(['shifts']);
});

test('more files than one page of a listing are all listed, in order', async () => {
  const store = await temporaryStore();
  const keys = Array.from({ length: 1_050 }, (_, n) => `pages/${n}.json`);
  for (let at = 0; at < keys.length; at += 50) {
    const some = keys.slice(at, at + 50);
    await Promise.all(some.map((key) => store.write(key, key, { durable: false })));
  }
  expect(await collected(store.list('pages/'))).toEqual(keys.sort());
});

describe('files that another process may change', () => {
  test('a file is replaced if it has not changed since it was read, also several times in a row', async () => {
    const store = await temporaryStore();
    await store.write(KEY, 'one');
    const done = onFolder() ? 'unseen' : 'replaced';
    expect(await store.replace(KEY, 'two', 'one')).toBe(done);
    expect(await store.replace(KEY, 'three', 'two')).toBe(done);
    expect(await store.readText(KEY)).toBe('three');
  });

  test.skipIf(onFolder())('a file is not replaced if another process has changed it', async () => {
    const store = await temporaryStore();
    await store.write(KEY, 'one');
    await writeElsewhere(store, KEY, 'changed');
    expect(await store.replace(KEY, 'two', 'one')).toBe('changed');
    expect(await store.readText(KEY)).toBe('changed');
    expect(await store.replace(KEY, 'three', 'changed')).toBe('replaced');
  });

  test.skipIf(onFolder())('a file is not replaced after it was removed', async () => {
    const store = await temporaryStore();
    await store.write(KEY, 'one');
    await store.remove(KEY);
    expect(await store.replace(KEY, 'two', 'one')).toBe('changed');
    expect(await store.exists(KEY)).toBe(false);
  });

  test('the content that others have written is read, unless a recent own write is sufficient', async () => {
    const store = await temporaryStore();
    await store.write(KEY, 'here');
    expect(await store.readText(KEY, { recent: 'use' })).toBe('here');
    await writeElsewhere(store, KEY, 'elsewhere');
    const recent = onFolder() ? 'elsewhere' : 'here';
    expect(await store.readText(KEY, { recent: 'use' })).toBe(recent);
    expect(await store.readText(KEY)).toBe('elsewhere');
    expect(await store.readText(KEY, { recent: 'keep' })).toBe('elsewhere');
    expect(await store.readText(KEY, { recent: 'use' })).toBe('elsewhere');
  });

  test('a file that was removed is missing, also if a recent own write is sufficient', async () => {
    const store = await temporaryStore();
    await store.write(KEY, 'here');
    await store.remove(KEY);
    expect(await store.readText(KEY, { recent: 'use' })).toBeNull();
  });

  test.skipIf(onFolder())(
    'files are listed with the ETags that their writes returned',
    async () => {
      const store = await temporaryStore();
      const { etag = '' } = await store.write(KEY, 'one');
      expect(etag).not.toBe('');
      expect(await collected(store.etags('molecules/'))).toEqual([{ key: KEY, bytes: 3, etag }]);
      await store.write(KEY, 'two');
      expect((await collected(store.etags('')))[0]?.etag).not.toBe(etag);
    },
  );
});
