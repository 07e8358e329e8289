/** The counterpart of call.ts, in the thread. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ProgressOptions, PublishProgress } from '../progress.ts';
import { serializeError, type SerializedError } from './serialized-error.ts';

export interface Order {
  /** The order, in a form that the script defines. */
  readonly work: unknown;
  /** Set to 1 to stop the thread: a blocked thread receives no messages. */
  readonly stop: Int32Array;
}

export type Report =
  | { readonly type: 'progress'; readonly progress: PublishProgress }
  | { readonly type: 'done'; readonly result: unknown }
  | { readonly type: 'failed'; readonly error: SerializedError };

/** Progress is not sent for each of 100,000 files; in ms. */
const BETWEEN_NEWS_MS = 100;

/** Executes the order. `work` must call `heartbeat` often; it throws when the thread is to stop. */
export async function answerCall(
  work: (order: unknown, options: Required<Pick<ProgressOptions, 'heartbeat'>>) => Promise<unknown>,
): Promise<void> {
  const { work: order, stop } = workerData as Order;
  const post = (report: Report): void => parentPort?.postMessage(report);
  const posted = { step: '', at: -Infinity };
  const heartbeat = (progress: PublishProgress): void => {
    if (Atomics.load(stop, 0) === 1) throw new StoppedError();
    const now = performance.now();
    if (progress.step === posted.step && now - posted.at < BETWEEN_NEWS_MS) return;
    Object.assign(posted, { step: progress.step, at: now });
    post({ type: 'progress', progress });
  };
  try {
    post({ type: 'done', result: await work(order, { heartbeat }) });
  } catch (error) {
    post({ type: 'failed', error: serializeError(error) });
  }
}

/** The caller knows the reason. */
class StoppedError extends Error {
  constructor() {
    super('the thread was asked to stop');
  }
}
