/** Commands on a damaged campaign tree: the row is named, the exit code is not 0, and the suggested fix works. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { treeIsWhole } from '../promises.ts';
import { desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

test('a page that lost a row, and a record that names another item, are reported and can be fixed', async () => {
  const at = desk();
  await rehearse(at, { limit: 100, seconds: 3_600 });
  peptides(at, 'night', 3);
  const run = ['run', 'night.csv'];
  const typing = { env: TOKEN };
  const tree = at.path('results', 'night');
  await at.hosts(TOKEN);
  await at.runs(0, run, typing);

  const page = `${tree}/.hundredfold/items-00000.json`;
  const rows = JSON.parse(readFileSync(page, 'utf8')) as unknown[];
  writeFileSync(page, JSON.stringify(rows.slice(1)));
  const report = await at.runs(1, ['report', 'night'], typing);
  expect(report.stderr).toContain('list 2 of its 3 rows');
  await at.runs(0, run, typing);
  await treeIsWhole(tree);

  const record = `${tree}/sequences/peptide-1/item.json`;
  const text = readFileSync(record, 'utf8');
  writeFileSync(record, text.replace('"id": "peptide-1"', '"id": "peptide-9"'));
  const again = await at.type(run, typing).ended;
  expect(again.code).not.toBe(0);
  const found = 'sequences/peptide-1/item.json is the record of sequence peptide-9';
  expect(again.stderr).toContain(found);
  expect(again.stderr).toContain('ITEM_RECORD_FOREIGN');
  const told = await at.runs(3, ['report', 'night'], typing);
  expect(told.stderr).toContain('damaged: sequences/peptide-1/item.json');

  rmSync(`${tree}/sequences/peptide-1`, { recursive: true });
  // Its result comes from the cache, without a job.
  await at.runs(0, run, typing);

  // A record that was recreated just before its item failed: it starts again, and its job is polled.
  const error = { code: 'ITEM_MISSING', message: 'has no record of peptide-2' };
  const other = record.replace('peptide-1', 'peptide-2');
  const former = JSON.parse(readFileSync(other, 'utf8')) as object;
  writeFileSync(other, JSON.stringify({ ...former, state: 'failed', error }, null, 2));
  await at.runs(0, run, typing);
});
