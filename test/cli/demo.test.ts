/** The demo batch, as a user runs it, and its output tree, file by file. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadIndex, readRecording } from '../../src/local-services/engines/recorded.ts';
import {
  atMostOneJob,
  itemsTable,
  neverRefusedForRate,
  noItemLost,
  noSecret,
  treeIsWhole,
} from '../promises.ts';
import { acpypeRecording } from '../services/recordings.ts';
import { Desk, ROOT, type Ended } from './command.ts';
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
const ids = rows.map(({ id }) => id ?? '');

const desk = new Desk();
const tree = desk.path('results', 'demo');
/** Command lines of all processes during the run. */
let commandLines = '';

async function runDemo(): Promise<Ended> {
  const typed = desk.type(TYPED, { env: TOKENS });
  await typed.until(() => desk.done('demo') > 0, 'an item had ended');
  commandLines = processArguments();
  return typed.endsWith(0);
}

function documentOf({ stdout }: Ended): Record<string, unknown> {
  expect(stdout, 'one line on stdout').toMatch(/^\{.*\}\n$/);
  return JSON.parse(stdout) as Record<string, unknown>;
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** The names of a molecule's files: ACPYPE's own names, and those that the service adds. */
function moleculeFiles(id: string, row: Record<string, string>): string[] {
  const charge = row['charge_method'] === '' ? 'bcc' : row['charge_method'];
  const atoms = row['atom_type'] === '' ? 'gaff2' : row['atom_type'];
  return [
    ...['AC.frcmod', 'AC.inpcrd', 'AC.lib', 'AC.prmtop', 'CHARMM.inp', 'CHARMM.prm', 'CHARMM.rtf'],
    ...['CNS.inp', 'CNS.par', 'CNS.top', 'GMX.gro', 'GMX.itp', 'GMX.top', 'GMX_OPLS.itp'],
    ...['GMX_OPLS.top', 'NEW.pdb', `${charge}_${atoms}.mol2`],
  ]
    .map((name) => `${id}_${name}`)
    .concat('em.mdp', 'md.mdp', 'record.json', 'job.log');
}

const FOLDERS = {
  molecule: 'molecules',
  sequence: 'sequences',
  alignment: 'alignments',
  shifts: 'shifts',
};
type Kind = keyof typeof FOLDERS;

function expectedFiles(row: Record<string, string>): string[] {
  const id = row['id'] ?? '';
  // Uracil has none in the manifest: it is derived from its file.
  const kind = (row['kind'] === '' ? 'molecule' : row['kind']) as Kind;
  const file = row['file'] ?? '';
  const input = `input.${file === '' ? (kind === 'molecule' ? 'smi' : 'fasta') : file.split('.').at(-1)}`;
  const files = {
    molecule: moleculeFiles(id, row),
    sequence: ['result.json', 'history.json', 'result.csv', 'metadata.csv'],
    alignment: [
      ...['result.json', 'history.json', 'result.csv', 'metadata.csv'],
      'distributions.json',
    ],
    shifts: ['result.json', 'history.json', 'result.csv'],
  }[kind];
  return [...files, 'item.json', input].map((name) => `${FOLDERS[kind]}/${id}/${name}`);
}

let first: Ended;

beforeAll(async () => {
  first = await runDemo();
});
afterAll(() => desk.close());

describe('the demo, run with one command', () => {
  test('ends with exit code 0 and one JSON document on stdout', () => {
    expect(documentOf(first)).toEqual({
      campaign: 'demo',
      state: 'completed',
      items: {
        total: 24,
        succeeded: 24,
        failed: 0,
        held: 0,
        cancelled: 0,
        invalid: 0,
        duplicates: 0,
        cached: 0,
        adopted: 0,
      },
      submissions: 24,
      rejected429: 0,
      out: tree,
      startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      endedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
    });
  });

  test('shows on stderr where to see the items, how the run went and where the files are', () => {
    expect(first.stderr).toMatch(/http:\/\/127\.0\.0\.1:\d+\/\S*Campaign%3D%22demo%22/);
    expect(first.stderr).toMatch(/demo: 24 of 24 succeeded in \d+ s\.\n/);
    expect(first.stderr).toContain(`results: ${tree}\n`);
  });

  test('writes no control codes without a terminal', () => {
    // eslint-disable-next-line no-control-regex
    expect(first.stdout + first.stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/);
  });

  test('sends every item once, within the budget', () => {
    atMostOneJob(desk.journal(), 24);
    neverRefusedForRate(desk.journal());
    expect(desk.journal().filter(({ accepted }) => accepted).length).toBe(24);
  });

  test('stops its server and leaves no process behind', () => {
    expect(desk.servers()).toEqual([]);
  });
});

describe('the output tree of the demo', () => {
  test('has exactly the files of docs/output-tree.md', () => {
    const top = [
      'campaign.json',
      'items.csv',
      'failed.csv',
      'ro-crate-metadata.json',
      'SHA256SUMS',
    ];
    const own = ['campaign.json', 'items-00000.json', 'lease/00000001.json', 'tree.json'].map(
      (name) => `.hundredfold/${name}`,
    );
    const wanted = [...top, ...own, ...rows.flatMap(expectedFiles)].sort();
    // The tables and the report have their own tests; they depend on the kinds.
    const found = filesBelow(tree).filter((name) => !/^(tables\/|report\.html$)/.test(name));
    expect(found).toEqual(wanted);
  });

  test('verifies, with no item missing', async () => {
    await noItemLost(tree, ids);
    await treeIsWhole(tree);
  });

  test('passes sha256sum', () => {
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
        const folder = join(tree, name, '..');
        const includes = readFileSync(join(tree, name), 'utf8').matchAll(/^#include "([^"]+)"/gm);
        return [...includes]
          .map(([, file]) => file ?? '')
          .filter((file) => !existsSync(join(folder, file)))
          .map((file) => `${name}: ${file}`);
      });
    // GROMACS has its own OPLS force field; the restraints are not among the 19 files, and only needed with POSRES_LIG.
    expect(missing.filter((name) => !/: (ffoplsaa\.itp|posre_.*\.itp)$/.test(name))).toEqual([]);
  });

  test('contains the results as the engines wrote them, byte by byte', () => {
    const { results } = acpypeRecording('smi-aspirin-bcc-0-gaff2');
    const aspirin = join(tree, 'molecules', 'aspirin');
    const texts = new Set(readdirSync(aspirin).map((f) => readFileSync(join(aspirin, f), 'utf8')));
    const contents = Object.entries(results).filter(([key]) => key !== 'file_name');
    expect(contents.filter(([, text]) => !texts.has(text)).map(([key]) => key)).toEqual([]);

    const recorded = loadIndex().recordings.flatMap(({ kind, files }) =>
      files.result === undefined ? [] : [`${kind} ${readRecording(files.result).toString()}`],
    );
    // A sequence's recording is returned under the ids of its own headers; these two kinds are not changed.
    const kept = rows.filter(({ kind }) => kind === 'alignment' || kind === 'shifts');
    const strange = kept.filter(({ id = '', kind }) => {
      const file = join(tree, FOLDERS[kind as Kind], id, 'result.json');
      return !recorded.includes(`${String(kind)} ${readFileSync(file, 'utf8')}`);
    });
    expect(strange.map(({ id }) => id)).toEqual([]);
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
    expect(documentOf(again)).toMatchObject({ state: 'completed', submissions: 24 });
    expect(again.stderr).toContain('Nothing to do');
    expect(await jobs()).toEqual(before);
    expect(desk.journal().length).toBe(24);
    await treeIsWhole(tree);
  });

  test('does the same when all data of Temporal and the services was lost', async () => {
    const before = await jobs();
    rmSync(desk.embedded, { recursive: true });
    const again = await desk.runs(0, TYPED, { env: TOKENS });
    expect(documentOf(again)).toMatchObject({ items: { succeeded: 24 } });
    expect(await jobs()).toEqual(before);
    expect(desk.journal(), 'submissions to the new services').toEqual([]);
    await treeIsWhole(tree);
  });
});
