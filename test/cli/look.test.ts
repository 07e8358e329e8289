/** Commands that show things, as a user pipes them: `report --open`, `logs`, `ui`, and what they load. */
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { desk } from './command.ts';

test('`report --open`, `logs` and `ui` show the report, the log of an item and the Temporal UI of a campaign', async () => {
  const at = desk();
  at.write('night.csv', 'id,smiles\nethanol,CCO\n');
  const run = ['run', 'night.csv', '--services', 'local'];
  const quiet = await at.runs(0, [...run, '--quiet', '--json']);
  expect(quiet.stderr).toBe('');
  expect(JSON.parse(quiet.stdout)).toMatchObject({ items: { succeeded: 1 } });

  // A browser that records what it is asked to open.
  at.write('browser', `#!/bin/sh\necho "$1" > "${at.path('opened')}"\n`);
  chmodSync(at.path('browser'), 0o755);
  const env = { BROWSER: at.path('browser') };
  const report = pathToFileURL(at.path('results', 'night', 'report.html')).href;
  expect((await at.runs(0, ['report', 'night', '--open'], { env })).stderr).toContain(report);
  await expect.poll(() => existsSync(at.path('opened'))).toBe(true);
  await expect.poll(() => readFileSync(at.path('opened'), 'utf8').trim()).toBe(report);

  const { stdout } = await at.runs(0, ['logs', 'night', 'ethanol']);
  expect(stdout).toMatch(/^\S+Z {2}accepted {2}\S+\n/);
  expect(stdout).toContain('--- job.log of the service ---');
  const unknown = await at.runs(1, ['logs', 'night', 'methanol', '--json']);
  expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { code: 'ITEM_UNKNOWN' } });

  const looking = at.type(['ui'], { env });
  await looking.says('Ctrl-C');
  const [link = ''] = looking.stdout.split('\n');
  expect((await fetch(link)).status).toBe(200);
  // Other commands that read join it, and load neither the worker nor the local services.
  const file = at.path('loaded.json');
  const hook = new URL('loaded-packages.js', import.meta.url).href;
  const hooked = { env: { NODE_OPTIONS: `--import ${hook}`, LOADED_PACKAGES: file } };
  expect((await at.runs(0, ['status'], hooked)).stdout).toContain('night');
  const loaded = JSON.parse(readFileSync(file, 'utf8')) as string[];
  expect(loaded).toContain('@temporalio/client');
  for (const name of ['@temporalio/worker', 'fastify', 'undici', 'hyparquet-writer'])
    expect(loaded).not.toContain(name);
  // One that has work to do is refused at once.
  expect((await at.runs(2, run)).stderr).toContain('[HOST_LOOKS_ONLY]');
  looking.kill('SIGINT');
  const { stderr } = await looking.endsWith(0);
  expect(stderr).toContain('Stopping. Press Ctrl-C again to stop at once.');
  await expect(fetch(link)).rejects.toThrow();

  // The recorded engine does not know this one; --verbose shows the log of the worker.
  at.write('more.csv', 'id,smiles\nmethanol,CO\n');
  const verbose = await at.runs(3, ['run', 'more.csv', '--services', 'local', '-v']);
  expect(verbose.stderr).toMatch(
    /Z {2}INFO {2}item ended {2}.*item=item:more:methanol .*code=JOB_FAILED$/m,
  );
});

test('compiled code is cached for the user; a cache that cannot be written is ignored', async () => {
  const at = desk();
  const own = { NODE_COMPILE_CACHE: undefined };
  await at.runs(0, ['--version'], { env: { ...own, XDG_CACHE_HOME: at.path('cache') } });
  expect(readdirSync(join(at.path('cache'), 'hundredfold', 'code'))).not.toEqual([]);
  at.write('file', '');
  const { stdout, stderr } = await at.runs(0, ['--version'], {
    env: { ...own, XDG_CACHE_HOME: at.path('file') },
  });
  expect({ version: /^\d+\./.test(stdout), stderr }).toEqual({ version: true, stderr: '' });
});
