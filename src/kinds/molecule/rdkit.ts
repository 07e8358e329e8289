/**
 * RDKit in its own threads. Requests are collected and sent to a thread as one message; if a thread dies, its batch is
 * retried one by one, so that only the faulty molecule stays unanswered.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { moduleBeside } from '../../program/files.ts';
import type { Chemist, Unanswered } from './chemist.ts';
import type { ChemistAnswer, Question } from './rdkit-thread.ts';

export interface ChemistOptions {
  /** Time limit for a batch, and then for a single molecule, in ms. Reading a molecule takes about 0.2 ms. */
  readonly timeLimitMs?: number;
  /** The default is the number of cores, up to four. */
  readonly threads?: number;
}

/** Each takes about 80 MB; with more than a few, reading the rows is the bottleneck. */
const MOST_THREADS = 4;
/**
 * Small compared with the waiting rows (a thousand), so that all threads have work; large enough to outweigh the
 * message overhead.
 */
const BATCH = 64;
/** Queued batches, so that a thread never waits for the next one. */
const IN_STOCK = 2;

interface Asked extends Question {
  /** Whether it is retried, alone, because its batch was lost. */
  readonly alone: boolean;
  resolve(answer: ChemistAnswer | Unanswered): void;
  reject(reason: Error): void;
}

interface Thread {
  readonly worker: Worker;
  /** Null while the thread is parked. */
  owner: RdkitThreads | null;
  /** False until RDKit has started. */
  ready: boolean;
  /** In the order in which they were sent, and are answered. */
  readonly batches: (readonly Asked[])[];
  timer: NodeJS.Timeout | null;
}

/** How long threads are kept for the next chemist, in ms. */
const PARKED_MS = 5_000;
/** RDKit takes half a second to start. Threads of a closed chemist wait here, without keeping the process alive. */
const parked = new Set<Thread>();

function startThread(owner: RdkitThreads): Thread {
  // Node 22 prints a warning that it strips types.
  const execArgv = ['--disable-warning=ExperimentalWarning'];
  const worker = new Worker(moduleBeside('rdkit-thread', import.meta.url), { execArgv });
  const thread: Thread = { worker, owner, ready: false, batches: [], timer: null };
  worker.on('message', (message: 'ready' | readonly ChemistAnswer[]) => {
    thread.owner?.hear(thread, message);
  });
  worker.on('error', (error: Error) => {
    parked.delete(thread);
    thread.owner?.lose(thread, `RDKit crashed on it (${error.message})`);
  });
  worker.on('exit', () => {
    parked.delete(thread);
    thread.owner?.lose(thread, 'RDKit crashed on it');
  });
  return thread;
}

function park(thread: Thread): void {
  thread.owner = null;
  thread.worker.unref();
  parked.add(thread);
  setTimeout(() => {
    if (parked.delete(thread)) void thread.worker.terminate();
  }, PARKED_MS).unref();
}

function takeParked(owner: RdkitThreads): Thread | null {
  const [thread] = parked;
  if (thread === undefined) return null;
  parked.delete(thread);
  thread.owner = owner;
  thread.worker.ref();
  return thread;
}

export function openChemist({
  timeLimitMs = 10_000,
  threads: most = Math.min(availableParallelism(), MOST_THREADS),
}: ChemistOptions = {}): Chemist {
  const threads = new RdkitThreads(timeLimitMs, most);
  return {
    // The type of the answer depends on the request.
    readSmiles: (text) => threads.ask('smiles', text) as ReturnType<Chemist['readSmiles']>,
    readMolfile: (text) => threads.ask('molfile', text) as ReturnType<Chemist['readMolfile']>,
    readGraph: (text) => threads.ask('graph', text) as ReturnType<Chemist['readGraph']>,
    draw: (text) => threads.ask('drawing', text) as ReturnType<Chemist['draw']>,
    compare: (input, result) =>
      threads.askPair('comparison', input, result) as ReturnType<Chemist['compare']>,
    mapAtoms: (input, result) =>
      threads.askPair('mapping', input, result) as ReturnType<Chemist['mapAtoms']>,
    close: () => threads.close(),
  };
}

class RdkitThreads {
  readonly #timeLimitMs: number;
  readonly #most: number;
  readonly #threads = new Set<Thread>();
  /** In request order, except for retries, which come first. */
  readonly #waiting: Asked[] = [];
  /** Set while the requests of one turn of the event loop are collected. */
  #collecting = false;
  #closed = false;

