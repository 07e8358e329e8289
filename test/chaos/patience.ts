/** Time limits in the time of an idle machine. */
import { availableParallelism, loadavg } from 'node:os';

const POLL_INTERVAL_MS = 250;
/** Number of runnable processes per core from which on a machine counts as busy: a single round has as many. */
const CALM_LOAD = 1.5;
/** The limits are generous already; hanging processes must be found on a busy machine, too. */
const SLOWEST = 3;

/** Expires after `ms`, or later by the share of CPU that other processes take. Must be ended. */
export class Patience {
  readonly over: Promise<void>;
  #leftMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#leftMs = ms;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.over = promise;
    let last = performance.now();
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.#leftMs -= (now - last) / slowness();
      last = now;
      if (this.isOver) resolve(undefined);
    }, POLL_INTERVAL_MS);
  }

  get isOver(): boolean {
    return this.#leftMs <= 0;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** 1 on a machine that is not busy, 3 if everything takes three times as long. */
function slowness(): number {
  const [lastMinute = 0] = loadavg();
  const load = lastMinute / availableParallelism() / CALM_LOAD;
  return Math.min(SLOWEST, Math.max(1, load));
}
