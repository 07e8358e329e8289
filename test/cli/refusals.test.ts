/** What is refused before anything starts: the exit code, the message, and that nothing was started. */
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { desk, ROOT, type Desk, type Typing } from './command.ts';

const DEMO = join(ROOT, 'batches', 'demo');
const INVALID = join(ROOT, 'batches', 'invalid');

/** Nothing was created in the folder: no output, no server, no services. */
function nothingBegun(at: Desk, ...mayBeThere: readonly string[]): void {
  expect(readdirSync(at.folder).filter((name) => !mayBeThere.includes(name))).toEqual([]);
}

describe('the command line', () => {
  test('with an unknown command exits with code 1, a suggestion and a pointer to the help', async () => {
    const at = desk();
    const [unknown, missing, wrong] = await Promise.all([
      at.runs(1, ['stauts']),
      at.runs(1, ['run']),
      at.runs(1, ['run', DEMO, '--services', 'mine']),
    ]);
    expect(unknown.stderr).toMatch(/unknown command 'stauts'\n\(Did you mean status\?\)/);
    expect(missing.stderr).toContain("missing required argument 'manifest'");
    expect(wrong.stderr).toMatch(/'--services <which>' argument 'mine' is invalid.*local/);
    for (const { stderr, stdout } of [unknown, missing, wrong]) {
      expect(stderr).toContain('hundredfold --help');
      expect(stdout).toBe('');
    }
    nothingBegun(at);
  });

  test('prints the help and the version', async () => {
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
    const { version: here } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      version: string;
    };
    expect(version.stdout).toBe(`${here}\n`);
    nothingBegun(at);
  });
});

describe('a manifest with errors', () => {
  test('is refused with all its problems: place, column, value, code and remedy', async () => {
    const at = desk();
    const { stderr, stdout } = await at.runs(2, ['run', INVALID, '--services', 'local']);
    expect(stdout).toBe('');
    const text = readFileSync(join(INVALID, 'manifest.csv'));
    const rows = parse<{ info: { lines: number }; record: Record<string, string> }>(text, {
      columns: true,
      info: true,
      relax_column_count: true,
      relax_quotes: true,
    });
    const codes = rows.flatMap(({ record }) => record['expect'] || []);
    expect(codes.length).toBeGreaterThan(45);
    expect(codes.filter((code) => !stderr.includes(`[${code}]`))).toEqual([]);
    const blocks = stderr.split(/^(?=error: |warning: )/m);
    for (const block of blocks) {
      expect(block).toMatch(/^(error|warning): \S+manifest\.csv:\d+, .*\[[A-Z0-9_]+\]\n {2}\S/);
    }
    expect(stderr).toMatch(
      /manifest\.csv:12, item option_invalid, column atom_type: `gaff3` is .*\n {2}Did you mean `gaff2`\?/,
    );
    expect(stderr).toMatch(/\nhundredfold: \d+ errors; nothing was submitted\. /);
    nothingBegun(at);
  });

  test('is reported as one JSON document with --json', async () => {
    const at = desk();
    const { stdout } = await at.runs(2, ['run', INVALID, '--services', 'local', '--json']);
    const { problems } = JSON.parse(stdout) as { problems: Record<string, unknown>[] };
    expect(problems.length).toBeGreaterThan(45);
    for (const problem of problems) {
      expect(Object.keys(problem).sort()).toEqual(
        ['severity', 'code', 'file', 'line', 'id', 'column', 'value', 'message', 'remedy'].sort(),
      );
    }
    nothingBegun(at);
  });

  test('exits with code 2, and so does a missing manifest', async () => {
    const at = desk();
    at.write('empty.csv', 'id,smiles\n');
    const [gone, empty] = await Promise.all([
      at.runs(2, ['run', 'nowhere.csv', '--services', 'local']),
      at.runs(2, ['run', 'empty.csv', '--services', 'local']),
    ]);
    expect(gone.stderr).toContain('[MANIFEST_NOT_FOUND]');
    expect(empty.stderr).toMatch(/\[MANIFEST_\w*EMPTY\]/);
    nothingBegun(at, 'empty.csv');
  });
});

