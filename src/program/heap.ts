/**
 * How far V8's heap grows. Both defaults are for programs that have a machine to themselves; a worker shares it at
 * least with the server.
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
// `HALF_MB`: V8 copies new objects that survive from one half of their space to the other. By default a half grows to
// 128 MB in each thread as long as objects survive in it, and is rarely released. A worker needs only a few megabytes:
// with more, it uses 150 MB and no less CPU.
import { HALF_MB } from './worker-process.ts';

/**
 * Old objects: they are collected when their space has grown by this much since the last collection. By default it may
 * double and more. 0 means V8's default.
 */
const OLD_GROWTH_PERCENT = 25;

const growBy = (factor: 1 | 2): void => {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
};

/** Calls of `withoutGrowth` that have not returned. */
let reading = 0;
/** Calls of `withLateCollections` that have not returned. */
let collectingLate = 0;
let limited = false;
/** V8's default is 2. */
let factor: 1 | 2 = 2;

/** For this process and the threads that it starts from now on. A command calls it first. */
export function limitHeap(): void {
  // Read when a heap is set up. The heap of this thread already exists, and is only prevented from growing.
  setFlagsFromString(`--max-semi-space-size=${HALF_MB}`);
  limited = true;
  limitOldSpace();
  // It grows at the end of a collection. A timer would wake an idle process. V8 shrinks it while there is little to do:
  // afterwards it may grow again.
  const collections = new PerformanceObserver(() => {
    factor = youngHeapMb() < 2 * HALF_MB ? 2 : 1;
    if (reading === 0) growBy(factor);
  });
  collections.observe({ entryTypes: ['gc'] });
}

/** V8 reads it at the end of each collection, in all threads. */
function limitOldSpace(): void {
  const percent = limited && collectingLate === 0 ? OLD_GROWTH_PERCENT : 0;
  setFlagsFromString(`--heap-growing-percent=${percent}`);
}

/** For work that ends soon and keeps no objects: early collections cost it a tenth more CPU time and save no memory. */
export async function withLateCollections<T>(work: () => Promise<T>): Promise<T> {
  collectingLate += 1;
  limitOldSpace();
  try {
    return await work();
  } finally {
    collectingLate -= 1;
    limitOldSpace();
  }
}

/**
 * While `work` runs, the space for new objects keeps its size. Waiting rows survive in it: a long table would take
 * twice the memory of a short one, and would not be read faster.
 */
export async function withoutGrowth<T>(work: () => Promise<T>): Promise<T> {
  reading += 1;
  growBy(1);
  try {
    return await work();
  } finally {
    reading -= 1;
    if (reading === 0) growBy(factor);
  }
}

/** Of this thread. */
function youngHeapMb(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return (space?.space_size ?? 0) / 2 ** 20;
}
