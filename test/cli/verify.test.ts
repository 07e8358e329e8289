/** `hundredfold verify` as a user runs it, on trees on disk. */
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { desk, type Desk } from './command.ts';

/** A published tree of all kinds, in a folder of the desk. */
async function publishedTree(at: Desk): Promise<string> {
  const folder = at.path('results', 'finished');
  const { store, end } = await writeFinishedTree(folder, 4);
  await publishCampaign(store, end);
  return folder;
}

test('finds no problems in a campaign given by name or by the folder of its tree', async () => {
  const at = desk();
  await publishedTree(at);
  const byName = await at.type(['verify', 'finished']).ended;
  expect([byName.code, byName.stderr]).toEqual([
    0,
    expect.stringContaining('no problems found: 16 items'),
  ]);
  expect(byName.stdout.split('\n').map((line) => line.trim().split(/\s+/).join(' '))).toEqual([
    'CHECK PATH FOUND WHAT TO DO',
    ...['records', 'files', 'tables', 'summary', 'crate', 'checksums'].map(
      (one) => `${one} - ok -`,
    ),
    '',
  ]);
  const byFolder = await at.type(['verify', './results/finished', '--json']).ended;
  expect(byFolder.code).toBe(0);
  expect(JSON.parse(byFolder.stdout)).toMatchObject({
    campaign: 'finished',
    ok: true,
    items: 16,
    faults: [],
  });
});

test('names each fault with its path and a remedy, and exits with 3', async () => {
  const at = desk();
  const folder = await publishedTree(at);
  await appendFile(join(folder, 'sequences/sequence-00001/result.json'), ' ');
  await appendFile(join(folder, 'items.csv'), 'another,molecule,succeeded,,,,,,,,,,,,\n');
  const { code, stdout } = await at.type(['verify', 'finished', '--json']).ended;
  expect(code).toBe(3);
  const { ok, faults } = JSON.parse(stdout) as { ok: boolean; faults: Record<string, string>[] };
  expect(ok).toBe(false);
  expect(faults.map(({ check, path }) => `${check} ${path}`)).toEqual(
    expect.arrayContaining(['files sequences/sequence-00001/result.json', 'tables items.csv']),
  );
  for (const { remedy } of faults) expect(remedy).toMatch(/\S/);
});

test('says of a campaign that has not ended only that, and how far it is', async () => {
  const at = desk();
  const { store } = await writeFinishedTree(at.path('results', 'finished'), 4);
  await store.write('molecules/molecule-00001/sending-0-0.json', '{}');
  const { code, stdout, stderr } = await at.type(['verify', 'finished']).ended;
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toContain('finished has not ended (16 of 16)');
  expect(stderr).not.toMatch(/sending|remove/i);
});

test('prints one JSON document also if the campaign does not exist', async () => {
  const at = desk();
  const { code, stdout } = await at.type(['verify', './nowhere', '--json']).ended;
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'TREE_UNKNOWN' } });
});
