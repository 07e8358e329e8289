/**
 * The batches of the project, run as a user runs them, on the recorded outputs of the local services. Goldens: the
 * output tree of each, file by file (`tree-*.txt`: bytes, digest, path), and the document of each command with `--json`
 * (`documents.txt`). What differs from run to run is left out. A changed line needs a sentence in its commit.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Desk, ROOT } from '../cli/command.ts';
import { neverRefusedForRate, treeIsWhole } from '../promises.ts';
import { digestOf, nameFolders, normalise, normaliseText } from './normalise.ts';

const desk = new Desk();
const folders = { [desk.folder]: 'HOME', [ROOT]: 'PROJECT' };
afterAll(() => desk.close());

/** The first rows only: it has 64. */
const SCREENED = 8;

const BATCHES = ['demo', 'demo-real', 'failures', 'shared', 'screening', 'invalid'] as const;

/** In order: what was typed, the exit code and the document. */
const documents: string[] = [];

async function typed(...words: readonly string[]): Promise<void> {
  const { stdout, code } = await desk.type([...words, '--json']).ended;
  const document = JSON.parse(stdout) as { problems?: readonly unknown[] };
  // invalid.txt has them.
  if ((document.problems?.length ?? 0) > 1) document.problems = ['many'];
  // Of the files of a tree together: those of the services have ids and times.
  const shown = JSON.stringify(normalise(document, folders), null, 1)
    .replaceAll(/\n */g, ' ')
    .replace(/"bytes": \d+/, '"bytes": "…"');
  documents.push(
    `$ ${normaliseText(words.join(' '), folders)} --json   # exit ${String(code)}`,
    shown,
    '',
  );
}

beforeAll(async () => {
  const manifest = readFileSync(join(ROOT, 'batches/screening/manifest.csv'), 'utf8');
  desk.write(
    'screening.csv',
    manifest
      .split('\n')
      .slice(0, SCREENED + 1)
      .join('\n'),
  );
  const local = ['--services', 'local', '--no-cache'];
  // Without --skip-invalid it is refused as a whole; invalid.test.ts has its problems.
  await typed('run', join(ROOT, 'batches/invalid'), ...local);
  for (const name of BATCHES) {
    const path = name === 'screening' ? 'screening.csv' : join(ROOT, 'batches', name);
    await typed('run', path, ...local, ...(name === 'invalid' ? ['--skip-invalid'] : []));
  }
}, 600_000);

type Reduce = (text: string) => string;

const asJson: Reduce = (text) => JSON.stringify(normalise(JSON.parse(text), folders));

/** Without its columns of times and ids. */
const asTable: Reduce = (text) =>
  JSON.stringify(normalise(parse(text, { columns: true, bom: true }), folders));

/** What makes a file the same in each run; others are compared byte for byte. */
const REDUCE: Readonly<Record<string, Reduce>> = {
  'campaign.json': asJson,
  'tree.json': asJson,
  'record.json': (text) => {
    const { log, results } = JSON.parse(text) as { log: unknown; results: unknown };
    return JSON.stringify([log, results]);
  },
  'history.json': (text) => {
    const { history } = JSON.parse(text) as { history: object[] };
    return JSON.stringify(normalise(history, folders));
  },
  'item.json': (text) => {
    const item = JSON.parse(text) as { files: Record<string, unknown> };
    // Their digests follow the ids of jobs.
    for (const name of ['record.json', 'history.json'])
      if (name in item.files) item.files[name] = {};
    return JSON.stringify(normalise(item, folders));
  },
  'items.csv': asTable,
  'ro-crate-metadata.json': asJson,
  SHA256SUMS: (text) => text.replaceAll(/^\S+/gm, ''),
  // Its data are those of the tree; the tests of the report show it.
  'report.html': () => '',
};

function treeOf(name: string): string {
  const folder = desk.path('results', name);
  const lines = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.endsWith('/lease'))
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      const reduce = REDUCE[basename(path)];
      const content = readFileSync(path);
      // Binary files too: no character is changed but those of the folders.
      const same =
        reduce === undefined
          ? Buffer.from(nameFolders(content.toString('latin1'), folders), 'latin1')
          : Buffer.from(reduce(content.toString()));
      return `${path.slice(folder.length + 1)} ${same.length} ${digestOf(same)}`;
    });
  return [...lines.sort(), ''].join('\n');
}

test.each(BATCHES)('the tree of batches/%s is that of its golden, and whole', async (name) => {
  await treeIsWhole(desk.path('results', name));
  await expect(treeOf(name)).toMatchFileSnapshot(`tree-${name}.txt`);
});

test('every command prints the document of documents.txt', async () => {
  for (const words of [
    'status failures',
    'watch shared',
    'items failures',
    'items failures --state failed --kind molecule',
    'logs failures picoline',
    'verify failures',
    'report failures',
    'pull shared --out copy --where state=succeeded',
    'export --to sdf shared',
    'plan screening.csv --services local',
    'retry shared --services local',
    'adopt molecules --services local',
  ])
    await typed(...words.split(' '));
  // By its tree, by its server, as a place to copy from.
  for (const words of ['items', 'watch', 'pull']) await typed(words, 'nothing');
  await typed('logs', 'failures', 'nothing');
  await typed('run', 'screening.csv');
  await typed('plan', 'no-such.csv');
  await typed('plan');
  const all = (await desk.runs(0, ['status', '--json'])).stdout;
  documents.push(
    '$ status --json   # exit 0',
    JSON.stringify(normalise(JSON.parse(all), folders)),
    '',
  );
  const doctor = await desk.runs(0, ['doctor', '--services', 'local', '--json']);
  const checks = JSON.parse(doctor.stdout) as { check: string; ok: boolean }[];
  documents.push(
    '$ doctor --json',
    ...checks.map(({ check, ok }) => `${check}: ${String(ok)}`),
    '',
  );
  await expect(documents.join('\n')).toMatchFileSnapshot('documents.txt');
});

test('the residues of a shared result have the name of their own row', () => {
  const text = readFileSync(desk.path('results/shared/tables/residues.csv'), 'utf8');
  const rows: { id: string; sequence: string }[] = parse(text, { columns: true, bom: true });
  expect(rows.filter(({ id, sequence }) => id !== sequence)).toEqual([]);
});

test('plan knows --skip-invalid, and ends with the command that skips them', async () => {
  const invalid = join(ROOT, 'batches/invalid');
  const { stdout } = await desk.runs(2, ['plan', invalid]);
  expect(stdout).toContain(`rows can run: hundredfold run ${invalid} --skip-invalid\n`);
  const { stdout: skipped } = await desk.runs(0, ['plan', invalid, '--skip-invalid']);
  expect(skipped).toContain(`To begin: hundredfold run ${invalid} --skip-invalid\n`);
});

test('no submission was refused for its rate', () => {
  neverRefusedForRate(desk.journal());
});
