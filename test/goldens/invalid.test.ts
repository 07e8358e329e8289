/**
 * What is said of every faulty manifest: the cases of `invalid.jsonl` (files, and the arguments that read them) and
 * `batches/invalid`, planned with the library. The golden `invalid.txt` has all problems with code, place, words and
 * remedy. A changed line needs a sentence in its commit.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { HundredfoldError, plan, type Problem } from 'hundredfold';
import { afterAll, expect, test } from 'vitest';

interface Case {
  readonly read: readonly string[];
  /** A text, or bytes as characters where they are not UTF-8. */
  readonly files: Readonly<Record<string, string | { readonly latin1: string }>>;
}

const ROOT = join(import.meta.dirname, '../..');
const home = mkdtempSync(join(tmpdir(), 'hundredfold-invalid-'));
afterAll(() => {
  rmSync(home, { recursive: true, force: true });
});

/** In order, without the folders of this machine. */
async function describeCase(paths: readonly string[], folder: string): Promise<readonly string[]> {
  const environment = { HOME: home, HUNDREDFOLD_STATE_DIR: join(home, 'state') };
  const lines = await plan(paths, { out: join(home, 'out'), environment }).then(
    ({ rows, submissions, problems }) => [
      `  ${rows} rows, ${submissions} to submit`,
      ...problems.map(describeProblem),
    ],
    (error: unknown) => {
      if (!(error instanceof HundredfoldError)) throw error;
      return [`  refused ${error.code}: ${error.message}`];
    },
  );
  return lines.map((line) => line.replaceAll(`${folder}/`, '').replaceAll(folder, 'FOLDER'));
}

function describeProblem({
  severity,
  code,
  file,
  line,
  id,
  column,
  value,
  ...say
}: Problem): string {
  const places = Object.entries({ line, id, column, value }).filter(([, one]) => one !== null);
  const where = places.map(([name, one]) => ` ${name}=${JSON.stringify(one)}`).join('');
  return `  ${severity} ${code} ${file}${where}\n    ${say.message} | ${say.remedy}`;
}

test('every faulty manifest gets the problems of invalid.txt', async () => {
  const cases = readFileSync(join(import.meta.dirname, 'invalid.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  const found: string[] = [];
  for (const [nth, line] of cases.entries()) {
    const { read, files } = JSON.parse(line) as Case;
    const folder = join(home, String(nth));
    mkdirSync(folder);
    for (const [name, content] of Object.entries(files)) {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(
        path,
        typeof content === 'string' ? content : Buffer.from(content.latin1, 'latin1'),
      );
    }
    const paths = read.map((name) => (name.startsWith('/') ? name : join(folder, name)));
    found.push(line, ...(await describeCase(paths, folder)));
  }
  const batch = join(ROOT, 'batches/invalid');
  found.push('batches/invalid', ...(await describeCase([batch], batch)));
  await expect(`${found.join('\n')}\n`).toMatchFileSnapshot('invalid.txt');
});

/** The codes of the problems of one file. */
async function codesOf(name: string, text: string): Promise<readonly string[]> {
  const folder = mkdtempSync(join(home, 'one-'));
  writeFileSync(join(folder, name), text);
  const { problems } = await plan(join(folder, name), {
    out: join(home, 'out'),
    environment: { HOME: home, HUNDREDFOLD_STATE_DIR: join(home, 'state') },
  });
  return problems.map(({ code }) => code);
}

test('`Name` and `Compound ID` of a table are its ids', async () => {
  expect(await codesOf('t.csv', 'Compound ID,smiles\na,CCO\n')).toEqual([]);
});

test.each([
  ['id,smiles,title,project\na,CCO,Ethanol, pure,\nb,CCC,Propane,x\n', ['MANIFEST_ROW_SHIFTED']],
  // All rows of a spreadsheet have them.
  ['id,smiles,title\na,CCO,Ethanol,\nb,CCC,Propane,\n', []],
])(
  'a row with one empty cell too many, after an unquoted comma, is told: %j',
  async (rows, codes) => {
    expect(await codesOf('t.csv', rows)).toEqual(codes);
  },
);

test.each<[string, string, readonly string[]]>([
  ['long.csv', `id,smiles\na,${'C'.repeat(201)}\n`, []],
  ['endless.csv', `id,smiles\na,${'C'.repeat(100_000)}\n`, ['SMILES_UNANSWERED']],
  ['a.a3m', '>a\nMKTAYIAKQR\n>b\nMKTaYIAKQR\n', []],
])('%s is sent if a service may take it', async (name, text, codes) => {
  expect(await codesOf(name, text)).toEqual(codes);
});
