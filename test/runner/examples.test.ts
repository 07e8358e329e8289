/** The examples of the library, started as a user starts them: `node examples/library/NAME.ts`. */
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { desk, ROOT, type Desk, type Typed } from '../cli/command.ts';
import { fragments } from '../cli/manifests.ts';
import { rehearse, TOKEN } from '../cli/rehearsal.ts';
import { BrowserJobs } from '../browser-jobs.ts';

function start(at: Desk, example: string, ...args: readonly string[]): Typed {
  return at.type(args, { program: join(ROOT, 'examples', 'library', `${example}.ts`), env: TOKEN });
}

test('run-campaign resumes after an interruption, watch-campaign follows it, and read-tree reads its tree', async () => {
  const at = desk();
  const ids = fragments(at, 'fragments', 12);
  const ended = (n: number) => () => at.done('fragments') >= n;
  const interrupted = start(at, 'run-campaign', 'fragments.csv');
  await interrupted.until(ended(1), 'one item had ended');
  interrupted.kill('SIGINT');
  const { stdout: first } = await interrupted.endsWith(0);
  expect(first).toContain('fragments: 12 rows, 12 jobs to submit');
  expect(first).toContain('Interrupted. Run the same command to resume.');
  expect(at.processes(), 'processes left behind').toEqual([]);

  const resumed = start(at, 'run-campaign', 'fragments.csv');
  await resumed.until(ended(2), 'two items had ended');
  const watched = start(at, 'watch-campaign', 'fragments');
  const { stdout } = await resumed.endsWith(0);
  expect(stdout).toContain('12 of 12 succeeded: ');
  const { stdout: seen } = await watched.endsWith(0);
  expect(seen).toMatch(/(running|publishing): \d+ of 12 items are done/);
  expect(seen).toContain('fragments ended: completed');

  const folder = at.path('results', 'fragments');
  const { stdout: read } = await start(at, 'read-tree', folder).endsWith(0);
  for (const id of ids) expect(read).toContain(`${id}: succeeded`);
  expect(read).toContain('The tree is whole.');
});

test('adopt-jobs, retry-campaign, control-campaign and pull-tree succeed, and submit nothing', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 100, seconds: 3_600 });
  const jobs = new BrowserJobs(
    { url: service.url, moleculesUrl: '' },
    TOKEN.HUNDREDFOLD_PREDICTION_TOKEN,
  );
  const id = await jobs.sequence('MKTAYIAKQR', 'dynamine', { job_name: 'from the web' });
  const { stdout: adopted } = await start(at, 'adopt-jobs', id).endsWith(0);
  const [, name = ''] = /^(adopted-\S+): 1 of 1 results fetched/m.exec(adopted) ?? [];
  const { stdout: retried } = await start(at, 'retry-campaign', name).endsWith(0);
  expect(retried).toContain('1 of 1 succeeded');
  const { stdout: paused } = await start(at, 'control-campaign', 'pause', name).endsWith(0);
  expect(paused).toContain(`${name} has already ended`);
  renameSync(at.path('results'), at.path('store'));
  at.write('hundredfold.yaml', 'store: { url: store }\n');
  const { stdout: pulled } = await start(at, 'pull-tree', name).endsWith(0);
  expect(pulled).toMatch(/^(\d+) of \1 files copied to .*results/m);
  expect(await service.end()).toHaveLength(1);
});
