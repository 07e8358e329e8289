/** `hundredfold doctor`: what works, what does not, and how to fix it. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startLocalServices } from '../../src/local-services/server.ts';
import { freePort } from '../../src/temporal/ports.ts';
import { canMount, PRIVATE_MOUNTS } from '../private-mounts.ts';
import { plainServer } from '../services/a-network.ts';
import { BIN, desk, Desk, type Ended, type Typed } from './command.ts';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly warning?: true;
  readonly found: string;
  readonly remedy?: string;
}

/** The document of `--json`; a finding that is not ok says what to do, one that is ok does not. */
function findingsIn({ stdout }: Ended): Finding[] {
  expect(stdout, 'one line on stdout').toMatch(/^\[.*\]\n$/);
  const findings = JSON.parse(stdout) as Finding[];
  for (const { check, ok, warning, found, remedy } of findings) {
    expect(found, check).not.toBe('');
    if (ok && !warning) expect(remedy, check).toBeUndefined();
    else expect(remedy, check).toMatch(/^[A-Z`].*[.)]$/s);
  }
  return findings;
}

/** Accounts of other people on this machine are beyond the test's control. */
const withoutWarnings = (text: string) => text.replace(/^WARNING .*\n {9}.*\n/gm, '');

const TOKENS = {
  HUNDREDFOLD_MOLECULE_TOKEN: 'dOct0r-oDd',
  HUNDREDFOLD_PREDICTION_TOKEN: 'dOctor-odd-2',
};

function withServices(at: Desk, molecules: string, predictions: string): void {
  at.write(
    'hundredfold.yaml',
    `services:
  molecules: { url: "${molecules}/acpype" }
  predictions: { url: "${predictions}", budget: { limit: 20, window: 30m } }`,
  );
}

/** It gives a server that does not answer ten seconds; the other checks run meanwhile. */
const far = new Desk();
let patient: Typed;
beforeAll(async () => {
  const env = { HUNDREDFOLD_TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` };
  patient = far.type(['doctor'], { env });
});
afterAll(() => far.close());

describe('with everything that is needed', () => {
  test('with the local services: exits with 0, prints a line each, and leaves nothing behind', async () => {
    const at = desk();
    const { stderr, stdout } = await at.runs(0, ['doctor', '--services', 'local']);
    expect(stderr).toBe('');
    expect(withoutWarnings(stdout).trimEnd().split('\n')).toEqual([
      'STATE    CHECK: FOUND',
      expect.stringMatching(/^ok {7}runtime: hundredfold \d.*, Node v\d+\./),
      'ok       configuration and credentials: no hundredfold.yaml here: defaults and environment variables',
      expect.stringMatching(/^ok {7}Temporal: embedded, not running now; .*, version \d+\.\d+/),
      'ok       services: the local ones (--services local)',
      expect.stringMatching(/^ok {7}output store: .*results, \d+(\.\d)? [MGT]B free$/),
      'ok       ledger of submissions: nothing was sent from this machine yet',
      expect.stringMatching(/^ok {7}engine acpype: /),
      expect.stringMatching(/^ok {7}engine b2btools: /),
    ]);
    expect(at.done('anything'), 'a look begins nothing').toBe(0);
  });

  test('with configured services: shows their addresses, our credential, and the limits', async () => {
    const at = desk();
    const services = await startLocalServices({ database: ':memory:', engine: 'synthetic' });
    onTestFinished(() => services.close());
    withServices(at, services.url, services.url);
    const ended = await at.runs(0, ['doctor', '--json'], { env: TOKENS });
    const findings = findingsIn(ended).filter(({ warning }) => !warning);
    expect(Object.fromEntries(findings.map(({ check, ok }) => [check, ok]))).toEqual({
      runtime: true,
      'configuration and credentials': true,
      Temporal: true,
      'service molecules': true,
      'service predictions': true,
      'output store': true,
      'ledger of submissions': true,
      'engine acpype': true,
      'engine b2btools': true,
    });
    expect(findings.find(({ check }) => check === 'service predictions')?.found).toMatch(
      /^127\.0\.0\.1:\d+ is the prediction service, credential [0-9a-f]{8}, 20 in 30 min$/,
    );
    for (const token of Object.values(TOKENS)) expect(ended.stdout).not.toContain(token);
  });

  test('with a running server: shows its address and that of its UI', async () => {
    const at = desk();
    at.write('one.csv', 'id,smiles\nethanol,CCO\n');
    await at.runs(0, ['run', 'one.csv', '--services', 'local', '--detach']);
    const { stdout } = await at.runs(0, ['doctor']);
    const { address, ui } = at.record('server') as { address: string; ui: string };
    expect(stdout).toContain(`ok       Temporal: embedded, running at ${address}, UI ${ui}; `);
    expect(stdout).toContain(resolve(at.embedded));
    expect(stdout).toContain('ok       services: the local ones');
    await at.runs(0, ['stop']);
  });
});

describe('with something missing: exits with 1, names each PROBLEM and what to do, and checks the rest', () => {
  /** The text of `doctor`, without tokens. */
  async function said(at: Desk, env: NodeJS.ProcessEnv, ...words: string[]): Promise<string> {
    const { stdout } = await at.runs(1, ['doctor', ...words], { env });
    for (const token of Object.values(TOKENS)) expect(stdout).not.toContain(token);
    return stdout;
  }

  test('no service is configured; an external Temporal server is', async () => {
    const text = await said(desk(), { HUNDREDFOLD_TEMPORAL_ADDRESS: inject('temporal') });
    expect(text).toMatch(/^PROBLEM {2}services: none configured\n {9}Use --services local, or /m);
    expect(text).toMatch(
      /^ok {7}Temporal: 127\.0\.0\.1:\d+, namespace default, plain text; server [\d.]+$/m,
    );
  });

  test('one service is down, the other refuses access; one token is in three places', async () => {
    const at = desk();
    await using gateway = await plainServer((_, response) => response.writeHead(403).end());
    withServices(at, `http://127.0.0.1:${gateway.port}`, `http://127.0.0.1:${await freePort()}`);
    const same = TOKENS.HUNDREDFOLD_MOLECULE_TOKEN;
    const env = { ...TOKENS, HUNDREDFOLD_PREDICTION_TOKEN: same, OLD_TOKEN: same };
    const text = await said(at, env);
    expect(text).toMatch(
      /^PROBLEM {2}service predictions: 127\.0\.0\.1:\d+ does not answer: \S.*ECONNREFUSED.*\n {9}.*services\.predictions\.url/m,
    );
    expect(text).toMatch(
      /^PROBLEM {2}service molecules: .*HTTP 403.*\n {9}Ask the operators .*services\.molecules\.basic /m,
    );
    expect(text).toMatch(/^ok {7}output store: /m);
    expect(text).toMatch(/^WARNING {2}credentials: .*\(credential [0-9a-f]{8}\)/m);
    for (const place of ['services.molecules.token and services.predictions.token', 'OLD_TOKEN'])
      expect(text).toContain(place);
    const differ = await said(at, TOKENS);
    expect(differ).not.toContain('WARNING  credentials');
  });

  test('a token is unset, and a variable of the Temporal CLI is set but not used', async () => {
    const at = desk();
    withServices(at, 'http://127.0.0.1:9', 'http://127.0.0.1:9');
    const { HUNDREDFOLD_MOLECULE_TOKEN } = TOKENS;
    const env = { HUNDREDFOLD_MOLECULE_TOKEN, TEMPORAL_ADDRESS: 'other.example:7233' };
    const text = await said(at, env);
    expect(text).toMatch(
      /^PROBLEM {2}configuration and credentials: services\.predictions\.token: .*\[CONFIG_SECRET_MISSING\]\n {9}Set it \(export HUNDREDFOLD_PREDICTION_TOKEN=/m,
    );
    expect(text).toContain('Temporal variables: TEMPORAL_ADDRESS is set and not used');
  });

  test('no folder is writable, one engine does not run, and the other is not installed', async () => {
    const at = desk();
    at.write('taken', 'a file');
    const folder = join(at.folder, 'acpype');
    const record = { engine: 'acpype', version: '2023.10.27', folder, packages: {} };
    at.write('acpype/installed.json', JSON.stringify(record));
    const env = {
      HUNDREDFOLD_STORE_URL: 'taken/results',
      HUNDREDFOLD_EMBEDDED_DIR: 'taken/embedded',
      HUNDREDFOLD_ENGINES: at.folder,
    };
    const text = await said(at, env, '--services', 'local');
    expect(text).toMatch(
      /^PROBLEM {2}output store: Cannot write in \S+taken: .*\n {9}.*store\.url/m,
    );
    expect(text).toMatch(/^PROBLEM {2}Temporal: Cannot write in \S+taken: .*\n.*embedded\.dir\.$/m);
    expect(text).toMatch(/^PROBLEM {2}engine acpype: 2023\.10\.27 in /m);
    expect(text).toMatch(/^ok {7}engine b2btools: not installed: .*npm run engines/m);
  });

  test('the Temporal CLI is something else', async () => {
    const text = await said(desk(), { TEMPORAL_CLI: '/bin/sh' }, '--services', 'local');
    expect(text).toMatch(/PROBLEM {2}Temporal: \/bin\/sh is not a working Temporal CLI\n {9}\S/);
  });

  test('an external Temporal server does not answer', async () => {
    const { stdout } = await patient.endsWith(1);
    expect(stdout).toMatch(/^PROBLEM {2}Temporal: .*127\.0\.0\.1:\d+.*\n {9}\S/m);
  });

  const MOUNT = 'mount -t tmpfs -o nr_inodes=20 tmpfs "$0"';
  test.each([
    [
      'this process may open few files',
      process.platform === 'linux',
      ['sh', '-ec', 'ulimit -n 64; exec "$@"'],
      /^PROBLEM {2}runtime: this process may open 64 files; .*\n {9}.*ulimit -n /m,
    ],
    [
      'the disk has no free inodes (needs private mounts)',
      canMount,
      // Enough to check that the folder is writable.
      [...PRIVATE_MOUNTS, 'sh', '-ec', `${MOUNT}; exec "$@"`],
      /^PROBLEM {2}output store: the disk of \S+ is full: it has no free inodes\n {9}Free some space/m,
    ],
  ] as const)('%s', (_, isPossible, wrapper, found) => {
    if (!isPossible) return;
    const at = desk();
    mkdirSync(at.path('results'));
    const [program = '', ...words] = wrapper;
    const typed = [...words, at.path('results'), process.execPath, BIN];
    const { status, stdout } = spawnSync(program, [...typed, 'doctor', '--services', 'local'], {
      cwd: at.folder,
      encoding: 'utf8',
    });
    expect(status, stdout).toBe(1);
    expect(stdout).toMatch(found);
  });
});
