/** `run` typed again while its campaign is open: the session is opened before the rows are checked. */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { atMostOneJob, noItemLost, treeIsWhole } from '../promises.ts';
import { desk, type Desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN, type Rehearsal } from './rehearsal.ts';

const typing = { env: TOKEN };
const CONTINUES = 'night is already running, and continues while its rows are checked.';

interface Killed {
  readonly at: Desk;
  readonly service: Rehearsal;
  readonly ids: readonly string[];
}

function recordOf(at: Desk, id: string): string {
  const path = at.path('results', 'night', 'sequences', id, 'item.json');
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** Four of six rows were submitted when the command was killed. */
async function killed(): Promise<Killed> {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: 3_600 });
  service.budget(4);
  const ids = peptides(at, 'night', 6);
  const first = at.type(['run', 'night.csv'], typing);
  const ended = () => ids.filter((id) => recordOf(at, id).includes('"succeeded"')).length;
  await first.until(() => ended() === 4, 'four items had ended');
  first.kill('SIGKILL');
  await first.ended;
  service.budget(20);
  return { at, service, ids };
}

test('with the same manifest, the campaign continues before its rows are checked', async () => {
  const { at, service, ids } = await killed();
  const tree = at.path('results', 'night');
  const { stderr } = await at.runs(0, ['run', 'night.csv'], typing);
  const [continues, checked] = [CONTINUES, 'night: 6 rows'].map((words) => stderr.indexOf(words));
  expect(continues, stderr).toBeGreaterThanOrEqual(0);
  expect(checked, stderr).toBeGreaterThan(continues ?? Infinity);
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  atMostOneJob(await service.end(), 6);
});

test('with a changed manifest, the rows are checked first', async () => {
  const { at, ids } = await killed();
  const more = peptides(at, 'night', 7);
  const { stderr } = await at.runs(0, ['run', 'night.csv'], typing);
  expect(stderr).not.toContain(CONTINUES);
  expect(stderr).toContain('1 new rows were added to it');
  await noItemLost(at.path('results', 'night'), more);
  expect(more).toEqual(expect.arrayContaining([...ids]));
});

test('an item whose folder was removed meanwhile runs again', async () => {
  const { at, ids } = await killed();
  const tree = at.path('results', 'night');
  rmSync(`${tree}/sequences/peptide-5`, { recursive: true });
  await at.runs(0, ['run', 'night.csv'], typing);
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
});
