/** How much a command prints besides its output: `--quiet` only errors, `--verbose` also the worker's log. */
let level: 'quiet' | 'usual' | 'verbose' = 'usual';

export function setVerbosity({
  quiet = false,
  verbose = false,
}: {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}): void {
  level = quiet ? 'quiet' : verbose ? 'verbose' : 'usual';
}

export const isQuiet = (): boolean => level === 'quiet';
export const isVerbose = (): boolean => level === 'verbose';
