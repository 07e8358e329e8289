/** A campaign in the background, watched and controlled by other commands; their effects survive any crash. */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, expect, test } from 'vitest';
import type { JournalEntry } from '../../src/local-services/journal.ts';
import { isAlive } from '../../src/temporal/processes.ts';
import { itemsTable } from '../promises.ts';
import { desk, sharedDesk, type Desk, type Ended } from './command.ts';
import { fragments, peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const env = TOKEN;
/** A window longer than any test: the number of submissions depends on the limit alone, however slow the machine. */
const HOUR = 3_600;

function documentIn({ stdout }: Ended): Record<string, unknown> {
  expect(stdout, 'one line on stdout').toMatch(/^[{[].*[}\]]\n$/);
  return JSON.parse(stdout) as Record<string, unknown>;
}

/** The entry of the one service in `status --json`. */
async function budgetAt(at: Desk) {
  const { stdout } = await at.runs(0, ['status', '--json'], { env });
  const { budgets } = JSON.parse(stdout) as {
    budgets: {
      credentials: { charged: number; limit: number; free: number }[];
      waiting: { campaign: string; items: number; paused: boolean }[];
      counts: { accepted: number };
    }[];
  };
  const [budget] = budgets;
  if (!budget) throw new Error('no budget is kept');
  return { ...budget, credential: budget.credentials[0] };
}

async function until(isSo: () => boolean, what: string): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (!isSo()) {
    if (Date.now() > giveUpAt) throw new Error(`waited in vain until ${what}`);
    await delay(50);
  }
}

/** Kills, as a power cut would, every process of this desk. */
async function powerCut(at: Desk): Promise<void> {
  const pids = at.servers();
  for (const pid of pids) process.kill(pid, 'SIGKILL');
  while (pids.some(isAlive)) await delay(20);
}

const accepted = (journal: readonly JournalEntry[]) => journal.filter((entry) => entry.accepted);

/** Left alone by all tests but the last. */
const alone = sharedDesk();
let begun: Ended;
beforeAll(async () => {
  fragments(alone, 'alone', 2);
  begun = await alone.runs(0, ['run', 'alone.csv', '--services', 'local', '--detach']);
});

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
  await until(() => at.done('night') === 4, 'four items had ended');

  const [status, document, list] = await Promise.all([
    at.runs(0, ['status', 'night'], { env }),
    at.runs(0, ['status', 'night', '--json'], { env }),
    at.runs(0, ['status'], { env }),
  ]);
  expect(status.stdout.split('\n')).toEqual([
    'night: 4 of 6: 4 succeeded; 2 waiting',
    expect.stringMatching(/^ {2}predictions: 4 of 4 used in 1 h, next slot in 59 min \d+ s$/),
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
    /\npredictions \(127.*\)\n {2}credential [0-9a-f]{8}: 4 of 4 used in 1 h, 0 free; the next slot frees up .*\d\n {2}campaign night: 4 charged, 2 waiting; priority 3\n {2}so far: 4 accepted, 0 refused, 0 answered with 429\nsent from this machine:\n {2}predictions \(127.*\), credential [0-9a-f]{8}: 4 submissions in the last hour\n$/,
  );

  const { stdout } = await at.runs(0, ['items', 'night', '--json'], { env });
  const { items: known } = JSON.parse(stdout) as { items: { state: string }[] };
  // Those that wait have no workflow that would know their start.
  const waits = { state: 'waiting', since: null, remoteId: null };
  expect(known.filter(({ state }) => state !== 'succeeded')).toMatchObject([waits, waits]);

  // Repeated with a higher limit, the command joins the working process and passes the limit on.
  service.budget(5);
  const again = await at.runs(0, run, { env });
  expect(again.stderr).toContain(`night runs in the background; its output is in ${out}.`);
  expect(again.stderr).toContain('hundredfold watch night    shows progress');
  await until(() => at.done('night') === 5, 'five items had ended');
  const watching = at.type(['watch', 'night', '--json'], { env });
  await watching.says('night: 5 of 6: 5 succeeded; 1 waiting [predictions: 5 of 5 used in 1 h, ');
  service.budget(6);
  await at.runs(0, run, { env });
  const watched = documentIn(await watching.endsWith(0));
  expect(watched).toMatchObject({ state: 'completed', submissions: 6, items: { succeeded: 6 } });

  const [stopped, unknown] = await Promise.all([
    at.runs(0, ['stop'], { env }),
    at.runs(1, ['watch', 'nihgt'], { env }),
  ]);
  expect(stopped.stderr).toMatch(/^Stopped\./);
  expect(unknown.stderr).toMatch(/no campaign is named nihgt \[CAMPAIGN_UNKNOWN\]\n.*status/);
  expect(at.servers(), 'processes left behind').toEqual([]);
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
  await until(() => at.done('night') === 4, 'four items had ended');
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
  const { waiting, counts, credential } = await budgetAt(at);
  expect(credential).toMatchObject({ charged: 4, limit: 3, free: 0 });
  expect(waiting).toEqual([expect.objectContaining({ campaign: 'night', items: 5, paused: true })]);
  expect(counts.accepted).toBe(4);
  // Raised, by the environment variable of the same key; the campaign is paused still.
  const raised = { ...env, HUNDREDFOLD_SERVICES_PREDICTIONS_BUDGET_LIMIT: '20' };
  const other = at.type(['run', 'night.csv', '--json'], { env: raised });
  await other.says('night (paused: run "hundredfold resume night" to continue): 4 of 9');
  expect((await budgetAt(at)).credential).toMatchObject({ charged: 4, free: 16 });
  const resumed = await at.runs(0, ['resume', 'night'], { env: raised });
  expect(resumed.stderr).toContain('night continues.');
  for (const one of [typed, other])
    expect(documentIn(await one.endsWith(0))).toMatchObject({ items: { succeeded: 9 } });

  expect(accepted(await service.end())).toHaveLength(9);
});

