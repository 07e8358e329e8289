/** `run` typed again while its campaign is open, with the same rows, more rows, or a folder that was changed meanwhile. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { atMostOneJob, noItemLost, treeIsWhole } from '../promises.ts';
import { desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const typing = { env: TOKEN };
const RUN = ['run', 'night.csv'];
const CONTINUES = 'night is already running, and continues while its rows are checked.';

/** Four of six rows were submitted when the command was killed. */
async function killed() {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: 3_600 });
  service.budget(4);
  const ids = peptides(at, 'night', 6);
  const tree = at.path('results', 'night');
  const hasEnded = (id: string): boolean => {
    const path = `${tree}/sequences/${id}/item.json`;
    return existsSync(path) && readFileSync(path, 'utf8').includes('"succeeded"');
  };
  const first = at.type(RUN, typing);
  await first.until(() => ids.filter(hasEnded).length === 4, 'four items had ended');
  first.kill('SIGKILL');
  await first.ended;
  service.budget(20);
  return { at, service, ids, tree };
}

test('with the same manifest, it continues before its rows are checked; an item whose folder was removed runs again', async () => {
  const { at, service, ids, tree } = await killed();
  rmSync(`${tree}/sequences/peptide-5`, { recursive: true });
  const { stderr } = await at.runs(0, RUN, typing);
  const [continues = -1, checked] = [CONTINUES, 'night: 6 rows'].map((words) =>
    stderr.indexOf(words),
  );
  expect(continues, stderr).toBeGreaterThanOrEqual(0);
  expect(checked, stderr).toBeGreaterThan(continues);
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  atMostOneJob(await service.end(), 6);
});

test('with a changed manifest, the rows are checked first', async () => {
  const { at, ids, tree } = await killed();
  const more = peptides(at, 'night', 7);
  const { stderr } = await at.runs(0, RUN, typing);
  expect(stderr).not.toContain(CONTINUES);
  expect(stderr).toContain('1 new rows were added to it');
  await noItemLost(tree, more);
  expect(more).toEqual(expect.arrayContaining(ids));
});

test('an input or a folder that is removed while the campaign runs in the background is recreated, and its item sent', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 1, seconds: 5 });
  const ids = peptides(at, 'night', 4);
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
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  atMostOneJob(await service.end(), 4);
});
