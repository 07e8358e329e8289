/**
 * V8's space for new objects. By default it grows to 128 MB in each thread as long as objects survive in it, and is
 * rarely given back. A worker needs no more than a few megabytes: with more, it uses 150 MB and no less CPU
 * (docs/benchmarks.md, "What the worker saved").
 */
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Of one half of the space; V8 copies what survives from one half to the other. */
const HALF_MB = 8;

const growBy = (factor: 1 | 2): void => {
  setFlagsFromString(`--semi-space-growth-factor=${factor}`);
};

/** Calls of `withoutGrowth` that have not returned. */
let reading = 0;
/** V8's default is 2. */
let factor: 1 | 2 = 2;

/** For this process and the threads that it starts from now on. A command calls it first. */
export function limitYoungHeap(): void {
  // Read when a heap is set up: the one of this thread exists already, and is only stopped from growing.
  setFlagsFromString(`--max-semi-space-size=${HALF_MB}`);
  // It grows at the end of a collection. A timer would wake an idle process. V8 shrinks it while there is little to do:
  // then it may grow again.
  const collections = new PerformanceObserver(() => {
    factor = youngHeapMb() < 2 * HALF_MB ? 2 : 1;
    if (reading === 0) growBy(factor);
  });
  collections.observe({ entryTypes: ['gc'] });
}

/**
 * While `work` runs, the space keeps its size. Waiting rows survive in it: a long table would take twice the memory of a
 * short one, and be read no faster.
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
export function youngHeapMb(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return (space?.space_size ?? 0) / 2 ** 20;
}
