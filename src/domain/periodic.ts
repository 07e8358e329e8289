/** Work that is repeated until it is stopped. */

interface PeriodicOptions {
  readonly everyMs: number;
  /** One at a time, regardless of its duration. The signal is aborted when it is to stop early. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** The next time still comes. */
  readonly onError: (error: unknown) => void;
}

export class Periodic {
  readonly #options: PeriodicOptions;
  readonly #stopped = new AbortController();
  #timer: NodeJS.Timeout | null = null;
  #working: Promise<void> = Promise.resolve();

  constructor(options: PeriodicOptions) {
    this.#options = options;
  }

  /** The first time is after `everyMs`. */
  start(): void {
    const { everyMs, onError } = this.#options;
    this.#timer = setInterval(() => void this.runNow().catch(onError), everyMs);
    this.#timer.unref();
  }

  /** Once more, after the one in progress. Throws what the work throws. */
  runNow(): Promise<void> {
    const { signal } = this.#stopped;
    const run = this.#working.then(() => (signal.aborted ? undefined : this.#options.work(signal)));
    this.#working = run.catch(() => undefined);
    return run;
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#working;
  }
}
