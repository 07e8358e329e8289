/**
 * A clock that cannot be set. The wall clock may be stepped by NTP, by a user or by a resumed machine; elapsed time
 * between two processes is measured with the system's own counter since boot.
 *
 * A counter is only meaningful within its run: each reading contains the id of that run (`run`). Two readings of one
 * run are compared by the counter alone. Readings of two runs (the machine was restarted between them) can only be
 * compared by the wall clock.
 */
import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { uptime } from 'node:os';

/** One reading of both clocks, in ms. */
export interface Moment {
  /** The run of the system that `steadyMs` counts from. */
  readonly run: string;
  readonly steadyMs: number;
  readonly wallMs: number;
}

/** A reading is at most this much before the true time (ms). */
export const STEADY_RESOLUTION_MS = 10;

export interface SteadyClock {
  now(): Moment;
}

/**
 * Linux: `/proc/uptime` through `os.uptime()`, rounded down to 10 ms, including suspended time. It is
 * CLOCK_BOOTTIME, read from a file: libfaketime does not change it, unlike `process.hrtime()`. Elsewhere
 * `process.hrtime()`, which on macOS includes suspended time as well.
 */
export function createSystemClock(): SteadyClock {
  const { platform } = process;
  const run = platform === 'linux' ? readLinuxRun() : readOtherRun(platform);
  const steadyMs =
    platform === 'linux'
      ? () => Math.round(uptime() * 1_000)
      : () => Number(process.hrtime.bigint() / 1_000n) / 1_000;
  return { now: () => ({ run, steadyMs: steadyMs(), wallMs: Date.now() }) };
}

/**
 * Containers share the boot id of their host, but some have their own uptime (lxcfs, time namespaces): the namespaces
 * are part of the run, so that readings of two containers are never compared by their counters.
 */
function readLinuxRun(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return [boot, readNamespace('pid'), readNamespace('time')].join(' ');
  } catch {
    return createUnknownRun();
  }
}

function readNamespace(name: string): string {
  try {
    return readlinkSync(`/proc/self/ns/${name}`);
  } catch {
    return `${name}:[none]`;
  }
}

function readOtherRun(platform: string): string {
  if (platform !== 'darwin') return createUnknownRun();
  const { stdout } = spawnSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' });
  return stdout.trim() || createUnknownRun();
}

/** A run of this process alone: its readings are compared with others by the wall clock. */
function createUnknownRun(): string {
  return `process ${randomUUID()}`;
}
