/** A clock that is set back while this command holds the embedded server. */
import { formatDuration } from '../config/duration.ts';
import { systemClock } from '../ledger/steady-clock.ts';
import { warn } from '../state/warn.ts';
import { ClockWatch } from '../watchdog/clock-watch.ts';
import { markSetBack, WAITED_FOR_MS } from './set-back.ts';

/** @param stop asks this command to end in order, as Ctrl-C does */
export function watchClock(embeddedDir: string, stop = endInOrder): ClockWatch {
  const watch = new ClockWatch(systemClock(), (stepMs) => {
    if (stepMs >= 0) return;
    warn(wordsOf(-stepMs));
    if (-stepMs <= WAITED_FOR_MS) return;
    markSetBack(embeddedDir);
    stop();
  });
  watch.begin();
  return watch;
}

function endInOrder(): void {
  process.kill(process.pid, 'SIGTERM');
}

function wordsOf(backMs: number): string {
  const length = formatDuration(Math.max(1_000, Math.round(backMs / 1_000) * 1_000));
  const step = `the clock of this machine was set back by ${length}`;
  if (backMs <= WAITED_FOR_MS)
    return `${step}: Temporal stands still for as long, and then everything goes on.`;
  return (
    `${step}. Temporal cannot go on with its database, which is set aside. Type the same command again: what is done ` +
    'stays done, and nothing is submitted twice.'
  );
}
