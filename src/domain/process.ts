/** What a process has: errors of the system, the end of a wait, work that is repeated or done in parallel. */
/** The code of a system's error (errno(3)), such as `ENOENT`; null for anything else. */
export function readErrno(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return typeof error.code === 'string' ? error.code : null;
}

export function hasErrno(error: unknown, ...codes: readonly string[]): boolean {
  const code = readErrno(error);
  return code !== null && codes.includes(code);
}

/**
 * The end of a wait, by a clock that cannot be set. With the wall clock, a wait ends immediately when the clock is set
 * forward, or an hour late when it is set back: a command gave up on a starting host after the clock was corrected.
 */
export class Deadline {
  readonly #endsAt: number;

  /** @param ms from now on */
  constructor(ms: number) {
    this.#endsAt = performance.now() + ms;
  }

  get hasPassed(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Remaining time (ms), at least 1: a time-out of 0 often means no time-out. */
  get leftMs(): number {
    return Math.max(1, this.#endsAt - performance.now());
  }
}

interface PeriodicOptions {
  readonly everyMs: number;
  /** One at a time, regardless of its duration. The signal is aborted when it is to stop early. */
  readonly work: (signal: AbortSignal) => Promise<void>;
  /** The next time still comes. */
  readonly onError: (error: unknown) => void;
}

/** Work that is repeated until it is stopped. */
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

/**
 * Does `work` for every element, at most `limit` at once. After the first failure nothing new is started; it throws
 * once running work has ended, so that no write continues after it.
 */
export async function runInParallel<T>(
  elements: Iterable<T>,
  limit: number,
  work: (element: T) => Promise<void>,
): Promise<void> {
  const source = elements[Symbol.iterator]();
  let failure: { readonly error: unknown } | null = null;
  const lane = async (): Promise<void> => {
    while (failure === null) {
      const next = source.next();
      if (next.done === true) return;
      try {
        await work(next.value);
      } catch (error) {
        failure ??= { error };
      }
    }
  };
  await Promise.all(Array.from({ length: limit }, lane));
  const found = failure as { readonly error: unknown } | null;
  if (found !== null) throw found.error;
}

/**
 * The outcomes of `work`, in the order of the elements, with at most `ahead` of them in progress. After a failure
 * nothing new is started, and running work is not awaited: use it only for work that reads.
 */
export async function* runInOrder<T, R>(
  elements: Iterable<T> | AsyncIterable<T>,
  ahead: number,
  work: (element: T) => Promise<R>,
): AsyncGenerator<R> {
  const underWay: Promise<R>[] = [];
  for await (const element of elements) {
    const outcome = work(element);
    // The error is thrown when its turn comes.
    outcome.catch(() => undefined);
    underWay.push(outcome);
    const [first] = underWay;
    if (first === undefined || underWay.length < ahead) continue;
    void underWay.shift();
    yield await first;
  }
  for (const outcome of underWay) yield await outcome;
}
