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
 * double and more.
 */
const OLD_GROWTH_PERCENT = 25;

/** For this process and the threads that it starts from now on. A command calls it first. */
export function limitHeap(): void {
  // Read when a heap is set up. The heap of this thread already exists, and is only prevented from growing.
  setFlagsFromString(`--max-semi-space-size=${HALF_MB}`);
  setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH_PERCENT}`);
  // It grows at the end of a collection. A timer would wake an idle process. V8 shrinks it while there is little to do:
  // afterwards it may grow again.
  const collections = new PerformanceObserver(() => {
    const factor = youngHeapMb() < 2 * HALF_MB ? 2 : 1;
    setFlagsFromString(`--semi-space-growth-factor=${factor}`);
  });
  collections.observe({ entryTypes: ['gc'] });
}

/** Of this thread. */
function youngHeapMb(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  return (space?.space_size ?? 0) / 2 ** 20;
}
