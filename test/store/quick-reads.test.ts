/** The three ways to read a folder give the same answers; the quick one leaves time for other work. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { BlockingReads } from '../../src/store/blocking-reads.ts';
import { QUICK_READS } from '../../src/store/quick-reads.ts';
import { WAITING_READS, type Reads } from '../../src/store/reads.ts';
import { temporaryFolder } from './temporary-folder.ts';

const NAMES = ['short', 'long', 'empty', 'missing', 'folder', 'link', 'pipe', 'short/below'];

async function filledFolder(): Promise<string> {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, 'short'), 'Größe: 5 Å\n');
  writeFileSync(join(folder, 'long'), 'x'.repeat(3_000_000));
  writeFileSync(join(folder, 'empty'), '');
  mkdirSync(join(folder, 'folder'));
  symlinkSync('short', join(folder, 'link'));
  execFileSync('mkfifo', [join(folder, 'pipe')]);
  return folder;
}

async function answersOf(reads: Reads, folder: string) {
  const answers: unknown[] = [(await reads.entries(folder)).map(({ name }) => name).sort()];
  for (const name of NAMES) {
    const path = join(folder, name);
    const bytes = await reads.bytes(path);
    answers.push([
      name,
      (await reads.status(path))?.mode,
      typeof bytes === 'object' && bytes ? Buffer.from(bytes).toString('base64') : bytes,
      await reads.text(path),
      await reads.digest(path),
    ]);
  }
  return answers;
}

test('all three read the same', async () => {
  const folder = await filledFolder();
  const waiting = await answersOf(WAITING_READS, folder);
  expect(await answersOf(QUICK_READS, folder)).toEqual(waiting);
  expect(await answersOf(new BlockingReads(), folder)).toEqual(waiting);
});

test.each(['status', 'bytes', 'text'] as const)(
  'a row of %s calls without any other pause lets timers fire',
  async (call) => {
    const path = join(await filledFolder(), 'short');
    let fired = 0;
    const timer = setInterval(() => (fired += 1), 1);
    for (let calls = 0; fired < 3 && calls < 1_000_000; calls += 1) await QUICK_READS[call](path);
    clearInterval(timer);
    expect(fired).toBeGreaterThanOrEqual(3);
  },
);
