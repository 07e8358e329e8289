/** A campaign in the background, watched and controlled by other commands; their effects survive any crash. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { JournalEntry } from '../../packages/local-services/src/journal.ts';
import { isAlive } from '../../src/temporal/machine.ts';
import { desk, type Desk, type Ended } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const env = TOKEN;
/** A window longer than any test: the number of submissions depends on the limit alone, however slow the machine. */
const HOUR = 3_600;

function documentIn({ stdout }: Ended): Record<string, unknown> {
  expect(stdout, 'one line on stdout').toMatch(/^[{[].*[}\]]\n$/);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** Kills, as a power cut would, every process of this desk. */
async function powerCut(at: Desk): Promise<void> {
  const pids = at.servers();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  while (pids.some(isAlive)) await delay(20);
}

const accepted = (journal: readonly JournalEntry[]) => journal.filter((entry) => entry.accepted);

test('a campaign is started in the background, shown by other commands, and watched to its end', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: HOUR });
  service.budget(4);
  peptides(at, 'night', 6);
  const out = at.path('results', 'night');
  const run = ['run', 'night.csv', '--detach'];
  const started = documentIn(await at.runs(0, [...run, '--json'], { env }));
  const items = { total: 6, failed: 0, held: 0, cancelled: 0, invalid: 0 };
  const open = { campaign: 'night', state: 'running', rejected429: 0, out, endedAt: null, items };
  expect(started).toMatchObject(open);
  await expect.poll(() => at.done('night')).toBe(4);

  const [status, document, list] = await Promise.all([
    at.runs(0, ['status', 'night'], { env }),
    at.runs(0, ['status', 'night', '--json'], { env }),
    at.runs(0, ['status'], { env }),
  ]);
  expect(status.stdout.split('\n')).toEqual([
    'night: 4 of 6 done: 4 succeeded, 2 waiting',
    expect.stringMatching(
      /^ {2}predictions: 4 of 4 used in 1 h, 0 free; next slot .* \(in 59 min \d+ s\), the last .*$/,
    ),
    expect.stringMatching(
      /^ {2}end expected soon after .*\d\d:\d\d:\d\d \(in (59 min \d+ s|1 h)\)$/,
    ),
    `  results: ${out}`,
    '',
  ]);
  const { startedAt } = started;
  expect(documentIn(document)).toMatchObject({ ...open, startedAt, submissions: 4 });
  expect(list.stdout).toMatch(
    new RegExp(
      `^NAME +STATE +STARTED +OUT\nnight  running  .*\\d\\d:\\d\\d:\\d\\d  ${out}\npredictions `,
    ),
  );
  expect(list.stdout).toMatch(
    /\npredictions \(127.*\)\n {2}credential [0-9a-f]{8}: 4 of 4 used in 1 h, 0 free; next slot .*\d\n {2}campaign night: 4 charged, 2 waiting; priority 3\n {2}so far: 4 accepted, 0 refused, 0 answered with 429\nsent from this machine:\n {2}predictions \(127.*\), credential [0-9a-f]{8}: 4 submissions in the last hour\n$/,
  );

  // Repeated with a higher limit, the command joins the working process and passes the limit on.
  service.budget(5);
  const again = await at.runs(0, run, { env });
  expect(again.stderr).toContain(`night runs in the background; its output is in ${out}.`);
  expect(again.stderr).toContain('hundredfold watch night    shows progress');
  await expect.poll(() => at.done('night')).toBe(5);
  const watching = at.type(['watch', 'night', '--json'], { env });
  await watching.says(
    'night: 5 of 6 done: 5 succeeded, 1 waiting [predictions: 5 of 5 used in 1 h, ',
  );
  service.budget(6);
  await at.runs(0, run, { env });
  const watched = documentIn(await watching.endsWith(0));
  expect(watched).toMatchObject({ state: 'completed', submissions: 6, items: { succeeded: 6 } });

  // Nothing is open: the background process exits by itself, and leaves nothing behind.
  await expect.poll(() => at.servers(), { timeout: 110_000 }).toEqual([]);
  expect([at.record('background'), at.record('host')]).toEqual([null, null]);
  const log = readFileSync(at.path('.hundredfold', 'host.log'), 'utf8');
  expect(log).not.toMatch(/error|fail/i);
  expect((await at.runs(0, ['stop'], { env })).stderr).toBe('Nothing is running here.\n');
  expect(documentIn(await at.runs(0, ['status', 'night', '--json'], { env }))).toEqual(watched);
  expect(accepted(await service.end())).toHaveLength(6);
});

test('a paused campaign stays paused through a power cut, and a lowered or raised limit applies from the next command on', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: HOUR });
  service.budget(4);
  peptides(at, 'night', 9);
  await at.runs(0, ['run', 'night.csv', '--detach'], { env });
  await expect.poll(() => at.done('night')).toBe(4);
  const paused = await at.runs(0, ['pause', 'night'], { env });
  expect(paused.stderr).toContain('night is paused: no new submissions');
  await powerCut(at);

  const status = await at.runs(0, ['status', 'night'], { env });
  expect(status.stdout).toMatch(
    /^night \(paused: run "hundredfold resume night" to continue\): 4 of 9/,
  );
  expect(status.stdout).toContain('Nothing is working on it.');
  // Lowered: charged slots stay charged, so fewer than none are left.
  service.budget(3);
  const typed = at.type(['run', 'night.csv', '--json'], { env });
  await typed.says('night is already running');
  await typed.says('night (paused: run "hundredfold resume night" to continue): 4 of 9');
  const { budgets } = documentIn(await at.runs(0, ['status', '--json'], { env }));
  expect(budgets).toMatchObject([
    {
      free: 0,
      windows: [{ charged: 4, limit: 3 }],
      use: [{ campaign: 'night', waiting: 5, paused: true }],
      counts: { accepted: 4 },
    },
  ]);
  service.budget(20);
  const other = at.type(['run', 'night.csv', '--json'], { env });
  await other.says('night (paused: run "hundredfold resume night" to continue): 4 of 9');
  const resumed = await at.runs(0, ['resume', 'night'], { env });
  expect(resumed.stderr).toContain('night continues.');
  for (const one of [typed, other])
    expect(documentIn(await one.endsWith(0))).toMatchObject({ items: { succeeded: 9 } });

  expect(accepted(await service.end())).toHaveLength(9);
});
