/** How long something may take, in the time of a machine that has nothing else to do. */
import { availableParallelism, loadavg } from 'node:os';

const LOOK_EVERY_MS = 250;
/** Processes a core that want to run, from which on a machine counts as busy: a round alone is as many. */
const CALM_LOAD = 1.5;
/** The limits are generous already; what hangs must be found on a busy machine, too. */
const SLOWEST = 3;

/** Runs out after `ms`, or later by as much as others keep the machine busy. Must be ended. */
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
    }, LOOK_EVERY_MS);
  }

  get isOver(): boolean {
    return this.#leftMs <= 0;
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** 1 on a machine that is not busy, 3 where everything takes three times as long. */
function slowness(): number {
  const [lastMinute = 0] = loadavg();
  const load = lastMinute / availableParallelism() / CALM_LOAD;
  return Math.min(SLOWEST, Math.max(1, load));
}
