/**
 * RDKit in a thread of its own, started when there is work and ended when there is none. Questions are collected and sent
 * as one message; if the thread dies, its batch is asked again one by one, so that only the molecule at fault stays
 * unanswered.
 *
 * Rejected: several threads, and a pool from a library. A molecule takes 0.3 ms: a campaign of 100,000 rows is read in half
 * a minute.
 */
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

/** Questions in a message. If the thread dies, so many are asked again one by one. */
const BATCH = 64;
/** RDKit takes half a second to start, and results come in bursts: the thread waits so long for the next question. */
const IDLE_MS = 5_000;

interface PendingQuestion {
  readonly question: Question;
  /** Whether it is asked again, alone, because its batch was lost. */
  readonly alone: boolean;
  readonly resolve: (answer: unknown) => void;
  readonly reject: (reason: Error) => void;
}

/** @param timeLimitMs for a batch, and then for a single molecule */
export function openChemist(timeLimitMs = 10_000): Chemist {
  const thread = new RdkitThread(timeLimitMs);
  // The type of the answer depends on the question.
  const make = (name: keyof Answers) =>
    ((...about: readonly unknown[]) => thread.ask(name, about)) as never;
  return {
    read: make('read'),
    draw: make('draw'),
    compare: make('compare'),
    transferBonds: make('transferBonds'),
  };
}

class RdkitThread {
  readonly #timeLimitMs: number;
  /** In the order of the questions, except for those asked again, which come first. */
  readonly #waiting: PendingQuestion[] = [];
  #worker: Worker | null = null;
  /** What it works on; empty while it is idle, null until it has started. */
  #batch: readonly PendingQuestion[] | null = null;
  #timer: NodeJS.Timeout | undefined;

  constructor(timeLimitMs: number) {
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
    if (this.#waiting.length === 0) return;
    const worker = (this.#worker ??= this.#start());
    if (this.#batch?.length !== 0) return;
    this.#batch = this.#waiting.splice(0, this.#waiting[0]?.alone === true ? 1 : BATCH);
    worker.ref();
    worker.postMessage(this.#batch.map(({ question }) => question));
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#lose(worker, `it was not read within ${String(this.#timeLimitMs / 1000)} s`);
    }, this.#timeLimitMs);
  }

  #start(): Worker {
    // Node 22 prints a warning that it strips types.
    const execArgv = ['--disable-warning=ExperimentalWarning'];
    const worker = new Worker(resolveModule('rdkit-thread', import.meta.url), { execArgv });
    worker.on('message', (answers: readonly unknown[]) => {
      if (worker === this.#worker) this.#receive(worker, answers);
    });
    worker.on('error', (error: Error) => {
      this.#lose(worker, `RDKit crashed on it (${error.message})`);
    });
    worker.on('exit', () => {
      this.#lose(worker, 'RDKit crashed on it');
    });
    return worker;
  }

  #receive(worker: Worker, answers: readonly unknown[]): void {
    for (const [index, asked] of this.#batch?.entries() ?? []) asked.resolve(answers[index]);
    this.#batch = [];
    worker.unref();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#lose(worker, 'it is idle');
    }, IDLE_MS).unref();
    this.#handOut();
  }

  /** The thread is no longer usable. */
  #lose(worker: Worker, reason: string): void {
    if (worker !== this.#worker) return;
    const batch = this.#batch;
    [this.#worker, this.#batch] = [null, null];
    clearTimeout(this.#timer);
    void worker.terminate();
    const error = new Error(`RDKit does not start: ${reason}`);
    if (batch === null) for (const asked of this.#waiting.splice(0)) asked.reject(error);
    else if (batch[0]?.alone === true) batch[0].resolve({ type: 'unanswered', reason });
    else this.#waiting.unshift(...batch.map((one) => ({ ...one, alone: true })));
    this.#handOut();
  }
}

/** The one of this process: each would start threads. */
export const chemist: Chemist = openChemist();
