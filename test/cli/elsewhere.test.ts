/** A Temporal and services that we do not start: the configuration names them, workers come and go. */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { expect, inject, test } from 'vitest';
import { atMostOneJob, neverRefusedForRate, noItemLost, treeIsWhole } from '../promises.ts';
import { freePort } from '../../src/temporal/ports.ts';
import { desk } from './command.ts';
import { fragments } from './manifests.ts';

test('`services`, `worker` and `run` work with an external Temporal server, each in its own process', async () => {
  const at = desk();
  const port = await freePort();
  // All tests share the server: a unique name.
  const name = `elsewhere-${randomBytes(3).toString('hex')}`;
  const ids = fragments(at, name, 12);
  at.write(
    'hundredfold.yaml',
    `temporal: { address: "${inject('temporal')}", taskQueue: ${name} }
services: { molecules: { url: "http://127.0.0.1:${port}/acpype", budget: none } }`,
  );
  const env = { HUNDREDFOLD_MOLECULE_TOKEN: 'mElse67890' };
  const type = (...words: string[]) => at.type(words, { env });

  const services = type(
    'services',
    '--engine',
    'recorded',
    '--port',
    String(port),
    '--job-time',
    '300ms',
  );
  await services.says('Ctrl-C stops');

  const started = await at.runs(0, ['run', `${name}.csv`, '--detach'], { env });
  expect(started.stderr).toMatch(/as long as a worker runs:\n {2}hundredfold worker /);
  const idle = await at.runs(0, ['status', name], { env });
  expect(idle.stdout).toContain(`${name}: 0 of 12: 12 waiting`);

  // The only worker stops. The server still lists it for minutes, but nobody takes the tasks that become due.
  const worker = type('worker');
  await worker.says('working for');
  await worker.until(() => at.done(name) > 0, 'an item had ended');
  worker.kill('SIGTERM');
  expect((await worker.endsWith(0)).stderr).toContain('stopping');
  await expect
    .poll(async () => (await at.runs(0, ['status', name], { env })).stdout, { timeout: 60_000 })
    .toMatch(/1?\d of 12: [^]*No worker takes its tasks\. Start one \(hundredfold worker\)/);

  // The command starts its own worker and needs no other.
  const { stdout } = await at.runs(0, ['run', `${name}.csv`, '--json'], { env });
  expect(JSON.parse(stdout)).toMatchObject({ items: { total: 12, succeeded: 12 } });

  services.kill('SIGTERM');
  await services.endsWith(0);
  await noItemLost(at.path('results', name), ids);
  await treeIsWhole(at.path('results', name));
  const journal = at.journal(at.path('services.db'));
  atMostOneJob(journal, 12);
  neverRefusedForRate(journal);
}, 180_000);

test('if the tree of a campaign was removed, `cancel` says how to end it, and `run` starts it again', async () => {
  const at = desk();
  const port = await freePort();
  const name = `removed-${randomBytes(3).toString('hex')}`;
  const ids = fragments(at, name, 4);
  at.write(
    'hundredfold.yaml',
    `temporal: { address: "${inject('temporal')}", taskQueue: ${name} }
services: { molecules: { url: "http://127.0.0.1:${port}/acpype", budget: none } }`,
  );
  const env = { HUNDREDFOLD_MOLECULE_TOKEN: 'mGone67890' };
  const services = at.type(
    ['services', '--engine', 'recorded', '--port', String(port), '--job-time', '8s'],
    { env },
  );
  await services.says('Ctrl-C stops');
  const worker = at.type(['worker'], { env });
  await worker.says('working for');
  await at.runs(0, ['run', `${name}.csv`, '--detach', '--no-worker'], { env });

  const refused = await at.runs(2, ['cancel', name, '--abandon'], { env });
  expect(refused.stderr).toContain('[TREE_IS_HERE]');

  rmSync(at.path('results', name), { recursive: true });
  const again = await at.runs(2, ['run', `${name}.csv`, '--no-worker'], { env });
  expect(again.stderr).toContain('hundredfold cancel NAME --abandon');
  await at.runs(0, ['cancel', name], { env });
  const ended = await at.runs(0, ['cancel', name, '--abandon'], { env });
  expect(ended.stderr).toContain('was ended');

  await at.runs(0, ['run', `${name}.csv`, '--no-worker'], { env });
  worker.kill('SIGTERM');
  await worker.endsWith(0);
  services.kill('SIGTERM');
  await services.endsWith(0);
  await noItemLost(at.path('results', name), ids);
  await treeIsWhole(at.path('results', name));
  neverRefusedForRate(at.journal(at.path('services.db')));
}, 180_000);
