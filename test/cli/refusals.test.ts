/** What is refused before anything starts: the exit code, the code of the error, its place, and that nothing was started. */
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { checkName } from '../../src/domain/name.ts';
import { escapeUnsafe } from '../../src/domain/plain-text.ts';
import { desk, ROOT, type Desk } from './command.ts';

const DEMO = join(ROOT, 'batches', 'demo');
const INVALID = join(ROOT, 'batches', 'invalid');
const LOCAL = ['--services', 'local'];

/** Words, exit code, what is said; hundredfold.yaml and variables for it. */
type Refusal = readonly [readonly string[], number, RegExp, string?, NodeJS.ProcessEnv?];

/** Nothing was created in the folder: no output, no server, no services. */
function nothingBegun(at: Desk, mayBeThere: readonly string[] = []): void {
  expect(readdirSync(at.folder).filter((name) => !mayBeThere.includes(name))).toEqual([]);
  expect(existsSync(at.path('..', 'x'))).toBe(false);
}

async function expectRefused(at: Desk, refusals: readonly Refusal[]): Promise<void> {
  const there = readdirSync(at.folder);
  for (const [words, code, said, yaml, env = {}] of refusals) {
    if (yaml !== undefined) at.write('hundredfold.yaml', yaml);
    const { stderr, stdout } = await at.runs(code, words, { env });
    expect(stderr, words.join(' ')).toMatch(said);
    expect(stderr, 'no stack').not.toContain('    at ');
    expect(stderr).not.toContain('s3cret-odd');
    expect(stderr.replaceAll('\n', ''), 'no control codes').not.toMatch(/\p{Cc}/u);
    expect(stdout).toBe('');
  }
  nothingBegun(at, [...there, 'hundredfold.yaml']);
}

test('a wrong command line exits with 1 and points to the help; what is missing or misnamed has its code', async () => {
  const at = desk();
  at.write('empty.csv', 'id,smiles\n');
  at.write('m.csv', 'id,smiles\na,CCO\n');
  at.write('odd.yaml', '"k\\e[2J\\x9b": 1\n');
  at.write('table.csv', 'id,smiles,"smil\u001b[2Jes",kind\na,C(,,"\u009b31m"\n');
  at.write('odd\u001b[2J.csv', 'id,smiles\na,C(\n');
  const named = (...words: readonly string[]): Refusal => [words, 2, /\[NAME_INVALID\]/];
  await expectRefused(at, [
    [['stauts'], 1, /unknown command 'stauts'\n\(Did you mean status\?\)[^]*hundredfold --help/],
    [['run'], 1, /missing required argument 'manifest'[^]*hundredfold run --help/],
    [['run', DEMO, '--services', 'mine'], 1, /argument 'mine' is invalid.*local/],
    [['run', 'nowhere.csv', ...LOCAL], 2, /\[MANIFEST_NOT_FOUND\]/],
    [['run', 'empty.csv', ...LOCAL], 2, /\[MANIFEST_\w*EMPTY\]/],
    [['run', DEMO, '--config', 'gone.yaml'], 2, /cannot read .*\[CONFIG_INVALID\]/],
    named('run', 'm.csv', ...LOCAL, '--name', '\u001b]0;x\u0007'),
    named('plan', 'm.csv', ...LOCAL, '--name', '..'),
    ...['status', 'items', 'retry'].map((name) => named(name, '../../x')),
    [['run', 'table.csv', '--config', 'odd.yaml'], 2, /\\u\{1b\}/],
    [['run', 'table.csv', ...LOCAL], 2, /\\u\{9b\}/],
    [['run', 'odd\u001b[2J.csv', ...LOCAL], 2, /\\u\{1b\}/],
  ]);
});

test('control codes are escaped, and other texts are not; names of campaigns are safe as folders', () => {
  for (const code of ['\u001b[2J', '\u001b]0;x\u0007', '\u009b2J', '\u202e', '\r'])
    expect(escapeUnsafe(`a${code}b`)).toMatch(/^a\\u\{[0-9a-f]+\}[^\p{Cc}]*b$/u);
  for (const text of ['Ä, β-sheet, 蛋白质 🧬 👩‍🔬', 'two\nlines', 'a\ttab'])
    expect(escapeUnsafe(text)).toBe(text);
  for (const name of ['night', 'A-1.b_2', 'é', 'x'.repeat(64)]) expect(checkName(name)).toBe(name);
  const refused = expect.objectContaining({ code: 'NAME_INVALID', exitCode: 2 }) as Error;
  for (const bad of ['', '.x', 'a:b', 'a/b', 'a\\b', 'a b', 'a"b', 'x'.repeat(65)])
    expect(() => checkName(bad), bad).toThrow(refused);
});

test('a manifest is refused with all its problems: place, column, value, code and remedy', async () => {
  const at = desk();
  const { stderr, stdout } = await at.runs(2, ['run', INVALID, ...LOCAL]);
  expect(stdout).toBe('');
  const blocks = stderr.split(/^(?=error: |warning: )/m);
  expect(blocks.length).toBeGreaterThan(45);
  for (const block of blocks)
    expect(block).toMatch(/^(error|warning): \S+manifest\.csv:\d+, .*\[[A-Z0-9_]+\]\n {2}\S/);
  const place = /manifest\.csv:12, item option_invalid, column atom_type: `gaff3` is .*\n.*`gaff2`/;
  expect(stderr).toMatch(place);
  expect(stderr).toMatch(/\nhundredfold: \d+ errors; nothing was submitted\. /);
  nothingBegun(at);
});

