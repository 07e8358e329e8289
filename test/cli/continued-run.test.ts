/** `run` typed again while its campaign is open, also with a folder that was changed meanwhile. */
import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const typing = { env: TOKEN };
const RUN = ['run', 'night.csv'];
const CONTINUES = 'night is already running, and continues while its rows are checked.';

test('it continues before its rows are checked, and an item whose folder was removed runs again', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: 3_600 });
  service.budget(4);
  peptides(at, 'night', 6);
  const first = at.type(RUN, typing);
  await first.until(() => at.done('night') === 4, 'four items had ended');
  first.kill('SIGKILL');
  await first.ended;
  service.budget(20);
  rmSync(at.path('results', 'night', 'sequences', 'peptide-5'), { recursive: true });
  const { stderr } = await at.runs(0, RUN, typing);
  const [continues = -1, checked] = [CONTINUES, 'night: 6 rows'].map((words) =>
    stderr.indexOf(words),
  );
  expect(continues, stderr).toBeGreaterThanOrEqual(0);
  expect(checked, stderr).toBeGreaterThan(continues);
});

test('an input or a folder that is removed while the campaign runs in the background is recreated, and its item sent', async () => {
  const at = desk();
  // Slowly: the campaign must be open when its folder was seen to be missing, however slow the machine is.
  await rehearse(at, { limit: 1, seconds: 8 });
  peptides(at, 'night', 6);
  const tree = at.path('results', 'night');
  await at.runs(0, [...RUN, '--detach', '-y'], typing);
  rmSync(`${tree}/sequences/peptide-1`, { recursive: true });
  const failed = async () => {
    const { stdout } = await at.type(['status', 'night', '--json'], typing).ended;
    return (JSON.parse(stdout) as { items: { failed: number } }).items.failed;
  };
  await expect.poll(failed, { timeout: 30_000, interval: 200 }).toBe(1);
  rmSync(`${tree}/sequences/peptide-3/input.fasta`);

  const { stderr } = await at.type(RUN, typing).ended;
  expect(stderr).toContain('night is already running: this command joins it.');
  // A minute after the others have ended: rows that another command adds to the campaign would come until then.
  expect(stderr).toContain('night: items that had not ended are run again.');
  await at.runs(0, RUN, typing);
});
