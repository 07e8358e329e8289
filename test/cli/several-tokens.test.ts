/** `services.predictions.tokens`: several tokens of one user, each with its own budget. */
import { expect, test } from 'vitest';
import { atMostOneJob, neverOverBudget, noItemLost, noSecret, treeIsWhole } from '../promises.ts';
import { desk, type Desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse } from './rehearsal.ts';

const TOKENS = { ONE: 'pRehearsal~1', TWO: 'pRehearsal~2' };

function configure(at: Desk, url: string, more = ''): void {
  at.write(
    'hundredfold.yaml',
    `services:
  predictions:
    url: "${url}"
    tokens: [{ env: ONE }, { env: TWO }]
    budget: { limit: 5, window: 10s }
${more}`,
  );
}

test('several tokens are refused until the user has confirmed that the service allows them', async () => {
  const at = desk();
  peptides(at, 'night', 2);
  configure(at, 'http://127.0.0.1:9');
  const { stderr } = await at.runs(2, ['run', 'night.csv'], { env: TOKENS });
  expect(stderr).toContain('CONFIG_SEVERAL_TOKENS');
  expect(stderr).toContain('severalTokensAllowed: true');
});

test('several tokens share a campaign that is killed in the middle, and none exceeds its limit', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 5, seconds: 10 });
  configure(at, service.url, '    severalTokensAllowed: true\n');
  const ids = peptides(at, 'night', 22);
  const first = at.type(['run', 'night.csv', '--yes'], { env: TOKENS });
  await first.until(() => at.done('night') >= 7, 'seven items had ended');
  for (const pid of at.servers()) process.kill(pid, 'SIGKILL');
  first.kill('SIGKILL');
  const { stdout } = await at.runs(0, ['run', 'night.csv', '--yes', '--json'], { env: TOKENS });
  expect(JSON.parse(stdout)).toMatchObject({ items: { succeeded: 22 }, rejected429: 0 });
  const tree = at.path('results', 'night');
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  for (const secret of Object.values(TOKENS)) await noSecret(secret, tree, { stdout });
  const journal = await service.end();
  atMostOneJob(journal, 22);
  neverOverBudget(journal, { limit: 5, windowMs: 10_000 });
  expect(journal.every(({ accepted }) => accepted)).toBe(true);
  expect(new Set(journal.map(({ token }) => token)).size).toBe(2);
}, 240_000);
