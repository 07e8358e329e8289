/**
 * Work of the report in a thread of its own, which may block (store/blocking-reads.ts). Ten thousand results keep it busy
 * for half a minute, while the worker's own thread has heartbeats to send and other campaigns to serve.
 */
import { Worker } from 'node:worker_threads';
import type { ProgressOptions, PublishProgress } from '../progress.ts';
import type { Order, Report } from './answer.ts';
import { errorOf } from './serialized-error.ts';

/** Node 22 announces on stderr that it strips types. */
export const WITHOUT_WARNING = ['--disable-warning=ExperimentalWarning'];
/**
 * Of a thread. Results are read and dropped one after the other: with three times as much for what is young, garbage is
 * collected less often, and 10,000 items take 900 MB instead of 570. No result comes near the larger number: a text in
 * Node has 512 MB at most.
 */
export const MEMORY = { maxYoungGenerationSizeMb: 32, maxOldGenerationSizeMb: 1536 };
/** A large file that is brought to the disk takes seconds without news. */
const BEAT_MS = 1_000;

/**
 * Has `script`, which answers with answer.ts, do `work`. The heartbeat comes as the thread's own, and every second while
 * it lives; it stops at its next one when the signal is given, leaving nothing half.
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
    // Whatever it met when it was asked to stop.
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
    // Not before: its last files are closed by then.
    thread.on('exit', (code) => {
      clearInterval(beats);
      if (outcome?.type === 'done') resolve(outcome.result);
      else if (outcome) reject(errorOf(outcome.error));
      else reject(new Error(`a thread of the report ended with ${code} and without a word`));
    });
  });
}
