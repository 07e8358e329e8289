/** A Temporal and services that we do not start: the configuration names them, workers come and go. */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, test } from 'vitest';
import { freePort } from '../../src/temporal/machine.ts';
import { neverOverBudget, neverRefusedForRate } from '../promises.ts';
import { desk } from './command.ts';
import { fragments, peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

/** A desk, a campaign with a name of its own, and services of it. All tests share the Temporal server. */
async function scene(count: number, jobTime: string) {
  const at = desk();
  const port = await freePort();
  const name = `elsewhere-${randomBytes(3).toString('hex')}`;
  fragments(at, name, count);
  at.write(
    'hundredfold.yaml',
    `temporal: { address: "${inject('temporal')}", taskQueue: ${name} }
services: { molecules: { url: "http://127.0.0.1:${port}/acpype", budget: none } }`,
  );
  const env = { HUNDREDFOLD_MOLECULE_TOKEN: 'mElse67890' };
  const options = ['--engine', 'recorded', '--port', String(port), '--job-time', jobTime];
  const services = at.type(['services', ...options], { env });
  await services.says('Ctrl-C stops');
  return {
    at,
    name,
    runs: (code: number, ...words: string[]) => at.runs(code, words, { env }),
    async worker() {
      const worker = at.type(['worker'], { env });
      await worker.says('working for');
      return worker;
    },
    async end() {
      services.kill('SIGTERM');
      await services.endsWith(0);
      return at.journal(at.path('services.db'));
    },
  };
}

test('`services`, `worker` and `run` work with an external Temporal server, each in its own process', async () => {
  const { at, name, runs, ...own } = await scene(12, '300ms');
  const started = await runs(0, 'run', `${name}.csv`, '--detach');
  expect(started.stderr).toMatch(/as long as a worker runs:\n {2}hundredfold worker /);
  // Nobody has written its progress yet.
  expect((await runs(1, 'status', name)).stderr).toContain('[WORKER_SILENT]');

  // The only worker stops. The server still lists it for minutes, but nobody takes the tasks that become due.
  const worker = await own.worker();
  await worker.until(() => at.done(name) > 0, 'an item had ended');
  worker.kill('SIGTERM');
  expect((await worker.endsWith(0)).stderr).toContain('stopping');
  await expect
    .poll(async () => (await runs(0, 'status', name)).stdout)
    .toMatch(/1?\d of 12 done: [^]*No worker takes its tasks\. Start one \(hundredfold worker\)/);

  // The command starts its own worker and needs no other.
  const { stdout } = await runs(0, 'run', `${name}.csv`, '--json');
  expect(JSON.parse(stdout)).toMatchObject({ items: { total: 12, succeeded: 12 } });
  expect(await own.end()).toHaveLength(12);
});

test('if the tree of a campaign was removed, `cancel` says how to end it, and `run` starts it again', async () => {
  const { at, name, runs, ...own } = await scene(4, '8s');
  // With their tree, the jobs are gone.
  at.resends = true;
  const worker = await own.worker();
  const run = ['run', `${name}.csv`, '--no-worker'];
  await runs(0, ...run, '--detach');
  expect((await runs(1, 'cancel', name, '--abandon')).stderr).toContain(
    'and it is available [USAGE]',
  );

  rmSync(at.path('results', name), { recursive: true });
  expect((await runs(2, ...run)).stderr).toContain('hundredfold cancel NAME --abandon');
  await runs(0, 'cancel', name);
  expect((await runs(0, 'cancel', name, '--abandon')).stderr).toContain('was ended');

  await runs(0, ...run);
  worker.kill('SIGTERM');
  await worker.endsWith(0);
  await own.end();
});

test('a stopped campaign continues at another server, also if the command is killed in the middle', async () => {
  const at = desk();
  // All tests share the target server.
  const name = `onward-${randomBytes(3).toString('hex')}`;
  const limits = { limit: 5, seconds: 8 };
  const service = await rehearse(at, limits);
  peptides(at, name, 18);
  const here = readFileSync(at.path('hundredfold.yaml'), 'utf8');
  const temporal = `temporal: { address: "${inject('temporal')}", taskQueue: ${name} }`;
  at.write('there.yaml', `${temporal}\n${here}`);
  const env = TOKEN;
  await at.runs(0, ['run', `${name}.csv`, '--detach', '--yes'], { env });
  await expect.poll(() => at.done(name), { timeout: 60_000 }).toBeGreaterThanOrEqual(4);
  const run = ['run', `${name}.csv`, '--config', 'there.yaml', '--yes', '--json'];
  expect((await at.runs(2, run, { env })).stderr).toContain('hundredfold stop');
  await at.runs(0, ['stop'], { env });
  const there = ['--config', 'there.yaml'];
  for (const command of ['status', 'resume']) {
    const { stderr } = await at.runs(1, [command, name, ...there], { env });
    expect(stderr).toMatch(
      /ran at another Temporal server: \d+ of 18 items are done, by its tree /,
    );
    expect(stderr).toContain(`To go on with it here: hundredfold run ${name}.csv`);
  }
  for (const ms of [1_000, 2_000, 4_000]) {
    const broken = at.type(run, { env });
    await delay(ms);
    broken.kill('SIGKILL');
    await broken.ended;
  }
  const { stdout } = await at.runs(0, run, { env });
  expect(JSON.parse(stdout)).toMatchObject({ items: { total: 18, succeeded: 18 } });
  const journal = await service.end();
  expect(journal.filter(({ accepted }) => accepted)).toHaveLength(18);
  neverRefusedForRate(journal);
  neverOverBudget(journal, { limit: limits.limit, windowMs: limits.seconds * 1_000 });
});
