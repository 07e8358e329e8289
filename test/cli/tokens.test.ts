import { expect, test } from 'vitest';
import { desk, type Desk, type Typed } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

async function interrupt(command: Typed): Promise<void> {
  command.kill('SIGINT');
  await command.endsWith(130);
}

async function documentOf(at: Desk) {
  const { stdout } = await at.runs(0, ['status', 'night', '--json']);
  return JSON.parse(stdout) as { items: Record<string, number>; obstacle: string };
}

test('without tokens, a campaign is read, controlled, planned and ended, while a background process works and without one', async () => {
  const at = desk();
  // One job an hour: two of three items wait throughout the test.
  const service = await rehearse(at, { limit: 1, seconds: 3_600 });
  peptides(at, 'night', 3);
  await at.runs(0, ['run', 'night.csv', '--priority', '2', '--detach', '--yes'], { env: TOKEN });
  const items = { total: 3, succeeded: 1, failed: 0, held: 0, cancelled: 0 };
  // The campaign is notified up to a second after the end is on disk.
  await expect.poll(async () => (await documentOf(at)).items).toMatchObject(items);
  const { stdout: budgets } = await at.runs(0, ['status']);
  expect(budgets).toContain('1 of 1 used');
  expect(budgets).toMatch(/campaign night: 1 charged, 2 waiting; .*priority 2/);
  await at.runs(0, ['pause', 'night']);
  const joined = at.type(['watch', 'night']);
  await joined.says('1 of 3');
  await interrupt(joined);
  await at.runs(0, ['stop']);

  const { stdout: status } = await at.runs(0, ['status', 'night']);
  expect(status).toContain('Nothing is working on it.');
  expect(status).not.toContain('end expected');
  await at.runs(0, ['resume', 'night']);
  const alone = at.type(['watch', 'night']);
  await alone.says('HUNDREDFOLD_PREDICTION_TOKEN is not set');
  await alone.says('1 of 3');
  await interrupt(alone);

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

test('a token that has expired: run shows the refusal, waits, and continues with a new token', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 50, seconds: 60 });
  await service.faults([{ name: 'expired-token' }]);
  peptides(at, 'night', 3);
  const expired = { env: { HUNDREDFOLD_PREDICTION_TOKEN: 'expired890' } };
  const evening = at.type(['run', 'night.csv', '--yes'], expired);
  await evening.says('has refused requests since');
  const { items, obstacle } = await documentOf(at);
  expect(items).toMatchObject({ failed: 0, held: 0, succeeded: 0 });
  expect(obstacle).toContain('HTTP 401');
  expect(obstacle).toContain('If the token has expired');
  const doctor = await at.runs(1, ['doctor'], expired);
  expect(doctor.stdout + doctor.stderr).toContain('has refused requests since');
  await interrupt(evening);

  await service.faults([]);
  await at.runs(0, ['run', 'night.csv', '--yes'], { env: TOKEN });
  const journal = await service.end();
  expect(journal.map(({ accepted }) => accepted)).toEqual([true, true, true]);
});
