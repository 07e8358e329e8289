/** A clock that is set back stops the embedded server: the user is told until when, and how to go on at once. */
import { formatDuration } from '../config/duration.ts';
import { systemClock } from '../ledger/steady-clock.ts';
import { warn } from '../state/warn.ts';
import { ClockWatch } from '../watchdog/clock-watch.ts';

export function watchClock(embeddedDir: string): ClockWatch {
  const watch = new ClockWatch(systemClock(), (stepMs) => {
    if (stepMs < 0) warn(wordsOf(-stepMs, embeddedDir));
  });
  watch.begin();
  return watch;
}

function wordsOf(backMs: number, embeddedDir: string): string {
  const length = formatDuration(Math.max(1_000, Math.round(backMs / 1_000) * 1_000));
  return (
    `the clock of this machine was set back by ${length}: Temporal stands still for as long, and then everything ` +
    `goes on. Not to wait: end this command, run "hundredfold stop", remove ${embeddedDir} and type the same ` +
    'command again. Accepted jobs are known by the output tree, and submissions by the ledger.'
  );
}