test('a configuration is refused with its place and a remedy, and without showing a token', async () => {
  const url = 'url: "http://127.0.0.1:9"';
  const refused = (
    code: string,
    said: RegExp,
    yaml: string,
    env: NodeJS.ProcessEnv = {},
  ): Refusal => {
    const both = new RegExp(`^(?=[^]*\\[${code}\\])[^]*${said.source}`);
    return [['run', DEMO], 2, both, yaml, env];
  };
  const predictions = (token: string) => `services: { predictions: { ${url}, token: ${token} } }`;
  const short = { HUNDREDFOLD_MOLECULE_TOKEN: 's3cret-odd-long' };
  const far = 'temporal: { address: "127.0.0.1:9" }';
  await expectRefused(desk(), [
    refused('CONFIG_NO_SERVICE', /--services local[^]*services:\n +molecules: \{ url: /, ''),
    refused('CONFIG_INVALID', /urll/, `services: { molecules: { ${url}, urll: x } }`),
    refused('CONFIG_INVALID', /line [12]/, 'services: ['),
    refused(
      'CONFIG_SECRET_MISSING',
      /MY_TOKEN.*\n.*export MY_TOKEN=/,
      predictions('{ env: MY_TOKEN }'),
    ),
    refused('CONFIG_INVALID', /services\.predictions\.token/, predictions('s3cret-odd')),
    refused('CONFIG_INVALID', /10/, `services: { molecules: { ${url} } }`, short),
    [['run', DEMO, ...LOCAL], 2, /needs the embedded server.*\[CONFIG_INVALID\]/, far],
  ]);
});

test('a TEMPORAL_CLI that is something else, a damaged database and an output that is a file are reported', async () => {
  const at = desk();
  at.write('notes.txt', 'not a program');
  at.write('second/temporal.db', 'no database '.repeat(1_000));
  const local = ['run', DEMO, ...LOCAL];
  const cases: [readonly string[], number, RegExp, NodeJS.ProcessEnv][] = [
    [local, 1, /=notes\.txt .*\[TEMPORAL_CLI_UNUSABLE\]/, { TEMPORAL_CLI: 'notes.txt' }],
    [local, 1, /\[TEMPORAL_NOT_STARTED\]\n.*temporal\.log/, { TEMPORAL_CLI: '/bin/sh' }],
    [
      ['status'],
      1,
      /second\/temporal\.db.*\[TEMPORAL_DATABASE_DAMAGED\]\n.*mv /,
      { HUNDREDFOLD_EMBEDDED_DIR: 'second' },
    ],
    [[...local, '--out', 'notes.txt'], 2, /notes\.txt.*a file in place of a folder/, {}],
  ];
  for (const [words, code, said, env] of cases) {
    const { stderr } = await at.runs(code, words, { env });
    expect(stderr).toMatch(said);
    expect(stderr.length, 'no pages of Go').toBeLessThan(2_000);
  }
  expect(existsSync(at.path('results', 'demo', 'molecules')), 'items laid out').toBe(false);
  expect(at.servers()).toEqual([]);
});

// Root's checkout may be unreadable for others.
const passable = (path: string): boolean =>
  (statSync(path).mode & 1) === 1 && (path === '/' || passable(dirname(path)));
const isRoot = process.getuid?.() === 0;

test.runIf(!isRoot || passable(ROOT))(
  'folders without write permission are refused, each with a remedy',
  async () => {
    const at = desk();
    // A user who may read everything here and write nothing.
    if (!isRoot) chmodSync(at.folder, 0o555);
    const typing = isRoot ? { uid: 65_534 } : {};
    const embedded = at.path('..', `hundredfold-${process.pid}-embedded`);
    const elsewhere = `${embedded}-results`;
    const run = ['run', DEMO, ...LOCAL];
    try {
      const [noServer, noOutput] = await Promise.all([
        at.runs(2, [...run, '--out', elsewhere], typing),
        at.runs(2, run, { ...typing, env: { HUNDREDFOLD_EMBEDDED_DIR: embedded } }),
      ]);
      expect(noServer.stderr).toMatch(/\[HOST_FOLDER_UNUSABLE\]\n.*HUNDREDFOLD_EMBEDDED_DIR/);
      expect(noOutput.stderr).toMatch(/\[STORE_ACCESS_DENIED\]\n.*--out/);
    } finally {
      chmodSync(at.folder, 0o755);
      rmSync(elsewhere, { recursive: true, force: true });
    }
    nothingBegun(at);
  },
);

test.runIf(isRoot && passable(ROOT))(
  'the embedded server starts for a user id without an account, USER and HOME, as in a container',
  async () => {
    const at = desk();
    mkdirSync(at.path('work'));
    chmodSync(at.path('work'), 0o777);
    const env = { USER: undefined, LOGNAME: undefined, HOME: undefined };
    const typing = { uid: 47_110, cwd: at.path('work'), env };
    const { stderr } = await at.runs(0, ['status', '--json'], typing);
    expect(stderr).not.toContain('level=ERROR');
  },
);
