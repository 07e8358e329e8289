/** Loading modules is most of the time of a command that does little: `list` and `stop` load none that they do not use. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '..', '..', 'src');

/** Prints the address of each module that the command line and a command load before they do anything. */
const script = (command: string): string => `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
for (const name of ['command-line/program.ts', 'commands/${command}.ts'])
  await import(${JSON.stringify(`file://${SOURCE}/cli/`)} + name);
console.log(loaded.join('\\n'));
process.exit(0);
`;

test.each([
  ['list', '/src/inputs/', '/src/campaigns/find.ts'],
  ['list', '/src/worker.ts', '/src/campaigns/find.ts'],
  ['list', '@temporalio/worker/', '/src/campaigns/find.ts'],
  ['list', '/string-width/', '/src/campaigns/find.ts'],
  ['stop', '/@temporalio/', '/src/temporal/dev-server.ts'],
])('`%s` does not load %s', (command, part, needed) => {
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval'];
  const run = spawnSync(process.execPath, [...args, script(command)], { encoding: 'utf8' });
  expect(run.stderr).toBe('');
  const loaded = run.stdout.split('\n');
  expect(loaded.some((url) => url.endsWith(needed))).toBe(true);
  expect(loaded.filter((url) => url.includes(part))).toEqual([]);
});
