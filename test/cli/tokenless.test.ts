/** The next morning, in a shell without tokens: commands that submit nothing work, and open items stay open. */
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { freePort } from '../../src/temporal/ports.ts';
import { desk, type Desk, type Typed } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

async function interrupted(watch: Typed): Promise<void> {
  watch.kill('SIGINT');
  await watch.endsWith(130);
}

async function itemsOf(at: Desk): Promise<Record<string, number>> {
  const { stdout } = await at.runs(0, ['status', 'night', '--json']);
  return (JSON.parse(stdout) as { items: Record<string, number> }).items;
}

test('reads, controls, plans and finishes a campaign, while a background process works and without one', async () => {
  const at = desk();
  // One job an hour: two of three items wait throughout the test.
  const service = await rehearse(at, { limit: 1, seconds: 3_600 });
  peptides(at, 'night', 3);
  await at.runs(0, ['run', 'night.csv', '--priority', '2', '--detach', '--yes'], { env: TOKEN });
  const items = { total: 3, succeeded: 1, failed: 0, held: 0 };
  // The campaign is notified up to a second after the end is on disk.
  await expect.poll(() => itemsOf(at)).toMatchObject(items);
  await at.runs(0, ['items', 'night']);
  const { stdout: budgets } = await at.runs(0, ['status']);
  expect(budgets).toContain('1 of 1 used');
  expect(budgets).toMatch(/campaign night: 1 charged, 2 waiting; .*priority 2/);
  await at.runs(0, ['pause', 'night']);
  await at.runs(0, ['resume', 'night']);
  const joined = at.type(['watch', 'night']);
  await joined.says('1 of 3');
  await interrupted(joined);
  await at.runs(0, ['stop']);

  const { stdout: status } = await at.runs(0, ['status', 'night']);
  expect(status).toContain('Nothing is working on it.');
  expect(status).not.toContain('end expected');
  await at.runs(0, ['pause', 'night']);
  await at.runs(0, ['resume', 'night']);
  const alone = at.type(['watch', 'night']);
  await alone.says('HUNDREDFOLD_PREDICTION_TOKEN is not set');
  await alone.says('1 of 3');
  await interrupted(alone);
  expect(await itemsOf(at)).toMatchObject(items);

  // The charges of the credential are unknown.
  peptides(at, 'next', 2);
  const { stdout: plan, stderr } = await at.runs(0, ['plan', 'next.csv', '--json']);
  expect(JSON.parse(plan)).toMatchObject({ submissions: 2, problems: [] });
  expect(stderr).toMatch(/Cannot read how much of your budget at predictions is used: /);
  expect(stderr.match(/HUNDREDFOLD_PREDICTION_TOKEN is not set/g), 'once').toHaveLength(1);

  await at.runs(0, ['cancel', 'night']);
  const { stdout } = await at.runs(0, ['items', 'night', '--json']);
  expect(stdout.match(/"cancelled"/g)).toHaveLength(2);
  await at.runs(0, ['report', 'night']);
  expect(await service.end()).toHaveLength(1);
});

test('plan and run of a finished campaign say nothing about its services', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 5, seconds: 60 });
  peptides(at, 'night', 2);
  await at.runs(0, ['run', 'night.csv'], { env: TOKEN });
  const { stdout, stderr } = await at.runs(0, ['plan', 'night.csv']);
  expect(stdout).toContain('done               2');
  expect(stderr).not.toContain('Cannot read how much');
  await service.end();
  const again = await at.runs(0, ['run', 'night.csv'], { env: TOKEN });
  expect(again.stderr).toContain('Nothing to do');
  expect(again.stderr).not.toContain('waits until the service works');
});

test('a worker without the token, or its file, does not change items that wait for a submission', async () => {
  const at = desk();
  const url = `http://127.0.0.1:${await freePort()}`;
  at.write('hundredfold.yaml', `services: { predictions: { url: "${url}" } }`);
  peptides(at, 'night', 3);
  await at.runs(0, ['run', 'night.csv', '--detach', '--yes'], { env: TOKEN });
  await at.runs(0, ['stop']);
  const watch = at.type(['watch', 'night']);
  await watch.says('0 of 3');
  // Meanwhile the budget offers its slots to this worker.
  await delay(4_000);
  await interrupted(watch);
  at.write(
    'hundredfold.yaml',
    `services: { predictions: { url: "${url}", token: { file: gone } } }`,
  );
  expect(await itemsOf(at)).toMatchObject({ total: 3, failed: 0, held: 0, cancelled: 0 });
});
