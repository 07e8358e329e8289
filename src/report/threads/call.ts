/**
 * Runs work of the report in its own thread, which may block (store/blocking-reads.ts). Ten thousand results keep it
 * busy for half a minute, while the worker's main thread has to send heartbeats and serve other campaigns.
 */
import { Worker } from 'node:worker_threads';
import type { ProgressOptions, PublishProgress } from '../progress.ts';
import type { Order, Report } from './answer.ts';
import { deserialized } from './serialized-error.ts';

/** Node 22 prints a warning that it strips types. */
export const WITHOUT_WARNING = ['--disable-warning=ExperimentalWarning'];
/**
 * Limits of a thread. Results are read and dropped one by one: with 16 MB for young objects, 10,000 items take 550 MB
 * and the same CPU time as with 32 MB (635 MB); with 96 MB they take 900 MB. No result needs as much as the larger
 * limit: a string in Node has at most 512 MB.
 */
export const MEMORY = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 1536 };
/** Flushing a large file to disk takes seconds without progress. */
const BEAT_MS = 1_000;

/**
 * Runs `work` in `script`, which uses answer.ts. `heartbeat` is called for each heartbeat of the thread, and every
 * second while it runs; after an abort the thread stops at its next heartbeat and leaves no incomplete file.
 * @throws what the work throws: coded errors as they are, others as `Error`
 */
export async function callThread(
  script: URL,
  work: unknown,
  { heartbeat, signal }: ProgressOptions = {},
): Promise<unknown> {
  signal?.throwIfAborted();
  const stop = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const askToStop = (): void => void Atomics.store(stop, 0, 1);
  signal?.addEventListener('abort', askToStop);
  try {
    return await answered(script, { work, stop }, heartbeat);
  } catch (error) {
    // After an abort, the thread's own error does not matter.
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', askToStop);
  }
}

function answered(
  script: URL,
  order: Order,
  heartbeat: ProgressOptions['heartbeat'],
): Promise<unknown> {
  const thread = new Worker(script, {
    workerData: order,
    execArgv: WITHOUT_WARNING,
    resourceLimits: MEMORY,
  });
  return new Promise((resolve, reject) => {
    let last: PublishProgress | null = null;
    let outcome: Exclude<Report, { type: 'progress' }> | null = null;
    const beat = (): void => {
      if (last !== null) heartbeat?.(last);
    };
    const beats = setInterval(beat, BEAT_MS);
    thread.on('message', (report: Report) => {
      if (report.type === 'progress') {
        last = report.progress;
        beat();
      } else outcome = report;
    });
    thread.on('error', reject);
    // Not earlier: only now are its last files closed.
    thread.on('exit', (code) => {
      clearInterval(beats);
      if (outcome?.type === 'done') resolve(outcome.result);
      else if (outcome) reject(deserialized(outcome.error));
      else reject(new Error(`a thread of the report ended with ${code} and without a word`));
    });
  });
}
