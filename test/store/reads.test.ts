/** What a store in a folder reads, and what it refuses to read. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openFileStore } from '../../src/store/filesystem.ts';
import { collected, expectCode } from './store-expectations.ts';
import { temporaryFolder } from './temporary-folder.ts';

async function store(files: Readonly<Record<string, string | Uint8Array>> = {}) {
  const opened = await openFileStore(await temporaryFolder());
  for (const [key, data] of Object.entries(files)) await opened.write(key, data);
  return opened;
}

test.each([
  ['a small file', 'Größe: 5 Å\n'],
  ['an empty one', ''],
  ['a file that contains the word "link"', 'link'],
  ['one that is larger than the buffer', 'x'.repeat(3_000_000)],
  ['one of exactly its size', 'y'.repeat(1024 * 1024)],
])('%s: bytes, text and digest', async (_, text) => {
  const tree = await store({ 'first.txt': 'z'.repeat(2_000_000), 'a/b.txt': text });
  expect((await tree.readText('first.txt'))?.length).toBe(2_000_000);
  for (let times = 0; times < 2; times += 1) {
    const bytes = Buffer.from(text);
    expect(await tree.readText('a/b.txt')).toBe(text);
    expect(Buffer.from((await tree.read('a/b.txt')) ?? []).equals(bytes)).toBe(true);
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    expect(await tree.digest('a/b.txt')).toEqual({ bytes: bytes.length, sha256 });
  }
});

test('bytes that were returned do not change when the next file is read', async () => {
  const tree = await store({ one: 'first', two: 'other' });
  const first = await tree.read('one');
  await tree.read('two');
  expect(Buffer.from(first ?? []).toString()).toBe('first');
});

test.each(['missing', 'folder', 'folder/missing', 'file/below', 'pipe', 'socket'])(
  '%s: nothing to read',
  async (key) => {
    const tree = await store({ file: 'a' });
    await mkdir(join(tree.location, 'folder'));
    execFileSync('mkfifo', [join(tree.location, 'pipe')]);
    const server = createServer().listen(join(tree.location, 'socket'));
    onTestFinished(() => void server.close());
    expect(await tree.read(key)).toBeNull();
    expect(await tree.readText(key)).toBeNull();
    expect(await tree.digest(key)).toBeNull();
    expect(await tree.exists(key)).toBe(false);
  },
);

test.each(['link', 'folder/secret'])('%s leads out of the tree: refused', async (key) => {
  const outside = await temporaryFolder();
  await writeFile(join(outside, 'secret'), 'secret');
  const tree = await store();
  await symlink(join(outside, 'secret'), join(tree.location, 'link'));
  await symlink(outside, join(tree.location, 'folder'));
  await expectCode(tree.read(key), 'STORE_BAD_KEY');
  await expectCode(tree.readText(key), 'STORE_BAD_KEY');
  await expectCode(tree.digest(key), 'STORE_BAD_KEY');
});

test('lists in the order of keys', async () => {
  const tree = await store({ 'b/2': '', 'b/1': '', 'b.txt': '', a: '' });
  expect(await collected(tree.list(''))).toEqual(['a', 'b.txt', 'b/1', 'b/2']);
  expect(await collected(tree.list('b/'))).toEqual(['b/1', 'b/2']);
  expect(await collected(tree.list('c/'))).toEqual([]);
});
