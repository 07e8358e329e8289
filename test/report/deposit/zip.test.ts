/** Our archives, read by independent programs: Python's zipfile and, if present, Info-ZIP's unzip. */
import { execFileSync, spawnSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { centralRecord, dataDescriptor } from '../../../src/report/deposit/zip.ts';
import {
  directoryBytes,
  entryBytes,
  type EndedEntry,
} from '../../../src/report/deposit/zip-entry.ts';

const MODIFIED = new Date('2026-11-21T23:59:58Z');
const unzip = spawnSync('unzip', ['-v']).status === 0;
if (!unzip) console.warn('skipped in part: there is no unzip (Debian: unzip)');

const READ = `
import hashlib, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    bad = archive.testzip()
    found = [[i.filename, i.file_size, i.header_offset, list(i.date_time), i.external_attr >> 16]
             for i in archive.infolist()]
    sums = [hashlib.sha256(archive.read(i)).hexdigest() for i in archive.infolist()[:10]]
print(json.dumps({"bad": bad, "count": len(found), "found": found[:10], "sums": sums}))
`;

interface Found {
  readonly bad: string | null;
  readonly count: number;
  readonly found: readonly (readonly [string, number, number, readonly number[], number])[];
  readonly sums: readonly string[];
}

function readByOthers(path: string): Found {
  if (unzip) execFileSync('unzip', ['-tqq', path]);
  const options = { encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
  return JSON.parse(execFileSync('python3', ['-c', READ, path], options)) as Found;
}

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), 'zip-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'one.zip');
}

async function* pieces(content: Uint8Array, length = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < content.length; at += length) {
    yield await Promise.resolve(content.subarray(at, at + length));
  }
}

async function entry(
  path: string,
  content: Uint8Array,
  at = 0,
  length?: number,
): Promise<{ bytes: Buffer; ended: EndedEntry }> {
  const parts: Uint8Array[] = [];
  const ended: EndedEntry[] = [];
  const head = { path, at, modified: MODIFIED };
  for await (const part of entryBytes(head, pieces(content, length), (one) => ended.push(one))) {
    parts.push(part);
  }
  const [one] = ended;
  if (one === undefined) throw new Error('the entry did not end');
  return { bytes: Buffer.concat(parts), ended: one };
}

const noise = (bytes: number): Buffer =>
  Buffer.from(Array.from({ length: bytes }, (_, n) => (n * n * 31 + (n >> 7)) & 0xff));

const FILES: readonly (readonly [string, Uint8Array])[] = [
  ['bag/empty', Buffer.alloc(0)],
  ['bag/data/ünï/名前.txt', Buffer.from('text\n')],
  ['bag/data/large', noise(2 ** 20 + 70_000)],
  [`bag/data/${'x'.repeat(200)}`, noise(10)],
];

describe('an archive', () => {
  test('contains every file, with its time and as a plain file', async () => {
    const path = scratch();
    const parts: Uint8Array[] = [];
    const ended: EndedEntry[] = [];
    let at = 0;
    for (const [name, content] of FILES) {
      const one = await entry(name, content, at);
      at += one.bytes.length;
      parts.push(one.bytes);
      ended.push(one.ended);
    }
    writeFileSync(path, Buffer.concat([...parts, ...directoryBytes(ended, at, MODIFIED)]));
    const { bad, found, sums } = readByOthers(path);
    expect(bad).toBeNull();
    expect(found.map(([name, size]) => [name, size])).toEqual(
      FILES.map(([name, content]) => [name, content.length]),
    );
    expect(sums).toEqual(FILES.map(([, content]) => hash('sha256', content)));
    expect(ended.map(({ sha256 }) => sha256)).toEqual(sums);
    expect(found[0]?.slice(3)).toEqual([[2026, 11, 21, 23, 59, 58], 0o100644]);
  });

  test('can contain more than 65,535 files', async () => {
    const path = scratch();
    const { bytes, ended } = await entry('00000', Buffer.from('x'));
    const entries = Array.from({ length: 70_000 }, (_, n) => ({
      ...ended,
      path: String(n).padStart(5, '0'),
      at: n * bytes.length,
    }));
    const parts = entries.map((one) => {
      const copy = Buffer.from(bytes);
      copy.write(one.path, 30);
      return copy;
    });
    const end = directoryBytes(entries, entries.length * bytes.length, MODIFIED);
    writeFileSync(path, Buffer.concat([...parts, ...end]));
    const { bad, count } = readByOthers(path);
    expect([bad, count]).toEqual([null, 70_000]);
  });

  test('can be longer than 4 GiB', async () => {
    const path = scratch();
    const at = 2 ** 32 + 12_345;
    const first = await entry('first', Buffer.from('one'));
    const second = await entry('second', Buffer.from('two'), at);
    // The range between the two uses no disk space.
    const file = await open(path, 'w');
    await file.write(first.bytes, 0, undefined, 0);
    const end = at + second.bytes.length;
    const directory = [...directoryBytes([first.ended, second.ended], end, MODIFIED)];
    await file.write(Buffer.concat([second.bytes, ...directory]), 0, undefined, at);
    await file.close();
    const { bad, found, sums } = readByOthers(path);
    expect(bad).toBeNull();
    expect(found.map(([name, , offset]) => [name, offset])).toEqual([
      ['first', 0],
      ['second', at],
    ]);
    expect(sums[1]).toBe(hash('sha256', 'two'));
  });
});

test('a file of more than 4 GiB has its lengths in eight bytes', () => {
  const [size, compressed] = [2 ** 33 + 5, 2 ** 32 + 7];
  const descriptor = dataDescriptor({ crc32: 1, size, compressed });
  expect([descriptor.readBigUInt64LE(8), descriptor.readBigUInt64LE(16)]).toEqual([
    BigInt(compressed),
    BigInt(size),
  ]);
  const record = centralRecord({ path: 'a', crc32: 1, size, compressed, at: 3 }, MODIFIED);
  expect(record.readUInt16LE(6)).toBe(45);
  expect([record.readUInt32LE(20), record.readUInt32LE(24), record.readUInt32LE(42)]).toEqual([
    0xffffffff, 0xffffffff, 3,
  ]);
  const extra = record.subarray(46 + 1 + 9);
  expect([extra.readUInt16LE(0), extra.readUInt16LE(2)]).toEqual([1, 16]);
  expect([extra.readBigUInt64LE(4), extra.readBigUInt64LE(12)]).toEqual([
    BigInt(size),
    BigInt(compressed),
  ]);
});

test.each([10, 2 ** 20, 2 ** 20 + 1, 3 * 2 ** 20])(
  '%i bytes give the same entry, in whatever chunks they arrive',
  async (bytes) => {
    const content = noise(bytes);
    const [one, other] = [
      await entry('a', content, 0, 1_000),
      await entry('a', content, 0, 2 ** 22),
    ];
    expect(hash('sha256', one.bytes)).toBe(hash('sha256', other.bytes));
  },
);