describe('a configuration', () => {
  test('without services shows both next steps', async () => {
    const at = desk();
    const { stderr } = await at.runs(2, ['run', DEMO]);
    expect(stderr).toContain('[CONFIG_NO_SERVICE]');
    expect(stderr).toContain('--services local');
    expect(stderr).toMatch(/services:\n +molecules: \{ url: .*\n +predictions: \{ url: /);
    nothingBegun(at);
  });

  const url = 'http://127.0.0.1:9';
  test.each([
    [
      'an unknown key',
      `services: { molecules: { url: "${url}", urll: x } }`,
      'CONFIG_INVALID',
      /urll/,
    ],
    ['invalid YAML', 'services: [', 'CONFIG_NOT_YAML', /line 1|line 2/],
    [
      'a token from a variable that is not set',
      `services: { predictions: { url: "${url}", token: { env: MY_TOKEN } } }`,
      'CONFIG_SECRET_MISSING',
      /MY_TOKEN.*\n.*export MY_TOKEN=/,
    ],
    [
      'a literal token',
      `services: { predictions: { url: "${url}", token: s3cret-odd } }`,
      'CONFIG_INVALID',
      /services\.predictions\.token/,
    ],
  ])('with %s is refused, with the place and a remedy', async (_, yaml, code, words) => {
    const at = desk();
    at.write('hundredfold.yaml', yaml);
    const { stderr } = await at.runs(2, ['run', DEMO]);
    expect(stderr).toContain(`[${code}]`);
    expect(stderr).toMatch(words);
    expect(stderr).not.toContain('s3cret-odd');
    nothingBegun(at, 'hundredfold.yaml');
  });

  test('that is missing, or does not match the requested services, is refused', async () => {
    const at = desk();
    const elsewhere = { HUNDREDFOLD_TEMPORAL_ADDRESS: '127.0.0.1:9' };
    const short = { HUNDREDFOLD_MOLECULE_TOKEN: 'short' };
    at.write('short.yaml', 'services: { molecules: { url: "http://127.0.0.1:9/acpype" } }');
    const local = ['run', DEMO, '--services', 'local'];
    const [gone, remote, token] = await Promise.all([
      at.runs(2, ['run', DEMO, '--config', 'gone.yaml']),
      at.runs(2, local, { env: elsewhere }),
      at.runs(2, ['run', DEMO, '--config', 'short.yaml'], { env: short }),
    ]);
    expect(gone.stderr).toContain('[CONFIG_UNREADABLE]');
    expect(remote.stderr).toContain('[CONFIG_LOCAL_SERVICES]');
    expect(token.stderr).toContain('[CONFIG_MOLECULE_TOKEN]');
    nothingBegun(at, 'short.yaml');
  });
});

describe('a machine that is not ready', () => {
  const LOCAL = ['run', DEMO, '--services', 'local'];

  test('reports a TEMPORAL_CLI that is something else, and so does doctor', async () => {
    const at = desk();
    at.write('notes.txt', 'not a program');
    const notes = { env: { TEMPORAL_CLI: 'notes.txt' } };
    const other = { env: { TEMPORAL_CLI: '/bin/sh' } };
    const [unusable, strange, doctor] = await Promise.all([
      at.runs(1, LOCAL, notes),
      at.runs(1, LOCAL, { env: { ...other.env, HUNDREDFOLD_EMBEDDED_DIR: '.second' } }),
      at.runs(1, ['doctor', '--services', 'local'], other),
    ]);
    expect(unusable.stderr).toMatch(
      /TEMPORAL_CLI=notes\.txt is not a program.*\[TEMPORAL_CLI_UNUSABLE\]/,
    );
    expect(strange.stderr).toMatch(/\[TEMPORAL_NOT_STARTED\]\n.*temporal\.log/);
    expect(doctor.stdout).toMatch(
      /PROBLEM {2}Temporal: \/bin\/sh is not a working Temporal CLI\n {9}\S/,
    );
    expect(existsSync(at.path('results', 'demo', 'campaign.json'))).toBe(false);
    expect(existsSync(at.path('results', 'demo', 'molecules')), 'items laid out').toBe(false);
  });

  test('refuses an output folder that is a file', async () => {
    const at = desk();
    at.write('taken', 'a file');
    const { stderr } = await at.runs(2, [...LOCAL, '--out', 'taken']);
    expect(stderr).toMatch(/taken.*there is a file in place of a folder/);
    expect(at.servers()).toEqual([]);
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
    'refuses folders without write permission, each with a remedy',
    async () => {
      const at = desk();
      const typing = stranger(at);
      const embedded = at.path('..', `hundredfold-${process.pid}-embedded`);
      const env = { HUNDREDFOLD_EMBEDDED_DIR: embedded };
      const elsewhere = `${embedded}-results`;
      try {
        const [noServer, noOutput] = await Promise.all([
          at.runs(2, [...LOCAL, '--out', elsewhere], typing),
          at.runs(2, LOCAL, { ...typing, env }),
        ]);
        expect(noServer.stderr).toMatch(
          /cannot write in \S*\.hundredfold.*\[HOST_FOLDER_UNUSABLE\]\n.*HUNDREDFOLD_EMBEDDED_DIR/,
        );
        expect(noOutput.stderr).toMatch(/permission was denied.*\[STORE_READ_ONLY\]\n.*--out/);
      } finally {
        chmodSync(at.folder, 0o755);
        rmSync(elsewhere, { recursive: true, force: true });
      }
      nothingBegun(at);
    },
  );
});
