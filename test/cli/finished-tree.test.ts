/** Commands on trees without a server: `verify`, `export`, `items` and `report`. In a bucket: test/export. */
import { existsSync, readFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeFinishedTree } from '../../bench/finished-tree.ts';
import type { ItemState } from '../../src/domain/campaign.ts';
import { FORMATS } from '../../src/export/export.ts';
import { publishCampaign } from '../../src/report/publish.ts';
import { openFileStore } from '../../src/store/file-store.ts';
import { writeInvalidRows } from '../../src/store/prepared-campaign.ts';
import { readItem, writeItem } from '../../src/store/item-store.ts';
import { prepareCampaign } from '../../src/store/prepare.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';
import { desk, type Desk } from './command.ts';

async function findings(at: Desk, code: number, campaign: string) {
  const { stdout } = await at.runs(code, ['verify', campaign, '--json']);
  const { ok, items, faults } = JSON.parse(stdout) as Record<string, unknown>;
  const all = faults as Record<string, string>[];
  for (const { remedy } of all) expect(remedy).toMatch(/\S/);
  return { ok, items, faults: all.map(({ check, path }) => `${check} ${path}`) };
}

test('a whole tree is found by name and by folder, has no problems, and each fault is named with its path', async () => {
  const at = desk();
  const folder = at.damages('results', 'finished');
  const { store, end } = await writeFinishedTree(folder, 4);
  await publishCampaign(store, end);
  const { stdout, stderr } = await at.runs(0, ['verify', 'finished']);
  expect(stderr).toContain('no problems found: 16 items');
  const checks = ['records', 'files', 'tables', 'summary', 'crate', 'checksums'];
  const table = ['CHECK PATH FOUND WHAT TO DO', ...checks.map((one) => `${one} - ok -`), ''];
  expect(stdout.split('\n').map((line) => line.trim().split(/\s+/).join(' '))).toEqual(table);
  const well = { ok: true, items: 16, faults: [] };
  expect(await findings(at, 0, './results/finished')).toEqual(well);

  const compared = await at.runs(0, ['report', 'finished', 'finished']);
  expect(compared.stderr).toContain('molecule: 4 pairs, 0 of 7 measures differ.');
  expect(existsSync(at.path('comparison', 'finished-finished', 'comparison.html'))).toBe(true);
  const alone = await at.runs(1, ['report', 'finished', '--by', 'project']);
  expect(alone.stderr).toContain('hundredfold report A B --by COLUMN');

  await appendFile(join(folder, 'sequences/sequence-00001/result.json'), ' ');
  await appendFile(join(folder, 'items.csv'), 'another,molecule,succeeded,,,,,,,,,,,,\n');
  const { ok, faults } = await findings(at, 3, 'finished');
  expect(ok).toBe(false);
  const changed = ['files sequences/sequence-00001/result.json', 'tables items.csv'];
  expect(faults).toEqual(expect.arrayContaining(changed));
});

test('the formats are listed, and a campaign is exported by its name and by the folder of its tree', async () => {
  const at = desk();
  const list = await at.runs(0, ['export', '--list']);
  for (const { name } of FORMATS) expect(list.stdout).toContain(`\n${name} `);
  await writeFinishedTree(at.path('results', 'finished'), 8);
  const byName = await at.runs(0, ['export', 'finished', '--to', 'sdf']);
  expect(byName.stdout).toBe(`${at.path('export', 'finished-sdf')}\n`);
  expect(byName.stderr).toContain('left out: molecule-00007: it is failed: JOB_FAILED');
  const where = ['--where', 'id=molecule-00001,molecule-00002', '--out', 'two'];
  const { stdout } = await at.runs(0, [
    ...['export', 'results/finished', '--to', 'gromacs', '--json'],
    ...where,
  ]);
  expect(JSON.parse(stdout)).toMatchObject({ format: 'gromacs', exported: 2 });
  expect(existsSync(at.path('two', 'ligands', 'molecule-00001.itp'))).toBe(true);
  expect(readFileSync(at.path('two', 'export.json'), 'utf8')).toContain('"exported": 2');

  // A ligand that is skipped makes the exit code 3.
  at.write('results/finished/molecules/molecule-00001/input.smi', 'CCCC');
  const { stderr } = await at.runs(3, ['export', 'finished', '--to', 'smi']);
  expect(stderr).toContain('molecules/molecule-00001/input.smi has 4 bytes instead of 5');
});

