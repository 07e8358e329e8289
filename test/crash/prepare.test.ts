/** `run` dies by kill -9 while it prepares rows that share work or are cached: the same command continues. */
import { existsSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { desk, type Desk } from '../cli/command.ts';
import { peptides } from '../cli/manifests.ts';
import { rehearse, TOKEN } from '../cli/rehearsal.ts';
import { atMostOneJob, itemsTable, noItemLost, treeIsWhole } from '../promises.ts';

const typing = { env: TOKEN };
const WORKS = 6;
const ROWS = 1_200;

/** `WORKS` different sequences, repeated; the first half of them is what `peptides` generates. */
function manyRows(at: Desk, name: string, rows: number): string[] {
  const ids = Array.from({ length: rows }, (_, n) => `row-${n}`);
  const lines = ids.map((id, n) => `${id},MKTAYIAK${'ACDEFGHIKLMNPQRSTVWY'[n % WORKS] ?? ''}A`);
  at.write(`${name}.csv`, ['id,sequence', ...lines, ''].join('\n'));
  return ids;
}

function laidOut(at: Desk, name: string): number {
  const folder = at.path('results', name, 'sequences');
  return existsSync(folder) ? readdirSync(folder).length : 0;
}

test('`run`, killed twice while it prepares rows, submits each job once and uses cached results', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 100, seconds: 3_600 });
  await at.hosts(TOKEN);
  peptides(at, 'earlier', WORKS / 2);
  await at.runs(0, ['run', 'earlier.csv'], typing);

  const ids = manyRows(at, 'night', ROWS);
  const run = ['run', 'night.csv', '--json'];
  const prepared = () => existsSync(at.path('results', 'night', '.hundredfold', 'campaign.json'));
  for (const rows of [ROWS / 10, ROWS / 2]) {
    const killed = at.type(run, typing);
    await killed.until(() => laidOut(at, 'night') >= rows, `${rows} rows were laid out`);
    killed.kill('SIGKILL');
    await killed.ended;
    expect(prepared(), 'killed in the middle').toBe(false);
  }
  const { stdout } = await at.runs(0, run, typing);
  expect(JSON.parse(stdout)).toMatchObject({
    submissions: WORKS / 2,
    items: { total: ROWS, succeeded: ROWS, cached: WORKS / 2, duplicates: ROWS - WORKS },
  });
  const tree = at.path('results', 'night');
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  expect((await itemsTable(tree)).filter(({ result_from: from }) => from === '')).toHaveLength(
    WORKS / 2,
  );
  const journal = await service.end();
  expect(journal.filter(({ accepted }) => accepted)).toHaveLength(WORKS);
  atMostOneJob(journal, WORKS);
}, 180_000);
