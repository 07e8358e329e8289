/**
 * Detects a clock that is set back while this command runs the embedded server, or before it took the server over.
 *
 * The Temporal server stores its timers with absolute times, and never dispatches a task that is due earlier than one
 * already dispatched: it stops for as long as the clock was set back, also after a restart on the same database
 * (measured, docs/reliability.md). So that database is set aside, and the next command creates a new one. Nothing is lost
 * and nothing is sent twice: ended items and accepted jobs are in the output tree, submissions in the ledger.
 */
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatNonZeroDuration } from '../../domain/units.ts';
import { createSystemClock, type Moment, type SteadyClock } from '../../ledger/steady-clock.ts';
import { PRIVATE_FILE } from '../../state.ts';
import { warn } from '../../program.ts';
import { readRecord, writeRecord } from './folder.ts';

/** Each look writes a small file. */
const POLL_INTERVAL_MS = 2_000;

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
  clock: SteadyClock = createSystemClock(),
): WatchedClock {
  const known = readRecord(embeddedDir, 'clock');
  if (known && known.wallMs - clock.now().wallMs > WAITED_FOR_MS) markSetBack(embeddedDir);
  let last = clock.now();
  const look = (): void => {
    const now = clock.now();
    const stepMs = computeStep(last, now);
    last = now;
    // Before the database is marked, the time after a step must not overwrite the older one.
    if (stepMs < 0) {
      warn(describeStep(-stepMs));
      if (-stepMs > WAITED_FOR_MS) {
        markSetBack(embeddedDir);
        stop();
      }
    }
    try {
      writeRecord(embeddedDir, 'clock', { wallMs: now.wallMs });
    } catch {
      // The disk is full, or the folder was removed: the older time remains, and a step is detected slightly later.
    }
  };
  look();
  const timer = setInterval(look, POLL_INTERVAL_MS).unref();
  return {
    end() {
      clearInterval(timer);
      look();
    },
  };
}

/** NTP slews smaller errors, and the two clocks are read one after the other. */
const MIN_STEP_MS = 1_000;

/**
 * By how much the wall clock was set, in ms: positive forward, negative back, 0 if it was not. It does not matter how long
 * ago the first reading was: the process may have been suspended.
 */
export function computeStep(from: Moment, to: Moment): number {
  if (to.run !== from.run) return 0;
  const stepMs = to.wallMs - from.wallMs - (to.steadyMs - from.steadyMs);
  return Math.abs(stepMs) > MIN_STEP_MS ? stepMs : 0;
}

function endInOrder(): void {
  process.kill(process.pid, 'SIGTERM');
}

function describeStep(backMs: number): string {
  const length = formatNonZeroDuration(backMs);
  const step = `the clock of this machine was set back by ${length}`;
  if (backMs <= WAITED_FOR_MS)
    return `${step}: Temporal stops for that long, and then everything continues.`;
  return (
    `${step}. Temporal cannot continue with its database, which is set aside. Run the same command again: finished items ` +
    'are kept, and nothing is submitted twice.'
  );
}

/** If it was set back by less (ms), we wait until the server continues. */
const WAITED_FOR_MS = 60_000;

const DATABASE = 'temporal.db';
const MARK = 'clock-set-back';

/** The next server in this folder must not use the existing database. */
function markSetBack(dir: string): void {
  writeFileSync(join(dir, MARK), '', { mode: PRIVATE_FILE });
}

/** Whether the database can no longer be used. */
export function isSetBack(dir: string): boolean {
  return existsSync(join(dir, MARK));
}

/**
 * Sets the database aside if a command has marked it. No server may run on it. Returns the new name of the database;
 * null if it was not moved.
 */
export function setAsideAfterStep(dir: string, now = Date.now()): string | null {
  if (!isSetBack(dir)) return null;
  const aside = `temporal-before-${new Date(now).toISOString().replaceAll(/[:.]/g, '-')}.db`;
  for (const name of listDatabaseFiles(dir))
    renameSync(join(dir, name), join(dir, name.replace(DATABASE, aside)));
  rmSync(join(dir, MARK), { force: true });
  return aside;
}

/** Including its write-ahead log. */
function listDatabaseFiles(dir: string): string[] {
  return readdirSync(dir).filter((name) => name === DATABASE || name.startsWith(`${DATABASE}-`));
}
