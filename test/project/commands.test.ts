/** Every command line of the documentation is one that the program has. */
import { type Command, CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import { listTyped, PAGES, read } from './typed.ts';

const program = await createProgram();

/** Parses command lines as the program does, but calls no command. */
function disarm(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
  command.action(() => undefined);
  command.commands.forEach(disarm);
}
for (const command of program.commands) disarm(command);

function findProblem([name = '', ...words]: readonly string[]): string[] {
  if (name === 'npm') return findMissingScript(words);
  try {
    program.parse(words, { from: 'user' });
    return [];
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    return [`hundredfold ${words.join(' ')}: ${error.message}`];
  }
}

const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };

function findMissingScript([verb = '', name = '']: readonly string[]): string[] {
  const script = verb === 'run' ? name : verb;
  const isOwn = ['install', 'version', 'root'].includes(script) || script in scripts;
  return isOwn ? [] : [`npm ${script}: no such script`];
}

test('every command line in a shell block has commands and options that exist', () => {
  const typed = PAGES.flatMap(listTyped);
  expect(typed.length).toBeGreaterThan(80);
  expect(typed.flatMap(findProblem)).toEqual([]);
  expect(findProblem(['hundredfold', 'run', 'night.csv', '--priority', '9'])).not.toEqual([]);
});

test('every script of npm can be the first thing that is typed in a fresh clone', () => {
  const { prepack, ...others } = scripts;
  for (const [name, script] of Object.entries(others))
    expect(script, name).toMatch(/^scripts\/ready\.sh( all)?( && |$)/);
  expect(prepack).toContain('exit 1');
});
