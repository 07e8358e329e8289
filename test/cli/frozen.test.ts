/** An embedded server that stands still when a command that only reads takes it over. */
import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { noItemLost, treeIsWhole } from '../promises.ts';
import { desk } from './command.ts';
import { fragments } from './manifests.ts';

/** Time limit of `status`, in ms, and the time to start it. */
const PROMISED_MS = 15_000;
const STARTING_MS = 4_000;

test('status ends within 15 s, and run continues', async () => {
  const at = desk();
  const ids = fragments(at, 'fragments', 6);
  const run = ['run', 'fragments.csv', '--services', 'local'];
  const first = at.type(run);
  await first.says('of 6: ');
  first.kill('SIGKILL');
  await first.ended;
  const { pid } = at.record('server') as { pid: number };
  process.kill(pid, 'SIGSTOP');

  const began = performance.now();
  const { stderr } = await at.runs(1, ['status']);
  expect(performance.now() - began, 'ms').toBeLessThan(PROMISED_MS + STARTING_MS);
  expect(stderr).toContain('[TEMPORAL_UNREACHABLE]');

  await at.runs(0, run);
  const tree = at.path('results', 'fragments');
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
}, 240_000);
