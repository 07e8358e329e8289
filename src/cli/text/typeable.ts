/** Commands in hints can be copied as they are: through npx if this command was started that way. */

/** Everything that hints may name; the program's name within a sentence is not changed. */
export const HINTED = [
  ...'adopt cancel doctor export init items'.split(' '),
  ...'logs pause plan pull report resume retry run services'.split(' '),
  ...'setup status stop ui verify watch worker'.split(' '),
];

/** Not where the line names npx already, as that of `init` does. */
const COMMAND = new RegExp(
  `(?<=^|[\\s"'\`(])(?<!\\bnpx .*)hundredfold (?=(?:${HINTED.join('|')})\\b)`,
  'g',
);

/**
 * @param environment of a command that npm has started; `npm_command` says how
 * @param script the running program
 */
export function typeable(
  text: string,
  environment = process.env,
  script = process.argv[1],
): string {
  const byNpm = environment['npm_command'] !== undefined;
  // In npx's own cache: the package is not installed here, so its name alone would not work.
  const elsewhere = script?.includes('_npx') === true;
  return byNpm && !elsewhere ? text.replace(COMMAND, 'npx hundredfold ') : text;
}
