/** Commands in two working folders, each with its own embedded Temporal server: one output tree, or one token. */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { neverOverBudget, neverRefusedForRate } from '../promises.ts';
import { desk, type Desk, type Typing } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const ROWS = 12;
const RUN = ['run', '../night.csv', '--out', '../results', '--config', '../hundredfold.yaml'];

async function twoFolders(at: Desk, seconds = 3) {
  const service = await rehearse(at, { limit: 100, seconds });
  // Slowly, so that it can be interrupted in the middle.
  service.budget(4);
  peptides(at, 'night', ROWS);
  const typingIn = (name: string): Typing => {
    mkdirSync(at.path(name), { recursive: true });
    return { env: TOKEN, cwd: at.path(name) };
  };
  return { service, first: typingIn('first'), second: typingIn('second') };
}

test('an abandoned tree is taken over, and the first Temporal submits none of its items again', async () => {
  const at = desk();
  const { service, first, second } = await twoFolders(at);
  const left = at.type(RUN, first);
  await left.until(() => at.done('night') >= 4, 'four items had ended');
  left.kill('SIGINT');
  await left.endsWith(130);

  const { stderr } = await at.runs(0, RUN, second);
  expect(stderr).toContain('is taken over');
  const again = await at.runs(0, RUN, first);
  expect(again.stderr).toContain('was ended: its output tree is no longer the one');
  expect(again.stderr).toContain('Nothing to do');
  const journal = await service.end();
  expect(journal.filter(({ accepted }) => accepted)).toHaveLength(ROWS);
});

test('two folders with one token stay within its limit together, also when a database is deleted in between', async () => {
  const at = desk();
  const limits = { limit: 6, seconds: 12 };
  const service = await rehearse(at, limits);
  const run = (folder: string) =>
    at.type(['run', `../${folder}.csv`, '--config', '../hundredfold.yaml', '--no-cache'], {
      env: TOKEN,
      cwd: at.path(folder),
    });
  for (const folder of ['one', 'two']) {
    peptides(at, folder, 8);
    mkdirSync(at.path(folder));
  }
  const [one, two] = [run('one'), run('two')];
  await one.until(() => existsSync(at.path('one', 'results', 'one', 'sequences')), 'it had begun');
  await one.says(' succeeded');
  one.kill('SIGKILL');
  await one.ended;
  const left = at.record('server', at.path('one', '.hundredfold'))?.['pid'];
  if (typeof left === 'number') process.kill(left, 'SIGKILL');
  await two.endsWith(0);
  rmSync(at.path('one', '.hundredfold'), { recursive: true, force: true });
  // Its tree is not locked by the server that is gone.
  const again = await run('one').endsWith(0);
  expect(again.stderr).toContain('is taken over');
  const journal = await service.end();
  neverRefusedForRate(journal);
  neverOverBudget(journal, { limit: limits.limit, windowMs: limits.seconds * 1_000 });
  expect(journal.filter(({ accepted }) => accepted).length).toBeGreaterThanOrEqual(16);
});
