/** Target of the log of the SDK and of the worker; in a separate file, because commands without a worker set it too. */
import type { LogLevel } from '@temporalio/worker';
import type { LogFormat } from './log-line.ts';

interface LogTarget {
  readonly write: (line: string) => void;
  readonly level: LogLevel;
  readonly format: LogFormat;
}

let target: LogTarget | null = null;

/** Call it once, before the first worker. */
export function logTo(
  write: (line: string) => void,
  level: LogLevel = 'WARN',
  format: LogFormat = 'json',
): void {
  target = { write, level, format };
}

/** Null until `logTo` was called. */
export function logTarget(): LogTarget | null {
  return target;
}
