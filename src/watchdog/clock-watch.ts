/**
 * Notices when the clock of this machine is set. A step back stops the Temporal server: its timers have absolute times,
 * and it never dispatches a task that is due earlier than one already dispatched (docs/reliability.md).
 */
import type { Moment, SteadyClock } from '../ledger/steady-clock.ts';

/** By how much the wall clock was set, in ms: positive forward, negative back. */
type OnStep = (stepMs: number) => void;

const LOOK_EVERY_MS = 1_000;
/** NTP slews smaller errors, and the two clocks are read one after the other. */
const STEP_MS = 1_000;

export class ClockWatch {
  readonly #clock: SteadyClock;
  readonly #onStep: OnStep;
  #last: Moment;
  #timer: NodeJS.Timeout | null = null;

  constructor(clock: SteadyClock, onStep: OnStep) {
    this.#clock = clock;
    this.#onStep = onStep;
    this.#last = clock.now();
  }

  begin(): void {
    this.#timer ??= setInterval(() => {
      this.look();
    }, LOOK_EVERY_MS).unref();
  }

  end(): void {
    if (this.#timer) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Compares the two clocks since the last check, no matter how long ago: the process may have been suspended. */
  look(): void {
    const now = this.#clock.now();
    const { run, steadyMs, wallMs } = this.#last;
    this.#last = now;
    if (now.run !== run) return;
    const stepMs = now.wallMs - wallMs - (now.steadyMs - steadyMs);
    if (Math.abs(stepMs) > STEP_MS) this.#onStep(stepMs);
  }
}
