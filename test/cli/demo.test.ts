/** The demo batch, as a user runs it, and its output tree, file by file. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { beforeAll, describe, expect, test } from 'vitest';
import { itemsTable, noSecret, treeIsWhole } from '../promises.ts';
import { acpypeRecording } from '../services/recordings.ts';
import { ROOT, sharedDesk, type Ended } from './command.ts';
import { processArguments } from './process-arguments.ts';

const DEMO = join(ROOT, 'batches', 'demo');
/** Found nowhere else in any file; the molecule service requires ten characters. */
const TOKENS = {
  HUNDREDFOLD_MOLECULE_TOKEN: 'mQ7zx9Wodd',
  HUNDREDFOLD_PREDICTION_TOKEN: 'pR3dict-tOk_odd~81',
};
const TYPED = ['run', DEMO, '--services', 'local', '--json'];

const rows = parse<Record<string, string>>(readFileSync(join(DEMO, 'manifest.csv')), {
  columns: true,
});

const desk = sharedDesk();
const tree = desk.path('results', 'demo');
/** Command lines of all processes during the run. */
let commandLines = '';

async function runDemo(): Promise<Ended> {
  const typed = desk.type(TYPED, { env: TOKENS });
  await typed.until(() => desk.done('demo') > 0, 'an item had ended');
  commandLines = processArguments();
  return typed.endsWith(0);
}

function documentIn({ stdout }: Ended): Record<string, unknown> {
  expect(stdout, 'one line on stdout').toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as Record<string, unknown>;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

let first: Ended;

beforeAll(async () => {
  first = await runDemo();
});

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
});

describe('the output tree of the demo', () => {
  test('has the files of docs/output-tree.md, verifies, and passes sha256sum', async () => {
    const own = ['campaign.json', 'items-00000.json', 'lease/00000001.json', 'tree.json'];
    const wanted = [
      ...['campaign.json', 'items.csv', 'failed.csv', 'report.html', 'ro-crate-metadata.json'],
      ...own.map((name) => `.hundredfold/${name}`),
      'SHA256SUMS',
    ];
    const found = filesBelow(tree).filter(
      (name) => !/^(tables|molecules|sequences|alignments|shifts)\//.test(name),
    );
    expect(found).toEqual(wanted.sort());
    const said = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: tree });
    expect(said.toString().match(/: OK$/gm)?.length).toBeGreaterThan(300);
  });

  test('lists every item as succeeded, with the user’s own column, and none as failed', async () => {
    const table = await itemsTable(tree);
    expect(table.map(({ id, state, project }) => [id, state, project])).toEqual(
      rows.map(({ id, project }) => [id, 'succeeded', project]),
    );
    const failed = readFileSync(join(tree, 'failed.csv'), 'utf8');
    expect(failed.trimEnd().split('\n')).toEqual(['id,kind,file,error_code,error']);
  });

  test('has topologies with their included files beside them', () => {
    const missing = filesBelow(tree)
      .filter((name) => /_GMX(_OPLS)?\.top$/.test(name))
      .flatMap((name) => {
        const includes = readFileSync(join(tree, name), 'utf8').matchAll(/^#include "([^"]+)"/gm);
        const files = [...includes].map(([, file]) => file ?? '');
        return files.filter((file) => !existsSync(join(tree, name, '..', file)));
      });
    // GROMACS has its own OPLS force field; the restraints are not among the 19 files, and only needed with POSRES_LIG.
    expect(missing.filter((file) => !/^(ffoplsaa\.itp|posre_.*\.itp)$/.test(file))).toEqual([]);
  });

  test('contains the results as the engines wrote them, byte by byte', () => {
    const { results } = acpypeRecording('smi-aspirin-bcc-0-gaff2');
    const aspirin = join(tree, 'molecules', 'aspirin');
    const texts = new Set(readdirSync(aspirin).map((f) => readFileSync(join(aspirin, f), 'utf8')));
    const contents = Object.entries(results).filter(([key]) => key !== 'file_name');
    expect(contents.filter(([, text]) => !texts.has(text)).map(([key]) => key)).toEqual([]);
  });
});

describe('the tokens', () => {
  test.each(Object.entries(TOKENS))('%s is written nowhere', async (_, token) => {
    // Temporal's database with its journal, all logs and records, and the data of the local services.
    const names = filesBelow(desk.embedded);
    expect(names).toEqual(expect.arrayContaining(['temporal.db', 'temporal.db-wal', 'worker.log']));
    const embedded = names.map((name) => [name, readFileSync(join(desk.embedded, name), 'latin1')]);
    await noSecret(token, tree, {
      ...(Object.fromEntries(embedded) as Record<string, string>),
      stdout: first.stdout,
      stderr: first.stderr,
      'arguments of processes': commandLines,
    });
  });
});

describe('the same command, run again', () => {
  /** What must not change: the submissions and their results. */
  const jobs = async () =>
    (await itemsTable(tree)).map(({ id, remote_id: job, finished_at: at }) => [id, job, at]);

  test('submits nothing, says so, and exits with code 0', async () => {
    const before = await jobs();
    const again = await desk.runs(0, TYPED, { env: TOKENS });
    expect(documentIn(again)).toMatchObject({ state: 'completed', submissions: 24 });
    expect(again.stderr).toContain('Nothing to do');
    expect(await jobs()).toEqual(before);
    expect(desk.journal().length).toBe(24);
    await treeIsWhole(tree);
  });

  test('does the same when all data of Temporal and the services was lost', async () => {
    const before = await jobs();
    rmSync(desk.embedded, { recursive: true });
    const again = await desk.runs(0, TYPED, { env: TOKENS });
    expect(documentIn(again)).toMatchObject({ items: { succeeded: 24 } });
    expect(await jobs()).toEqual(before);
    expect(desk.journal(), 'submissions to the new services').toEqual([]);
    await treeIsWhole(tree);
  });
});
