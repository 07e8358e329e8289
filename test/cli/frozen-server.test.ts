/** A suspended server: commands that read or cancel report it within seconds, and nothing hangs. */
import { expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../src/temporal/processes.ts';
import { noItemLost, treeIsWhole } from '../promises.ts';
import { desk } from './command.ts';
import { killedRun } from './killed-run.ts';
import { fragments } from './manifests.ts';

/** Time limits of the commands, in ms, and the time to start them on a busy machine. */
const PROMISED_MS = 15_000;
const STARTING_MS = 15_000;

test('status, cancel, budget and doctor answer while the server is suspended', async () => {
  const at = desk();
  // More than may be unfinished at once (20): some of them wait, however fast the machine is.
  fragments(at, 'fragments', 40);
  const run = at.type(['run', 'fragments.csv', '--services', 'local']);
  await run.until(() => at.done('fragments') > 0, 'an item had ended');
  // It stays open, however long the other steps take.
  await at.runs(0, ['pause', 'fragments']);
  const { pid } = at.record('server') as { pid: number };
  process.kill(pid, 'SIGSTOP');
  expect(pid).toBeGreaterThan(0);
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  });
  for (const words of [['status', 'fragments'], ['cancel', 'fragments'], ['status'], ['doctor']]) {
    const began = Date.now();
    const { code, stderr, stdout } = await at.type(words).ended;
    expect(Date.now() - began, `${words.join(' ')}, in ms`).toBeLessThan(PROMISED_MS + STARTING_MS);
    expect(code, `${words.join(' ')}: ${stderr}`).toBe(1);
    expect(`${stdout}${stderr}`).toMatch(
      /\[(HOST_NOT_READY|TEMPORAL_SILENT)\]|PROBLEM {2}Temporal/,
    );
    expect(stderr).not.toContain('internal error');
  }
  process.kill(pid, 'SIGCONT');
  await at.runs(0, ['cancel', 'fragments']);
  await run.endsWith(4);
}, 180_000);

test('status takes over a suspended server and ends it in time; run continues', async () => {
  const at = desk();
  const { ids, run } = await killedRun(at);
  const { pid } = at.record('server') as { pid: number };
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  const began = performance.now();
  const { stderr } = await at.runs(1, ['status']);
  // It took 20 s: 10 to connect, 10 until the server was killed.
  expect(performance.now() - began, 'ms').toBeLessThan(PROMISED_MS + 4_000);
  expect(stderr).toContain('[TEMPORAL_UNREACHABLE]');

  await at.runs(0, run);
  const tree = at.path('results', 'fragments');
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
}, 240_000);
