/** An item whose folder is changed while its campaign runs fails, and the next `run` starts it again, as the error says. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { atMostOneJob, noItemLost, treeIsWhole } from '../promises.ts';
import { desk, type Desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

test('an input that was removed while the item waited is recreated by the next run, and sent', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 1, seconds: 5 });
  const ids = peptides(at, 'night', 2);
  const run = ['run', 'night.csv'];
  const typing = { env: TOKEN };
  const tree = at.path('results', 'night');
  await at.runs(0, [...run, '--detach', '-y'], typing);
  rmSync(`${tree}/sequences/peptide-1/input.fasta`);

  const { stderr } = await at.runs(3, run, typing);
  expect(stderr).toContain('ITEM_INPUT_MISSING');
  expect(stderr).toContain('Run the "hundredfold run" command of this campaign again');
  await at.runs(0, run, typing);
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  atMostOneJob(await service.end(), 2);
}, 120_000);

test('an item whose record was recreated just before it failed starts again, and its job is polled', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 100, seconds: 3_600 });
  const ids = peptides(at, 'night', 2);
  const run = ['run', 'night.csv'];
  const typing = { env: TOKEN };
  const tree = at.path('results', 'night');
  await at.runs(0, run, typing);
  // As `conclude` writes it: found by a chaos round.
  const path = `${tree}/sequences/peptide-1/item.json`;
  const record = JSON.parse(readFileSync(path, 'utf8')) as object;
  const error = { code: 'ITEM_MISSING', message: 'has no record of peptide-1' };
  writeFileSync(path, JSON.stringify({ ...record, state: 'failed', error }, null, 2));

  await at.runs(0, run, typing);
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  atMostOneJob(await service.end(), 2);
}, 120_000);

test('`run` on a running campaign recreates a removed folder, and runs its item after the others', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 1, seconds: 5 });
  const ids = peptides(at, 'night', 4);
  const run = ['run', 'night.csv'];
  const typing = { env: TOKEN };
  const tree = at.path('results', 'night');
  await at.runs(0, [...run, '--detach', '-y'], typing);
  rmSync(`${tree}/sequences/peptide-1`, { recursive: true });
  await expect.poll(() => failedItems(at), { timeout: 30_000, interval: 200 }).toBe(1);

  const { stderr } = await at.runs(0, run, typing);
  expect(stderr).toContain('night is already running: this command joins it.');
  // A minute after the others have ended: rows that another command adds to the campaign would come until then.
  expect(stderr).toContain('night: items that had not ended are run again.');
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  atMostOneJob(await service.end(), 4);
}, 120_000);

async function failedItems(at: Desk): Promise<number> {
  const { stdout } = await at.type(['status', 'night', '--json'], { env: TOKEN }).ended;
  return (JSON.parse(stdout) as { items: { failed: number } }).items.failed;
}
