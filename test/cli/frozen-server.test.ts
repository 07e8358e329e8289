/** A server that stands still: whoever looks or cancels is told within seconds, and nothing hangs. */
import { expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../../src/temporal/processes.ts';
import { desk } from './command.ts';
import { fragments } from './manifests.ts';

/** What the commands promise, in ms, and what a busy machine takes to start them. */
const PROMISED_MS = 15_000;
const STARTING_MS = 15_000;

test('status, cancel, budget and doctor answer while the server stands still', async () => {
  const at = desk();
  // More than may be unfinished at once (20): a part of it waits, however quick the machine is.
  fragments(at, 'fragments', 40);
  const run = at.type(['run', 'fragments.csv', '--services', 'local']);
  await run.until(() => at.done('fragments') > 0, 'an item had ended');
  // It stays open, however long the rest takes.
  await at.runs(0, ['pause', 'fragments']);
  const { pid } = at.record('server') as { pid: number };
  process.kill(pid, 'SIGSTOP');
  expect(pid).toBeGreaterThan(0);
  onTestFinished(() => {
    if (isAlive(pid)) process.kill(pid, 'SIGCONT');
  });
  for (const words of [['status', 'fragments'], ['cancel', 'fragments'], ['budget'], ['doctor']]) {
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
