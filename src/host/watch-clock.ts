/** Detects a clock that is set back while this command runs the embedded server, or before it took the server over. */
import { formatNonZeroDuration } from '../domain/duration.ts';
import { systemClock, type SteadyClock, type Moment } from '../ledger/steady-clock.ts';
import { warn } from '../state/warn.ts';
import { readRecord, writeRecord } from './record.ts';
import { markSetBack, WAITED_FOR_MS } from './set-back.ts';

const RECORD_EVERY_MS = 5_000;

interface WatchedClock {
  end(): void;
}

/**
 * Marks the database when the clock was set back since the last host recorded the time, and watches the clock from now
 * on. Call it before the server is started.
 * @param stop makes this command end in order, like Ctrl-C
 */
export function watchClock(
  embeddedDir: string,
  stop = endInOrder,
  clock: SteadyClock = systemClock(),
): WatchedClock {
  const known = readRecord(embeddedDir, 'clock');
  if (known && known.wallMs - clock.now().wallMs > WAITED_FOR_MS) markSetBack(embeddedDir);
  const watch = new ClockWatch(clock, (stepMs) => {
    if (stepMs >= 0) return;
    warn(wordsOf(-stepMs));
    if (-stepMs <= WAITED_FOR_MS) return;
    markSetBack(embeddedDir);
    stop();
  });
  // First check for a step: before the database is marked, the time after the step must not overwrite the older one.
  const record = () => {
    watch.look();
    try {
      writeRecord(embeddedDir, 'clock', { wallMs: clock.now().wallMs });
    } catch {
      // The disk is full, or the folder was removed: the older time remains, and a step is detected slightly later.
    }
  };
  record();
  watch.begin();
  const timer = setInterval(record, RECORD_EVERY_MS).unref();
  return {
    end: () => {
      clearInterval(timer);
      record();
      watch.end();
    },
  };
}

function endInOrder(): void {
  process.kill(process.pid, 'SIGTERM');
}

function wordsOf(backMs: number): string {
  const length = formatNonZeroDuration(backMs);
  const step = `the clock of this machine was set back by ${length}`;
  if (backMs <= WAITED_FOR_MS)
    return `${step}: Temporal stops for that long, and then everything continues.`;
  return (
    `${step}. Temporal cannot continue with its database, which is set aside. Run the same command again: finished items ` +
    'are kept, and nothing is submitted twice.'
  );
}

/**
 * Notices when the clock of this machine is set. A step back stops the Temporal server: its timers have absolute times,
 * and it never dispatches a task that is due earlier than one already dispatched (docs/reliability.md).
 */

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