test('a cancelled campaign exits with 4 and keeps its charges; its name can be used again', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 6, seconds: HOUR });
  service.budget(4);
  peptides(at, 'night', 9);
  const tree = at.path('results', 'night');
  const typed = at.type(['run', 'night.csv', '--json'], { env });
  await typed.until(() => at.done('night') === 4, 'four items had ended');
  // Cancelled while it is paused, as by a user who changed their mind.
  await at.runs(0, ['pause', 'night'], { env });
  const watching = at.type(['watch', 'night'], { env });
  await watching.says('night (paused');
  const cancelled = await at.runs(0, ['cancel', 'night'], { env });
  expect(cancelled.stderr).toContain('Slots that were used stay used.');
  const { stderr } = await watching.endsWith(4);
  expect(stderr).toMatch(/^night \(cancelled\): 4 of 9 succeeded, 5 cancelled in \d+ s\.$/m);
  expect(documentIn(await typed.endsWith(4))).toMatchObject({
    state: 'cancelled',
    submissions: 4,
    items: { total: 9, succeeded: 4, cancelled: 5, failed: 0, held: 0 },
  });
  const rows = await itemsTable(tree);
  expect(rows.filter(({ error_code: code }) => code === 'CANCELLED')).toHaveLength(5);
  expect((await at.runs(0, ['cancel', 'night'], { env })).stderr).toMatch(/already ended/);

  // A new server: the budget keeps its charges.
  const { credential, waiting, counts } = await budgetAt(at);
  expect({ waiting, ...credential }).toMatchObject({ waiting: [], charged: 4, limit: 4 });
  expect(counts.accepted).toBe(4);

  // More rows and a higher limit: the pause is gone, and there are two slots.
  peptides(at, 'night', 11);
  service.budget(6);
  const again = documentIn(await at.runs(3, ['run', 'night.csv', '--json'], { env }));
  expect(again).toMatchObject({ state: 'completed', items: { succeeded: 6, cancelled: 5 } });
  expect(accepted(await service.end())).toHaveLength(6);
});

test('the background process exits by itself when nothing is open, and leaves nothing behind', async () => {
  expect(begun.stderr).toContain('alone runs in the background');
  await until(() => alone.servers().length === 0, 'it ended by itself');
  expect(alone.servers(), 'processes that are still there').toEqual([]);
  expect(alone.record('background')).toBeNull();
  expect(alone.record('host')).toBeNull();
  expect(readFileSync(alone.path('.hundredfold', 'host.log'), 'utf8')).not.toMatch(/error|fail/i);
});
