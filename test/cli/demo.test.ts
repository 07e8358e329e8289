/** The demo batch, as a user runs it. Its output tree, file by file: test/goldens. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { itemsTable, noSecret, treeIsWhole } from '../promises.ts';
import { processArguments, ROOT, sharedDesk, type Ended } from './command.ts';

/** Found nowhere else in any file; the molecule service requires ten characters. */
const TOKENS = {
  HUNDREDFOLD_MOLECULE_TOKEN: 'mQ7zx9Wodd',
  HUNDREDFOLD_PREDICTION_TOKEN: 'pR3dict-tOk_odd~81',
};
const TYPED = ['run', join(ROOT, 'batches', 'demo'), '--services', 'local', '--json'];

const desk = sharedDesk();
const tree = desk.path('results', 'demo');
/** Command lines of all processes during the run. */
let commandLines = '';
let first: Ended;

beforeAll(async () => {
  const typed = desk.type(TYPED, { env: TOKENS });
  await typed.until(() => desk.done('demo') > 0, 'an item had ended');
  commandLines = processArguments();
  first = await typed.endsWith(0);
});

function documentIn({ stdout }: Ended): Record<string, unknown> {
  expect(stdout, 'one line on stdout').toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as Record<string, unknown>;
}

test('the demo ends with exit code 0 and one JSON document on stdout; stderr shows where everything is', () => {
  const counts = { failed: 0, held: 0, cancelled: 0, invalid: 0, duplicates: 0, cached: 0 };
  expect(documentIn(first)).toMatchObject({
    campaign: 'demo',
    state: 'completed',
    items: { ...counts, total: 24, succeeded: 24, adopted: 0 },
    submissions: 24,
    rejected429: 0,
    out: tree,
  });
  expect(first.stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\/\S*Campaign%3D%22demo%22/);
  expect(first.stderr).toMatch(/demo: 24 of 24 succeeded in \d+ s\.\n/);
  expect(first.stderr).toContain(`results: ${tree}\n`);
  // eslint-disable-next-line no-control-regex
  expect(first.stdout + first.stderr, 'no control codes').not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  expect(desk.journal().filter(({ accepted }) => accepted).length).toBe(24);
  expect(desk.servers(), 'processes left behind').toEqual([]);
  const said = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: tree });
  expect(said.toString().match(/: OK$/gm)?.length).toBeGreaterThan(300);
});

test.each(Object.entries(TOKENS))('the token %s is written nowhere', async (_, token) => {
  // Temporal's database with its journal, all logs and records, and the data of the local services.
  const names = readdirSync(desk.embedded, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  for (const name of ['temporal.db', 'temporal.db-wal', 'worker.log'])
    expect(names).toContain(join(desk.embedded, name));
  await noSecret(token, tree, {
    ...Object.fromEntries(names.map((name) => [name, readFileSync(name, 'latin1')])),
    stdout: first.stdout,
    stderr: first.stderr,
    'arguments of processes': commandLines,
  });
});

test('the same command again submits nothing, also when all data of Temporal and the services was lost', async () => {
  /** What must not change: the submissions and their results. */
  const jobs = async () =>
    (await itemsTable(tree)).map(({ id, remote_id: job, finished_at: at }) => [id, job, at]);
  const before = await jobs();
  const again = await desk.runs(0, TYPED, { env: TOKENS });
  expect(documentIn(again)).toMatchObject({ state: 'completed', submissions: 24 });
  expect(again.stderr).toContain('Nothing to do');
  expect(desk.journal().length).toBe(24);
  expect(await jobs()).toEqual(before);

  rmSync(desk.embedded, { recursive: true });
  const anew = await desk.runs(0, TYPED, { env: TOKENS });
  expect(documentIn(anew)).toMatchObject({ items: { succeeded: 24 } });
  expect(await jobs()).toEqual(before);
  expect(desk.journal(), 'submissions to the new services').toEqual([]);
  await treeIsWhole(tree);
});

test('a rehearsal of own rows: the plan counts those without a recording, and all have results to export', async () => {
  desk.write('own.csv', 'id,smiles,net_charge\nchiral,C[C@H](F)CCl,\nacid,FC(Cl)C(=O)[O-],-1\n');
  const planned = await desk.runs(0, ['plan', 'own.csv', '--services', 'local']);
  expect(planned.stdout).toMatch(/will fail +2 .*--services synthetic/);
  await desk.runs(0, ['run', 'own.csv', '--services', 'synthetic']);
  const own = desk.path('results', 'own');
  expect((await itemsTable(own)).map(({ state }) => state)).toEqual(['succeeded', 'succeeded']);
  const table = readFileSync(join(own, 'tables', 'molecules.csv'), 'utf8');
  expect(table).toMatch(/^chiral,\w+,C3H6ClF,0,.*,synthetic,/m);
  expect(table).toMatch(/^acid,\w+,C2HClFO2,-1,.*,synthetic,/m);
  for (const format of ['gromacs', 'sdf'])
    await desk.runs(0, ['export', 'own', '--to', format, '--out', desk.path(format)]);
  const drawn = readFileSync(join(desk.path('sdf'), 'molecules.sdf'), 'utf8');
  expect(drawn.match(/^M {2}END$/gm)).toHaveLength(2);
});
