/** A suspended server: commands that read or cancel report it in time, one that comes later takes it over, nothing hangs. */
import { expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../src/temporal/processes.ts';
import { desk } from './command.ts';
import { fragments } from './manifests.ts';

/** Time limits of the commands, in ms, and the time to start them on a busy machine. */
const PROMISED_MS = 15_000;
const STARTING_MS = 15_000;

test('status, cancel and doctor answer while the server is suspended; status takes it over, and run continues', async () => {
  const at = desk();
  // More than may be unfinished at once (20): some of them wait, however fast the machine is.
  fragments(at, 'fragments', 40);
  const words = ['run', 'fragments.csv', '--services', 'local'];
  const run = at.type(words);
  await run.until(() => at.done('fragments') > 0, 'an item had ended');
  // It stays open, however long the other steps take.
  await at.runs(0, ['pause', 'fragments']);
  const { pid } = at.record('server') as { pid: number };
  expect(pid).toBeGreaterThan(0);
  process.kill(pid, 'SIGSTOP');
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGKILL');
  });
  const answers = async (asked: readonly string[]) => {
    const began = Date.now();
    const { stderr, stdout } = await at.runs(1, asked);
    expect(Date.now() - began, `${asked.join(' ')}, in ms`).toBeLessThan(PROMISED_MS + STARTING_MS);
    expect(stderr).not.toContain('internal error');
    return `${stdout}${stderr}`;
  };
  for (const asked of [['status', 'fragments'], ['cancel', 'fragments'], ['status'], ['doctor']])
    expect(await answers(asked)).toMatch(
      /\[(HOST_NOT_READY|TEMPORAL_SILENT)\]|PROBLEM {2}Temporal/,
    );

  run.kill('SIGKILL');
  await run.ended;
  expect(await answers(['status'])).toContain('[TEMPORAL_UNREACHABLE]');
  await at.runs(0, ['resume', 'fragments']);
  await at.runs(0, words);
});
