/** Detects a clock that is set back while this command runs the embedded server, or before it took the server over. */
import { formatNonZeroDuration } from '../domain/duration.ts';
import { systemClock, type SteadyClock } from '../ledger/steady-clock.ts';
import { warn } from '../state/warn.ts';
import { ClockWatch } from '../watchdog/clock-watch.ts';
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
