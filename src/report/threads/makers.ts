/**
 * Threads that read results and make the parts of them for tables and report.
 *
 * Rejected: two threads that each read the whole tree, one for tables and one for the report; it took a sixth longer.
 * Tried without gain: CSV rows as bytes, typed arrays for Parquet columns, one page per column, less compression, a
 * larger heap for young objects, single-threaded garbage collection.
 */
import { availableParallelism } from 'node:os';
import Tinypool from 'tinypool';
import { moduleBeside } from '../../program/files.ts';
import { objectStoreAccess } from '../../store/open-store.ts';
import type { Maker } from '../result-pass.ts';
import { MEMORY, WITHOUT_WARNING } from './call.ts';
import type { Made, PartsOrder, PartsWork } from './parts.ts';
import { deserialized } from './serialized-error.ts';

/** Two make parts as fast as one thread can consume them, and each takes 100 MB. */
const MOST_THREADS = 2;
/** Queued blocks, so that a thread never waits for the next one. */
const IN_STOCK = 3;

interface Makers extends Maker {
  /** Terminates the threads immediately. */
  close(): Promise<void>;
}

/** For the tree in `folder`. */
export function openMakers(folder: string): Makers {
  const threads = Math.min(availableParallelism(), MOST_THREADS);
  const pool = new Tinypool({
    filename: moduleBeside('parts', import.meta.url).href,
    minThreads: threads,
    maxThreads: threads,
    concurrentTasksPerWorker: IN_STOCK,
    workerData: { folder, access: objectStoreAccess() } satisfies PartsWork,
    execArgv: WITHOUT_WARNING,
    resourceLimits: MEMORY,
  });
  return {
    atOnce: threads * IN_STOCK,
    make: async (block) => {
      const order: PartsOrder = { items: JSON.stringify(block.items), own: block.own };
      const made = (await pool.run(order)) as Made;
      if (made.type === 'failed') throw deserialized(made.error);
      return made.parts;
    },
    close: () => pool.destroy(),
  };
}
