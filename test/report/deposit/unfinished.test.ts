/** Continuing an unfinished archive: complete parts are kept and checked, and changed ones are written again. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { appendFile, mkdtemp, open, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeArchive, streamArchive } from '../../../src/report/deposit/archive.ts';
import { Bag } from '../../../src/report/deposit/bag.ts';
import { partsOf, type Deposit } from '../../../src/report/deposit/parts.ts';
import { UnfinishedArchive } from '../../../src/report/deposit/unfinished.ts';
import { openFileStore } from '../../../src/store/filesystem.ts';
import type { Store } from '../../../src/store/store.ts';

const MODIFIED = new Date('2026-11-21T10:00:00Z');
const FILES = ['a.txt', 'b/large.bin', 'b/small.txt', 'c.txt', 'd.txt'];

/** Records which files of the tree were read. */
function watched(store: Store, read: string[]): Store {
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]): unknown => {
        if (name === 'readStream') read.push(String(args[0]));
        return Reflect.apply(value, target, args) as unknown;
      };
    },
  });
}

let tree: Store;
let folder = '';
let out = '';
let path = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unfinished-'));
  tree = await openFileStore(join(folder, 'tree'));
  for (const key of FILES) await tree.write(key, CONTENTS.get(key) ?? '');
  await writeSums(FILES);
  out = join(folder, 'out');
  await openFileStore(out);
  path = join(out, 'one.zip');
});

afterEach(() => rm(folder, { recursive: true }));

const CONTENTS = new Map(
  FILES.map((key) => {
    const bytes = key.endsWith('.bin') ? 3_000_000 : 700_000;
    const values = Array.from({ length: bytes }, (_, n) => (n * n * key.length + (n >> 9)) & 255);
    return [key, Buffer.from(values)];
  }),
);

async function writeSums(keys: readonly string[]): Promise<void> {
  const lines = await Promise.all(
    keys.map(async (key) => `${(await tree.digest(key))?.sha256 ?? ''}  ${key}\n`),
  );
  await tree.write('SHA256SUMS', lines.join(''));
}

function depositOf(store: Store, tags: Deposit['tags'] = { 'CITATION.cff': 'one' }): Deposit {
  return { store, name: 'one', facts: {}, tags, modified: MODIFIED };
}

/** An attempt that stops after this many parts, as if killed. */
async function breakOffAfter(count: number): Promise<void> {
  const archive = await UnfinishedArchive.open(path, MODIFIED);
  let taken = 0;
  for await (const part of partsOf(depositOf(tree), new Bag())) {
    if (taken === count) break;
    await archive.add(part);
    taken += 1;
  }
  await archive.close();
}

/** Continues, and reports what was read of the tree. */
async function goOn(tags?: Deposit['tags']): Promise<{ kept: number; read: string[] }> {
  const read: string[] = [];
  const { kept, sha256, bytes } = await makeArchive(path, depositOf(watched(tree, read), tags));
  expect(await readdir(out)).toEqual(['one.zip']);
  const archive = readFileSync(path);
  expect(archive).toHaveLength(bytes);
  const whole: Uint8Array[] = [];
  for await (const part of streamArchive(depositOf(tree, tags)).bytes) whole.push(part);
  // Byte for byte the same as without an interruption.
  expect(archive.equals(Buffer.concat(whole))).toBe(true);
  expect(execFileSync('sha256sum', [path], { encoding: 'utf8' })).toContain(sha256);
  return { kept, read: read.filter((key) => key !== 'SHA256SUMS') };
}

test('without an interruption, the archive has the same bytes as the stream', async () => {
  expect(await goOn()).toEqual({ kept: 0, read: FILES });
});

test('files that are complete in the archive are not read again', async () => {
  // bagit.txt, SHA256SUMS, a.txt, b/large.bin; the incomplete write batch is lost.
  await breakOffAfter(5);
  expect((await readdir(out)).sort()).toEqual(['one.zip.unfinished', 'one.zip.unfinished.db']);
  const { kept, read } = await goOn();
  expect(kept).toBeGreaterThanOrEqual(3);
  expect(read).not.toContain('a.txt');
  expect(read).toContain('d.txt');
});

describe('after an interruption', () => {
  beforeEach(() => breakOffAfter(9));

  test.each<[string, () => Promise<void> | void]>([
    ['a byte of it was lost', () => damage(900_000)],
    ['its end was lost', () => truncateSync(`${path}.unfinished`, 1_000_000)],
    ['all of it was lost', () => truncateSync(`${path}.unfinished`, 0)],
    ['its end is an incomplete entry', () => appendFile(`${path}.unfinished`, 'PK rest')],
    ['the journal is damaged', () => writeFileSync(`${path}.unfinished.db`, 'no database')],
  ])('%s: the archive is complete', async (_, happens) => {
    await happens();
    await goOn();
  });

  test('a damaged entry and all entries after it are written again', async () => {
    await damage(900_000);
    const { read } = await goOn();
    expect(read).not.toContain('a.txt');
    expect(read).toContain('b/large.bin');
    expect(read).toContain('c.txt');
  });

  test('changed metadata are included', async () => {
    await goOn({ 'CITATION.cff': 'two' });
    const text = execFileSync('python3', ['-m', 'zipfile', '-l', path], { encoding: 'utf8' });
    expect(text).toContain('one/CITATION.cff');
  });

  test('a file that was published since is included', async () => {
    await tree.write('b/another.txt', 'new');
    await writeSums([...FILES, 'b/another.txt']);
    const { read } = await goOn();
    expect(read).toContain('b/another.txt');
  });

  test('no part of the archive is kept if the tree was published again', async () => {
    await tree.write('a.txt', 'other');
    await writeSums(FILES);
    expect((await goOn()).read).toContain('a.txt');
  });

  test('no part of the archive is kept if the campaign ended at another time', async () => {
    const archive = await UnfinishedArchive.open(path, new Date('2026-11-22T10:00:00Z'));
    for await (const part of partsOf(depositOf(tree), new Bag())) {
      expect(await archive.add(part)).toBe('written');
    }
    await archive.remove();
    expect(await readdir(out)).toEqual([]);
  });
});

async function damage(place: number): Promise<void> {
  const file = await open(`${path}.unfinished`, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, place);
  await file.write(Buffer.of((byte[0] ?? 0) ^ 1), 0, 1, place);
  await file.close();
}

test('no archive is left if the tree differs from what was published', async () => {
  await tree.write('d.txt', 'other');
  await expect(makeArchive(path, depositOf(tree))).rejects.toMatchObject({
    code: 'DEPOSIT_NOT_WHOLE',
  });
  expect(await readdir(out)).toEqual([]);
});

test('two commands cannot write one archive', async () => {
  const archive = await UnfinishedArchive.open(path, MODIFIED);
  await expect(makeArchive(path, depositOf(tree))).rejects.toMatchObject({ code: 'DEPOSIT_BUSY' });
  await archive.close();
  expect(existsSync(path)).toBe(false);
  await goOn();
});