/** A failed molecule, sequences that succeeded but for the first, which waits, and a refused row. */
async function openTree(at: Desk): Promise<void> {
  const store = await openFileStore(at.path('results', 'night'));
  const sequences = [0, 1, 2].map((n) => ({
    ...aSequence(`s-${n}`),
    user: { mass: `${9 + n}.5` },
  }));
  const items = [aMolecule('broken'), ...sequences];
  await prepareCampaign(store, { name: 'night', manifestDigests: [], settings: {} }, items);
  for (const { kind, id } of items.filter((item) => item.id !== 's-0')) {
    const record = await readItem(store, kind, id);
    if (!record) throw new Error(`${id} was not laid out`);
    const words = { code: 'JOB_FAILED', message: 'its words,\nin two lines' };
    const [state, error]: [ItemState, typeof words | null] =
      kind === 'molecule' ? ['failed', words] : ['succeeded', null];
    const ended = {
      ...record,
      state,
      error,
      remoteId: `job-${id}`,
      finishedAt: '2026-11-21T02:14:33.000Z',
    };
    await writeItem(store, ended, { durable: false });
  }
  const refused = { id: 'odd', kind: null, source: { file: 'a.csv', line: 9 }, row: { id: 'odd' } };
  await writeInvalidRows(
    store,
    (async function* () {
      yield { ...refused, code: 'SMILES_UNREADABLE', message: 'no molecule' };
    })(),
  );
}

test('`items` prints all items or the selected ones, as one document or a table, without a server', async () => {
  const at = desk();
  await openTree(at);
  const document = await at.runs(0, ['items', 'night', '--json']);
  const { items } = JSON.parse(document.stdout) as { items: Record<string, unknown>[] };
  expect(items.map(({ id, state }) => `${id as string} ${state as string}`)).toEqual([
    ...['broken failed', 's-0 waiting', 's-1 succeeded', 's-2 succeeded', 'odd invalid'],
  ]);
  const failed = await at.runs(0, ['items', 'night', '--state', 'failed']);
  expect(document.stderr + failed.stderr).toBe('');
  const [header = '', row, ...rest] = failed.stdout.split('\n');
  expect(header).toMatch(/^ID +KIND +STATE +SINCE +CODE +PATH +REMOTE_ID +MESSAGE$/);
  expect(row).toMatch(
    /^broken {2}molecule {2}failed {2}2026-11-2\dT\d\d:\d\d:33 {2}JOB_FAILED {2}molecules\/broken {2}job-broken {2}its words, in two lines$/,
  );
  expect(rest).toEqual(['']);
  const none = await at.runs(0, ['items', 'night', '--state', 'held', '--code', 'JOB_FAILED']);
  expect(none.stderr).toBe('night has no such item.\n');
  expect(at.servers(), 'no server was started for it').toEqual([]);
});

test.each([
  [['--state', 'succeeded', '--item', 's-0', 's-2'], ['s-2']],
  [['--where', 'id=broken,odd', '--kind', 'molecule'], ['broken']],
  [
    ['--where', 'state=waiting,succeeded', 'mass>9.5'],
    ['s-1', 's-2'],
  ],
  [
    ['--where', 'mass=9..10.5,x'],
    ['s-0', 's-1'],
  ],
  [['--where', 'mass<10'], ['s-0']],
  [['--where', 'mass=11.5'], ['s-2']],
  [['--code', 'SMILES_UNREADABLE'], ['odd']],
])('%j selects %j', async (words, ids) => {
  const at = desk();
  await openTree(at);
  const { stdout } = await at.runs(0, ['items', 'night', '--json', ...words]);
  const { items } = JSON.parse(stdout) as { items: { id: string }[] };
  expect(items.map(({ id }) => id)).toEqual(ids);
});

test('a condition that cannot be read, or names no state or kind, is refused', async () => {
  const at = desk();
  await openTree(at);
  const refused: [string, RegExp][] = [
    ['mass', /--where mass is not a condition/],
    ['mass=', /is not a condition/],
    ['state=lost', /there is no state lost/],
    ['kind=protein', /there is no kind protein/],
    ['weight>9', /there is no column weight[^]*Choose one of id, kind, state, code, mass/],
  ];
  for (const [condition, said] of refused) {
    const { stderr } = await at.runs(1, ['items', 'night', '--where', condition]);
    expect(stderr).toMatch(said);
  }
});

test('`report` of an open campaign shows what has ended so far, and changes no item', async () => {
  const at = desk();
  await openTree(at);
  const folder = at.path('results', 'night');
  const waiting = readFileSync(join(folder, 'sequences/s-0/item.json'), 'utf8');
  const { stdout, stderr } = await at.runs(0, ['report', 'night', '--json']);
  const report = join(folder, 'report.html');
  const soFar = { ended: 4, items: 5 };
  expect(JSON.parse(stdout)).toMatchObject({ state: 'running', endedAt: null, soFar, report });
  expect(stderr).toContain('so far, 4 of 5 items are done,');
  expect(readFileSync(join(folder, 'items.csv'), 'utf8')).toContain('\ns-0,sequence,waiting,');
  const summary: unknown = JSON.parse(readFileSync(join(folder, 'campaign.json'), 'utf8'));
  expect(summary).toMatchObject({ ended_at: null, so_far: soFar });
  expect(existsSync(report)).toBe(true);
  expect(existsSync(join(folder, 'SHA256SUMS'))).toBe(false);
  expect(readFileSync(join(folder, 'sequences/s-0/item.json'), 'utf8')).toBe(waiting);
});
