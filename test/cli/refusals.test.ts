/** What is refused before anything starts: the exit code, the code of the error, its place, and that nothing was started. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { BIN, desk, ROOT, type Desk, type Typing } from './command.ts';

const DEMO = join(ROOT, 'batches', 'demo');
const INVALID = join(ROOT, 'batches', 'invalid');
const LOCAL = ['run', DEMO, '--services', 'local'];

/** Nothing was created in the folder: no output, no server, no services. */
function nothingBegun(at: Desk, ...mayBeThere: readonly string[]): void {
  expect(readdirSync(at.folder).filter((name) => !mayBeThere.includes(name))).toEqual([]);
}

test('a wrong command line exits with 1 and points to the help; a missing thing has its code', async () => {
  const at = desk();
  const cases: [readonly string[], number, RegExp][] = [
    [['stauts'], 1, /unknown command 'stauts'\n\(Did you mean status\?\)[^]*hundredfold --help/],
    [['run'], 1, /missing required argument 'manifest'[^]*hundredfold --help/],
    [['run', DEMO, '--services', 'mine'], 1, /argument 'mine' is invalid.*local/],
    [['run', 'absent.csv', '--priority', '6'], 1, /It must be 1, 2, 3, 4 or 5\./],
    [['services', '--port', '0', '--job-time-limit', 'soon'], 1, /soon/],
    [['run', 'nowhere.csv', '--services', 'local'], 2, /\[MANIFEST_NOT_FOUND\]/],
    [['run', 'empty.csv', '--services', 'local'], 2, /\[MANIFEST_\w*EMPTY\]/],
    [['run', DEMO, '--config', 'gone.yaml'], 2, /\[CONFIG_UNREADABLE\]/],
  ];
  at.write('empty.csv', 'id,smiles\n');
  for (const [words, code, said] of cases) {
    const { stderr, stdout } = await at.runs(code, words);
    expect(stderr, words.join(' ')).toMatch(said);
    expect(stderr).not.toContain('    at ');
    expect(stdout).toBe('');
  }
  nothingBegun(at, 'empty.csv');
});

test('with --json a failure is one document with code, message and remedy', async () => {
  const at = desk();
  for (const [words, code, exit] of [
    [['stauts'], 'USAGE', 1],
    [['status', '--config', 'no.yaml'], 'CONFIG_UNREADABLE', 2],
    [['report', 'nihgt', '-q'], 'CAMPAIGN_UNKNOWN', 1],
    [['verify', './nowhere'], 'TREE_UNKNOWN', 1],
    [['export', 'x', '--to', 'xyz'], 'EXPORT_FORMAT_UNKNOWN', 1],
    [['export', 'x'], 'EXPORT_INCOMPLETE_COMMAND', 1],
  ] as const) {
    const { stdout, stderr } = await at.runs(exit, [...words, '--json']);
    const text = expect.stringMatching(/\S/) as string;
    expect(JSON.parse(stdout)).toEqual({ error: { code, message: text, remedy: text } });
    expect(stderr).toContain(code === 'USAGE' ? 'hundredfold --help' : `[${code}]`);
  }
});

