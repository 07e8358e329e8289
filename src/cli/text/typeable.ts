/** Commands in hints can be typed as they stand: through npx where that is how this command was started. */

/** All that hints may name; the name of the program in a sentence stays as it is. */
export const HINTED = [
  ...[
    'adopt',
    'budget',
    'cancel',
    'deployment',
    'doctor',
    'init',
    'items',
    'list',
    'logs',
    'open',
    'pause',
    'plan',
  ],
  ...[
    'pull',
    'push',
    'remote',
    'report',
    'resume',
    'retry',
    'run',
    'services',
    'setup',
    'status',
    'stop',
    'ui',
  ],
  ...['watch', 'worker'],
] as const;

const COMMAND = new RegExp(`(?<=^|[\\s"'\`(])hundredfold (?=(?:${HINTED.join('|')})\\b)`, 'g');

/**
 * @param environment of a command that npm has started, `npm_command` says how
 * @param script the program that runs
 */
export function typeable(
  text: string,
  environment = process.env,
  script = process.argv[1],
): string {
  const byNpm = environment['npm_command'] !== undefined;
  // In npx's own cache: the package is not installed here, and its name alone would not find it.
  const elsewhere = script?.includes('_npx') === true;
  return byNpm && !elsewhere ? text.replace(COMMAND, 'npx hundredfold ') : text;
}
