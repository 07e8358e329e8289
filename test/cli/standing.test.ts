/** `--share`, `--priority` and `--reserve` of `hundredfold run`. */
import { expect, test } from 'vitest';
import { atMostOneJob, neverOverBudget, noItemLost, treeIsWhole } from '../promises.ts';
import { desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

test('a campaign that leaves slots to others does not delay a small one', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 6, seconds: 8 });
  service.budget(6);
  const ids = { night: peptides(at, 'night', 6), desk: peptides(at, 'desk', 3) };
  const typing = { env: TOKEN };

  const night = at.type(['run', 'night.csv', '--reserve', '4', '--priority', '5'], typing);
  await night.until(() => at.done('night') >= 2, 'two items had ended');
  const { stdout } = await at.runs(0, ['budget'], typing);
  expect(stdout).toMatch(/campaign night: 2 charged, \d waiting; share 1, priority 5, reserve 4\n/);

  await at.runs(0, ['run', 'desk.csv'], typing);
  await night.endsWith(0);
  for (const [name, of] of Object.entries(ids)) {
    const tree = at.path('results', name);
    await noItemLost(tree, of);
    await treeIsWhole(tree);
  }
  const journal = await service.end();
  atMostOneJob(journal, 9);
  neverOverBudget(journal, { limit: 6, windowMs: 8_000 });
  // Job names begin with the name of the campaign.
  const ofNight = journal.filter(({ jobName }) => jobName?.startsWith('night'));
  expect(ofNight).toHaveLength(6);
  neverOverBudget(ofNight, { limit: 2, windowMs: 8_000 });
}, 240_000);

test.each([
  [['--share', '0'], 'It must be a number above 0, at most 100.'],
  [['--priority', '6'], 'It must be 1, 2, 3, 4 or 5.'],
  [['--reserve', 'x'], 'It must be a whole number.'],
])('%j is refused before the manifest is read', async (flags, words) => {
  const { stderr } = await desk().runs(1, ['run', 'absent.csv', ...flags]);
  expect(stderr).toContain(words);
});
