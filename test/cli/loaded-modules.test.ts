/** Loading modules is most of the time of a command that only reads: `list` loads none that it does not use. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '..', '..', 'src');

/** Prints the address of each module that the command line and `list` load before they do anything. */
const SCRIPT = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
for (const name of ['command-line/program.ts', 'commands/list.ts'])
  await import(${JSON.stringify(`file://${SOURCE}/cli/`)} + name);
console.log(loaded.join('\\n'));
process.exit(0);
`;

test.each(['/src/inputs/', '/src/worker.ts', '@temporalio/worker/', '/string-width/'])(
  '`list` does not load %s',
  (part) => {
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', SCRIPT];
    const run = spawnSync(process.execPath, args, { encoding: 'utf8' });
    expect(run.stderr).toBe('');
    const loaded = run.stdout.split('\n');
    expect(loaded.some((url) => url.endsWith('/src/campaigns/find.ts'))).toBe(true);
    expect(loaded.filter((url) => url.includes(part))).toEqual([]);
  },
);
