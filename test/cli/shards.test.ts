/** The commands on a tree in shards. A campaign of a few rows gets one only because the mark is there already. */
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SHARDED } from '../../src/store/layout.ts';
import { atMostOneJob, noItemLost, treeIsWhole } from '../promises.ts';
import { desk, type Desk } from './command.ts';
import { peptides } from './manifests.ts';
import { rehearse, TOKEN } from './rehearsal.ts';

const typing = { env: TOKEN };

function inShards(at: Desk): string {
  const tree = at.path('results', 'night');
  mkdirSync(`${tree}/.hundredfold`, { recursive: true });
  writeFileSync(`${tree}/${SHARDED}`, '');
  return tree;
}

test('a campaign in shards is killed, resumed, published, checked, listed, exported and moved', async () => {
  const at = desk();
  const service = await rehearse(at, { limit: 20, seconds: 3_600 });
  service.budget(4);
  const tree = inShards(at);
  const ids = peptides(at, 'night', 8);
  const first = at.type(['run', 'night.csv'], typing);
  await first.until(() => finished(tree) === 4, 'four items have ended');
  first.kill('SIGKILL');
  await first.ended;
  service.budget(20);
  await at.runs(0, ['run', 'night.csv'], typing);
  await noItemLost(tree, ids);
  await treeIsWhole(tree);
  atMostOneJob(await service.end(), 8);

  const { stdout } = await at.runs(0, ['items', 'night', '--json'], typing);
  const paths = (JSON.parse(stdout) as { items: { path: string }[] }).items.map(({ path }) => path);
  expect(paths).toHaveLength(8);
  for (const path of paths) {
    expect(path).toMatch(/^sequences\/[0-9a-f]{2}\/peptide-\d$/);
    expect(existsSync(`${tree}/${path}/result.json`)).toBe(true);
    for (const file of ['items.csv', 'SHA256SUMS', 'ro-crate-metadata.json'])
      expect(readFileSync(`${tree}/${file}`, 'utf8'), file).toContain(path);
  }
  await at.runs(0, ['verify', 'night'], typing);

  await at.runs(0, ['pull', 'night', '--out', 'copy', '--where', 'id=peptide-3'], typing);
  const [shard = ''] = readdirSync(at.path('copy', 'night', 'sequences'));
  expect(readdirSync(at.path('copy', 'night', 'sequences', shard))).toEqual(['peptide-3']);
  await at.runs(0, ['pull', 'night', '--out', 'copy'], typing);
  await at.runs(0, ['verify', './copy/night'], typing);
}, 120_000);

function finished(tree: string): number {
  if (!existsSync(`${tree}/sequences`)) return 0;
  const records = readdirSync(`${tree}/sequences`, { recursive: true, encoding: 'utf8' });
  return records.filter(
    (path) =>
      path.endsWith('item.json') &&
      readFileSync(`${tree}/sequences/${path}`, 'utf8').includes('"succeeded"'),
  ).length;
}
