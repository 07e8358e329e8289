/** `--share`, `--priority` and `--reserve`: the share of a campaign among others that use the same token. */
import { InvalidArgumentError, Option, type Command } from 'commander';

export function withStanding(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--share <n>',
        'turns for each turn of another campaign with the same priority (default: 1)',
      ).argParser(number('a number above 0, at most 100', (n) => n > 0 && n <= 100)),
    )
    .addOption(
      new Option('--priority <n>', 'from 1 (first) to 5 (last) (default: 3)').argParser(
        number('1, 2, 3, 4 or 5', (n) => Number.isInteger(n) && n >= 1 && n <= 5),
      ),
    )
    .addOption(
      new Option('--reserve <n>', 'slots of each window to leave for other campaigns').argParser(
        number('a whole number', (n) => Number.isInteger(n) && n >= 0),
      ),
    );
}

function number(what: string, isRight: (n: number) => boolean): (text: string) => number {
  return (text) => {
    const n = text.trim() === '' ? Number.NaN : Number(text);
    if (!isRight(n)) throw new InvalidArgumentError(`It must be ${what}.`);
    return n;
  };
}