  constructor(timeLimitMs: number, most: number) {
    this.#timeLimitMs = timeLimitMs;
    this.#most = most;
  }

  ask(format: Question['format'], text: string): Promise<ChemistAnswer | Unanswered> {
    if (this.#closed) return Promise.reject(new Error('the chemist is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({ format, text, alone: false, resolve, reject });
      if (this.#collecting) return;
      this.#collecting = true;
      setImmediate(() => {
        this.#collecting = false;
        this.#handOut();
      });
    });
  }

  askPair(
    format: Question['format'],
    input: object,
    result: object,
  ): ReturnType<RdkitThreads['ask']> {
    return this.ask(format, JSON.stringify({ input, result }));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#rejectAll(new Error('the chemist was closed'));
    const threads = [...this.#threads];
    this.#threads.clear();
    for (const { timer } of threads) clearTimeout(timer ?? undefined);
    const isIdle = ({ ready, batches }: Thread): boolean => ready && batches.length === 0;
    for (const thread of threads.filter(isIdle)) park(thread);
    await Promise.all(
      threads.filter(({ owner }) => owner !== null).map(({ worker }) => worker.terminate()),
    );
  }

  #handOut(): void {
    for (const thread of this.#threads) {
      while (this.#waiting.length > 0 && this.#mayTake(thread)) this.#send(thread);
    }
    const starting = [...this.#threads].filter(({ ready }) => !ready).length;
    // Starting threads will take a batch each: another thread is only started for work beyond that.
    if (
      this.#waiting.length > starting * BATCH &&
      this.#threads.size < this.#most &&
      !this.#closed
    ) {
      this.#start();
    }
  }

  /** A retry gets a thread of its own, so that the cause of a crash is known. */
  #mayTake({ ready, batches }: Thread): boolean {
    if (!ready || batches.length === 0) return ready;
    const alone = this.#waiting[0]?.alone === true || batches[0]?.[0]?.alone === true;
    return batches.length < IN_STOCK && !alone;
  }

  #send(thread: Thread): void {
    const alone = this.#waiting[0]?.alone ?? false;
    const batch = this.#waiting.splice(0, alone ? 1 : BATCH);
    thread.batches.push(batch);
    thread.worker.postMessage(batch.map(({ format, text }) => ({ format, text })));
    if (thread.batches.length === 1) this.#limitTime(thread);
  }

  #limitTime(thread: Thread): void {
    clearTimeout(thread.timer ?? undefined);
    if (thread.batches.length === 0) return;
    thread.timer = setTimeout(() => {
      this.lose(thread, `it was not read within ${String(this.#timeLimitMs / 1000)} s`);
    }, this.#timeLimitMs);
  }

  #start(): void {
    const thread = takeParked(this) ?? startThread(this);
    this.#threads.add(thread);
    if (thread.ready) this.#handOut();
  }

  hear(thread: Thread, message: 'ready' | readonly ChemistAnswer[]): void {
    if (message === 'ready') thread.ready = true;
    else this.#take(thread, message);
    this.#handOut();
  }

  #take(thread: Thread, answers: readonly ChemistAnswer[]): void {
    const batch = thread.batches.shift() ?? [];
    this.#limitTime(thread);
    for (const [index, asked] of batch.entries()) {
      const answer = answers[index];
      if (answer) asked.resolve(answer);
      else asked.reject(new Error('RDKit answered fewer questions than it was asked'));
    }
  }

  /** The thread is no longer usable. Its pending requests are retried one by one. */
  lose(thread: Thread, reason: string): void {
    if (!this.#threads.delete(thread)) return;
    clearTimeout(thread.timer ?? undefined);
    void thread.worker.terminate();
    if (!thread.ready) {
      this.#rejectAll(new Error(`RDKit does not start: ${reason}`));
      return;
    }
    const asked = thread.batches.flat();
    if (asked[0]?.alone === true) asked[0].resolve({ type: 'unanswered', reason });
    else this.#waiting.unshift(...asked.map((one) => ({ ...one, alone: true })));
    this.#handOut();
  }

  #rejectAll(reason: Error): void {
    const sent = [...this.#threads].flatMap(({ batches }) => batches.flat());
    const unanswered = [...this.#waiting.splice(0), ...sent];
    for (const asked of unanswered) asked.reject(reason);
  }
}