test('the help names all commands and options, and --version is that of the package', async () => {
  const at = desk();
  const [help, ofRun, version] = await Promise.all([
    at.runs(0, ['--help']),
    at.runs(0, ['run', '--help']),
    at.runs(0, ['--version']),
  ]);
  const commands = ['run', 'status', 'watch', 'pause', 'resume', 'cancel'];
  for (const command of [...commands, 'init', 'worker', 'services', 'doctor', 'stop'])
    expect(help.stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  for (const option of ['--out', '--name', '--config', '--services', '--detach', '--json'])
    expect(ofRun.stdout).toContain(option);
  const text = readFileSync(join(ROOT, 'package.json'), 'utf8');
  expect(version.stdout).toBe(`${(JSON.parse(text) as { version: string }).version}\n`);
  nothingBegun(at);
});

test('a manifest is refused with all its problems: place, column, value, code and remedy', async () => {
  const at = desk();
  const { stderr, stdout } = await at.runs(2, ['run', INVALID, '--services', 'local']);
  expect(stdout).toBe('');
  const rows = parse<Record<string, string>>(readFileSync(join(INVALID, 'manifest.csv')), {
    columns: true,
    relax_column_count: true,
    relax_quotes: true,
  });
  const codes = rows.flatMap((row) => row['expect'] || []);
  expect(codes.length).toBeGreaterThan(45);
  expect(codes.filter((code) => !stderr.includes(`[${code}]`))).toEqual([]);
  for (const block of stderr.split(/^(?=error: |warning: )/m))
    expect(block).toMatch(/^(error|warning): \S+manifest\.csv:\d+, .*\[[A-Z0-9_]+\]\n {2}\S/);
  const place = /manifest\.csv:12, item option_invalid, column atom_type: `gaff3` is .*\n.*`gaff2`/;
  expect(stderr).toMatch(place);
  expect(stderr).toMatch(/\nhundredfold: \d+ errors; nothing was submitted\. /);
  nothingBegun(at);
});

test('a configuration is refused with its place and a remedy, and without showing a token', async () => {
  const at = desk();
  const url = 'http://127.0.0.1:9';
  const cases: [string, string, RegExp, NodeJS.ProcessEnv?][] = [
    ['', 'CONFIG_NO_SERVICE', /--services local[^]*services:\n +molecules: \{ url: /],
    [`services: { molecules: { url: "${url}", urll: x } }`, 'CONFIG_INVALID', /urll/],
    ['services: [', 'CONFIG_NOT_YAML', /line [12]/],
    [
      `services: { predictions: { url: "${url}", token: { env: MY_TOKEN } } }`,
      'CONFIG_SECRET_MISSING',
      /MY_TOKEN.*\n.*export MY_TOKEN=/,
    ],
    [
      `services: { predictions: { url: "${url}", token: s3cret-odd } }`,
      'CONFIG_INVALID',
      /services\.predictions\.token/,
    ],
    [
      `services: { molecules: { url: "${url}/acpype" } }`,
      'CONFIG_MOLECULE_TOKEN',
      /10/,
      { HUNDREDFOLD_MOLECULE_TOKEN: 's3cret-odd-long' },
    ],
  ];
  for (const [yaml, code, said, env = {}] of cases) {
    at.write('hundredfold.yaml', yaml);
    const { stderr } = await at.runs(2, ['run', DEMO], { env });
    expect(stderr).toContain(`[${code}]`);
    expect(stderr).toMatch(said);
    expect(stderr).not.toContain('s3cret-odd');
  }
  at.write('hundredfold.yaml', '');
  const env = { HUNDREDFOLD_TEMPORAL_ADDRESS: '127.0.0.1:9' };
  expect((await at.runs(2, LOCAL, { env })).stderr).toContain('[CONFIG_LOCAL_SERVICES]');
  nothingBegun(at, 'hundredfold.yaml');
});

test('a TEMPORAL_CLI that is something else, a damaged database and an output that is a file are reported', async () => {
  const at = desk();
  at.write('notes.txt', 'not a program');
  at.write('second/temporal.db', 'no database '.repeat(1_000));
  const second = { HUNDREDFOLD_EMBEDDED_DIR: 'second' };
  const cases: [readonly string[], number, NodeJS.ProcessEnv, RegExp][] = [
    [
      LOCAL,
      1,
      { TEMPORAL_CLI: 'notes.txt' },
      /TEMPORAL_CLI=notes\.txt .*\[TEMPORAL_CLI_UNUSABLE\]/,
    ],
    [LOCAL, 1, { TEMPORAL_CLI: '/bin/sh' }, /\[TEMPORAL_NOT_STARTED\]\n.*temporal\.log/],
    [['status'], 1, second, /second\/temporal\.db.*\[TEMPORAL_DATABASE_DAMAGED\]\n.*mv /],
    [[...LOCAL, '--out', 'notes.txt'], 2, {}, /notes\.txt.*there is a file in place of a folder/],
  ];
  for (const [words, code, env, said] of cases) {
    const { stderr } = await at.runs(code, words, { env });
    expect(stderr).toMatch(said);
    expect(stderr.length, 'no pages of Go').toBeLessThan(2_000);
  }
  expect(existsSync(at.path('results', 'demo', 'molecules')), 'items laid out').toBe(false);
  expect(at.servers()).toEqual([]);
});

test.runIf(process.platform === 'linux')('a limit of 64 open files is refused with a code', () => {
  const at = desk();
  const words = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, BIN, ...LOCAL];
  const { status, stderr } = spawnSync('sh', words, { cwd: at.folder, encoding: 'utf8' });
  expect(stderr).toMatch(/\[OPEN_FILES_LIMIT\][^]*ulimit -n /);
  expect(status).toBe(1);
});

/** A user who may read everything here and write nothing. */
const stranger = (at: Desk): Typing => {
  if (process.getuid?.() === 0) return { uid: 65_534 };
  chmodSync(at.folder, 0o555);
  return {};
};
// Root's checkout may be unreadable for others.
const passable = (path: string): boolean =>
  (statSync(path).mode & 1) === 1 && (path === '/' || passable(dirname(path)));

test.runIf(process.getuid?.() !== 0 || passable(ROOT))(
  'folders without write permission are refused, each with a remedy',
  async () => {
    const at = desk();
    const typing = stranger(at);
    const embedded = at.path('..', `hundredfold-${process.pid}-embedded`);
    const elsewhere = `${embedded}-results`;
    try {
      const [noServer, noOutput] = await Promise.all([
        at.runs(2, [...LOCAL, '--out', elsewhere], typing),
        at.runs(2, LOCAL, { ...typing, env: { HUNDREDFOLD_EMBEDDED_DIR: embedded } }),
      ]);
      expect(noServer.stderr).toMatch(/\[HOST_FOLDER_UNUSABLE\]\n.*HUNDREDFOLD_EMBEDDED_DIR/);
      expect(noOutput.stderr).toMatch(/\[STORE_READ_ONLY\]\n.*--out/);
    } finally {
      chmodSync(at.folder, 0o755);
      rmSync(elsewhere, { recursive: true, force: true });
    }
    nothingBegun(at);
  },
);

test.runIf(process.getuid?.() === 0 && passable(ROOT))(
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
