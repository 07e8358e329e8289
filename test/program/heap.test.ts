/** How far V8's heap grows, in processes of their own: the flags hold for a whole process. */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const MODULE = new URL('../../src/program/heap.ts', import.meta.url).href;

/** Prints the size (MB) in the main thread and in one that starts later, after both made many objects that survive. */
const PROGRAM = `
const { limitHeap, withoutGrowth, youngHeapMb } = await import(${JSON.stringify(MODULE)});
const { Worker } = await import('node:worker_threads');
const work = async () => {
  const kept = [];
  for (let n = 0; n < 3_000_000; n += 1) {
    kept[n % 200_000] = { n, text: [n, String(n)] };
    if (n % 10_000 === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return youngHeapMb();
};
if (process.argv[1] === 'limited') limitHeap();
await new Promise((resolve) => setTimeout(resolve, 10));
await withoutGrowth(() => Promise.resolve());
const main = await work();
const code = 'import { parentPort } from "node:worker_threads"; import { youngHeapMb } from ' +
  JSON.stringify(${JSON.stringify(MODULE)}) + '; const work = ' + work.toString() +
  '; parentPort.postMessage(await work());';
const thread = new Worker(code, { eval: true });
thread.on('message', (mb) => console.log(JSON.stringify({ main, thread: mb })));
`;

function sizes(mode: 'limited' | 'unlimited'): { main: number; thread: number } {
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '-e', PROGRAM];
  const text = execFileSync(process.execPath, [...args, mode], { encoding: 'utf8' });
  return JSON.parse(text) as { main: number; thread: number };
}

test('a limited process and its threads keep the space for new objects small, also after a table was read', () => {
  const { main, thread } = sizes('limited');
  // The main thread may double it once more before it is noticed; on a busy machine V8 has up to 20 MB for a moment.
  expect(main).toBeLessThanOrEqual(24);
  expect(thread).toBeLessThanOrEqual(24);
}, 60_000);

test('without the limit V8 lets it grow further', () => {
  // 38 MB in Node 26, 64 in Node 24.
  expect(sizes('unlimited').main).toBeGreaterThan(24);
}, 60_000);
