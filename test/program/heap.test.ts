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
  expect(sizes('unlimited').main).toBeGreaterThanOrEqual(64);
}, 60_000);

/** Prints how often old objects were collected while 1 GB of objects lived long enough to become old. */
const GARBAGE = `
const { limitHeap, withLateCollections } = await import(${JSON.stringify(MODULE)});
const { constants, PerformanceObserver } = await import('node:perf_hooks');
const { setTimeout: delay } = await import('node:timers/promises');
let collections = 0;
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) collections += 1;
}).observe({ entryTypes: ['gc'] });
const mode = process.argv[1];
if (mode !== 'unlimited') limitHeap();
const work = async () => {
  const passing = [];
  for (let n = 0; n < 8_000_000; n += 1) {
    passing[n % 400_000] = { n, text: [n] };
    if (n % 100_000 === 0) await delay(1);
  }
};
await (mode === 'late' ? withLateCollections(work) : work());
await delay(10);
console.log(collections);
`;

function collectionsWith(mode: 'limited' | 'late' | 'unlimited'): number {
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '-e', GARBAGE];
  return Number(execFileSync(process.execPath, [...args, mode], { encoding: 'utf8' }));
}

test('old objects are collected early, or as late as by default if that is better', () => {
  const limited = collectionsWith('limited');
  expect(limited).toBeGreaterThan(2 * collectionsWith('unlimited'));
  expect(limited).toBeGreaterThan(2 * collectionsWith('late'));
}, 60_000);

/** Prints the resident memory (MB) with 1.5 million objects that are no longer needed, and after their pages were released. */
const FREED = `
const { limitHeap, releaseFreePages } = await import(${JSON.stringify(MODULE)});
limitHeap();
let kept = Array.from({ length: 1_500_000 }, (_, n) => ({ n, text: [n] }));
const rssMb = () => process.memoryUsage.rss() / 2 ** 20;
kept = kept.length;
const before = rssMb();
await releaseFreePages();
await new Promise((resolve) => setTimeout(resolve, 500));
console.log(JSON.stringify({ before, after: rssMb() }));
`;

function freedMb(...flags: readonly string[]): number {
  const args = ['--input-type=module', '--disable-warning=ExperimentalWarning', '-e', FREED];
  const text = execFileSync(process.execPath, [...flags, ...args], { encoding: 'utf8' });
  const { before, after } = JSON.parse(text) as { before: number; after: number };
  return before - after;
}

test('pages of objects that are no longer needed are returned to the system', () => {
  expect(freedMb()).toBeGreaterThan(80);
}, 60_000);

test('they stay if the permission model of Node forbids its inspector', () => {
  expect(freedMb('--permission', '--allow-fs-read=*')).toBeLessThan(40);
}, 60_000);
