/**
 * RDKit in threads of its own, started when there is work and ended when there is none. Questions are collected and sent to
 * a thread as one message; if a thread dies, its batch is asked again one by one, so that only the molecule at fault stays
 * unanswered.
 *
 * Rejected: a pool from a library. Its tasks are single: there are a million of 0.3 ms.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { resolveModule } from '../../program.ts';
import type { Answers, Question } from './rdkit-thread.ts';

/** RDKit crashed on it or took too long, even for this molecule alone. */
export interface Unanswered {
  readonly type: 'unanswered';
  readonly reason: string;
}

/** Many questions may be open in parallel. A promise is rejected only if RDKit does not start. */
export type Chemist = {
  readonly [N in keyof Answers]: (
    ...about: Parameters<Answers[N]>
  ) => Promise<ReturnType<Answers[N]> | Unanswered>;
};

interface ChemistOptions {
  /** Time limit for a batch, and then for a single molecule, in ms. Reading a molecule takes about 0.3 ms. */
  readonly timeLimitMs?: number;
}

/** Each takes about 80 MB; with more than a few, reading the rows is the bottleneck. */
const MAX_THREADS = 4;
/** Small compared with the waiting rows (a thousand), so that all threads have work. */
const BATCH = 64;
/** RDKit takes half a second to start, and results come in bursts: a thread waits so long for the next question. */
const IDLE_MS = 5_000;

interface Asked {
  readonly question: Question;
  /** Whether it is asked again, alone, because its batch was lost. */
  readonly alone: boolean;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: Error) => void;
}

interface Thread {
  readonly worker: Worker;
  /** What it works on; empty while it is idle, null until it has started. */
  batch: readonly Asked[] | null;
  timer: NodeJS.Timeout | undefined;
}

export function openChemist(options: ChemistOptions = {}): Chemist {
  const threads = new RdkitThreads(options);
  // The type of the answer depends on the question.
  const make = (name: keyof Answers) =>
    ((...about: readonly unknown[]) => threads.ask(name, about)) as never;
  return {
    read: make('read'),
    draw: make('draw'),
    compare: make('compare'),
    transferBonds: make('transferBonds'),
  };
}

class RdkitThreads {
  readonly #timeLimitMs: number;
  readonly #most = Math.min(availableParallelism(), MAX_THREADS);
  /** In the order of the questions, except for those asked again, which come first. */
  readonly #waiting: Asked[] = [];
  readonly #threads = new Set<Thread>();

  constructor({ timeLimitMs = 10_000 }: ChemistOptions) {
    this.#timeLimitMs = timeLimitMs;
  }

  ask(...question: Question): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, alone: false, resolve, reject });
      // After all questions of this turn of the event loop.
      setImmediate(() => {
        this.#handOut();
      });
    });
  }

  #handOut(): void {
    for (const thread of this.#threads) if (thread.batch?.length === 0) this.#send(thread);
    const starting = [...this.#threads].filter(({ batch }) => batch === null).length;
    // Starting threads will take a batch each: another thread is only started for work beyond that.
    if (this.#waiting.length > starting * BATCH && this.#threads.size < this.#most) this.#start();
  }

  #send(thread: Thread): void {
    const batch = this.#waiting.splice(0, this.#waiting[0]?.alone === true ? 1 : BATCH);
    if (batch.length === 0) return;
    thread.batch = batch;
    thread.worker.ref();
    thread.worker.postMessage(batch.map(({ question }) => question));
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => {
      this.#lose(thread, `it was not read within ${String(this.#timeLimitMs / 1000)} s`);
    }, this.#timeLimitMs);
  }

  #start(): void {
    // Node 22 prints a warning that it strips types.
    const execArgv = ['--disable-warning=ExperimentalWarning'];
    const worker = new Worker(resolveModule('rdkit-thread', import.meta.url), { execArgv });
    const thread: Thread = { worker, batch: null, timer: undefined };
    this.#threads.add(thread);
    worker.on('message', (answers: readonly unknown[]) => {
      this.#receive(thread, answers);
    });
    worker.on('error', (error: Error) => {
      this.#lose(thread, `RDKit crashed on it (${error.message})`);
    });
    worker.on('exit', () => {
      this.#lose(thread, 'RDKit crashed on it');
    });
  }

  #receive(thread: Thread, answers: readonly unknown[]): void {
    for (const [index, asked] of thread.batch?.entries() ?? []) asked.resolve(answers[index]);
    thread.batch = [];
    thread.worker.unref();
    clearTimeout(thread.timer);
    thread.timer = setTimeout(() => {
      this.#lose(thread, 'it is idle');
    }, IDLE_MS).unref();
    this.#handOut();
  }

  /** The thread is no longer usable. */
  #lose(thread: Thread, reason: string): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    const { batch } = thread;
    const error = new Error(`RDKit does not start: ${reason}`);
    if (batch === null) for (const asked of this.#waiting.splice(0)) asked.reject(error);
    else if (batch[0]?.alone === true) batch[0].resolve({ type: 'unanswered', reason });
    else this.#waiting.unshift(...batch.map((one) => ({ ...one, alone: true })));
    this.#handOut();
  }
}

/** The one of this process: each would start threads. */
export const chemist: Chemist = openChemist();
