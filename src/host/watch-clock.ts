/** A clock that is set back while this command holds the embedded server, or was before it took the server over. */
import { formatNonZeroDuration } from '../domain/duration.ts';
import { systemClock, type SteadyClock } from '../ledger/steady-clock.ts';
import { warn } from '../state/warn.ts';
import { ClockWatch } from '../watchdog/clock-watch.ts';
import { readRecord, writeRecord } from './record.ts';
import { markSetBack, WAITED_FOR_MS } from './set-back.ts';

const RECORD_EVERY_MS = 5_000;

export interface WatchedClock {
  end(): void;
}

/**
 * Marks the database when the clock was set back since the last host wrote down the time, and watches the clock from
 * now on. Call it before the server is started.
 * @param stop asks this command to end in order, as Ctrl-C does
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
  // A step is looked for first: the time after it must not replace the time before it unmarked.
  const record = () => {
    watch.look();
    try {
      writeRecord(embeddedDir, 'clock', { wallMs: clock.now().wallMs });
    } catch {
      // The disk is full, or the folder was removed: an older time stays, which only notices a step a little later.
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
