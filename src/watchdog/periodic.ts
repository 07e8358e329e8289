/** Work that a worker repeats until it stops. */

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
    const { everyMs, work, onError } = this.#options;
    this.#timer = setInterval(() => {
      this.#working = this.#working
        .then(() => (this.#stopped.signal.aborted ? undefined : work(this.#stopped.signal)))
        .catch(onError);
    }, everyMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    if (this.#timer) clearInterval(this.#timer);
    this.#stopped.abort();
    await this.#working;
  }
}
