/** `--priority` of `hundredfold run`. */
import { expect, test } from 'vitest';
import { atMostOneJob, neverOverBudget, noItemLost, treeIsWhole } from '../promises.ts';
import { desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

test('a campaign of the lowest priority lets another one go first', async () => {
  const at = desk();
  const limits = { limit: 6, windowMs: 20_000 };
  const service = await rehearse(at, { limit: 6, seconds: 20 });
  service.budget(6);
  const ids = { night: peptides(at, 'night', 12), desk: peptides(at, 'desk', 3) };
  const typing = { env: TOKEN };

  const night = at.type(['run', 'night.csv', '--priority', '5'], typing);
  await night.until(() => at.done('night') >= 2, 'two items had ended');
  const { stdout } = await at.runs(0, ['status'], typing);
  expect(stdout).toMatch(/campaign night: 6 charged, \d waiting; priority 5\n/);

  await at.runs(0, ['run', 'desk.csv'], typing);
  await night.endsWith(0);
  for (const [name, of] of Object.entries(ids)) {
    const tree = at.path('results', name);
    await noItemLost(tree, of);
    await treeIsWhole(tree);
  }
  const journal = await service.end();
  atMostOneJob(journal, 15);
  neverOverBudget(journal, limits);
  // Job names begin with the name of the campaign.
  const names = journal.map(({ jobName }) => jobName?.split('.')[0]);
  expect(names.slice(6, 12).filter((name) => name === 'desk')).toHaveLength(3);
}, 240_000);

test.each([
  [['--priority', '6'], 'It must be 1, 2, 3, 4 or 5.'],
  [['--priority', 'x'], 'It must be 1, 2, 3, 4 or 5.'],
])('%j is refused before the manifest is read', async (flags, words) => {
  const { stderr } = await desk().runs(1, ['run', 'absent.csv', ...flags]);
  expect(stderr).toContain(words);
});
