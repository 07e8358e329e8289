/** Commands that show things, as a user pipes them: `report --open`, `logs`, `ui`, `doctor`. */
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { desk } from './command.ts';

test('`report --open`, `logs` and `ui` show the report, the log of an item and the Temporal UI of a campaign', async () => {
  const at = desk();
  // The recorded engine does not know the second one; --verbose shows the log of the worker.
  at.write('night.csv', 'id,smiles\nethanol,CCO\nmethanol,CO\n');
  const run = ['run', 'night.csv', '--services', 'local'];
  const verbose = await at.runs(3, [...run, '-v']);
  expect(verbose.stderr).toMatch(
    /Z {2}INFO {2}item ended {2}.*item=item:night:methanol .*code=JOB_FAILED$/m,
  );

  // Found from another folder, and as the newest.
  mkdirSync(at.path('there'));
  const there = { cwd: at.path('there') };
  const items = await at.runs(0, ['items'], there);
  expect(items.stderr).toBe(`night is the newest campaign.\nnight was started in ${at.folder}.\n`);
  expect(items.stdout).toMatch(/^methanol +molecule +failed /m);
  const status = await at.runs(0, ['status'], there);
  expect(status.stdout).toContain('ELSEWHERE');
  expect(status.stdout).toContain(at.path('results', 'night'));
  expect(existsSync(at.path('there', '.hundredfold')), 'a server was started').toBe(false);

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

  const looking = at.type(['ui'], { env });
  await looking.says('Ctrl-C');
  const [link = ''] = looking.stdout.split('\n');
  expect((await fetch(link)).status).toBe(200);
  // Other commands that read join it; one that has work to do is refused at once.
  expect((await at.runs(0, ['status'])).stdout).toContain('night');
  const doctor = (await at.runs(0, ['doctor'])).stdout;
  const { address, ui } = at.record('server') as { address: string; ui: string };
  expect(doctor).toContain(`ok       Temporal: embedded, running at ${address}, UI ${ui}; `);
  at.write('more.csv', 'id,smiles\nethane,CC\n');
  const refused = await at.runs(2, ['run', 'more.csv', ...run.slice(2)]);
  expect(refused.stderr).toContain('[HOST_BUSY]');
  looking.kill('SIGINT');
  const { stderr } = await looking.endsWith(0);
  expect(stderr).toContain('Stopping. Press Ctrl-C again to stop at once.');
  await expect(fetch(link)).rejects.toThrow();
});
