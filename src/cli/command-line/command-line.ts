/** What every command of the command line has in common. */
import type { Command, Option } from 'commander';

export interface CommandLine {
  readonly program: Command;
  readonly config: () => Option;
  readonly json: () => Option;
  /** Runs a command and ends the process with its exit code. */
  readonly ending: <A extends unknown[]>(
    command: (...args: A) => Promise<number>,
  ) => (...args: A) => Promise<void>;
}
