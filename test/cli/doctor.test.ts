/** `hundredfold doctor`: what works, what does not, and how to fix it. */
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startLocalServices } from '../../src/local-services/server.ts';
import { freePort } from '../../src/temporal/ports.ts';
import { desk, Desk, type Ended, type Typed } from './command.ts';

interface Finding {
  readonly check: string;
  readonly ok: boolean;
  readonly warning?: true;
  readonly found: string;
  readonly remedy?: string;
}

/** The document of `--json`; a finding that is not ok says what to do, one that is ok does not. */
function findingsOf({ stdout }: Ended): Finding[] {
  expect(stdout, 'one line on stdout').toMatch(/^\[.*\]\n$/);
  const findings = JSON.parse(stdout) as Finding[];
  for (const { check, ok, warning, found, remedy } of findings) {
    expect(found, check).not.toBe('');
    if (ok && !warning) expect(remedy, check).toBeUndefined();
    else expect(remedy, check).toMatch(/^[A-Z`].*[.)]$/s);
  }
  return findings;
}

const wellOf = (findings: readonly Finding[]) =>
  Object.fromEntries(findings.filter((one) => !one.warning).map(({ check, ok }) => [check, ok]));

/** Accounts of other people on this machine are beyond the test's control. */
const withoutWarnings = (text: string) => text.replace(/^WARNING .*\n {9}.*\n/gm, '');

const foundBy = (findings: readonly Finding[], check: string) =>
  findings.find((finding) => finding.check === check);

/** Both services, running. */
async function answering(): Promise<string> {
  const services = await startLocalServices({ database: ':memory:', engine: 'synthetic' });
  onTestFinished(() => services.close());
  return services.url;
}

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
    const [{ stderr, stdout }, json] = await Promise.all([
      at.runs(0, ['doctor', '--services', 'local']),
      at.runs(0, ['doctor', '--services', 'local', '--json']),
    ]);
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
    expect(json.stderr).toBe('');
    expect(findingsOf(json).every(({ ok }) => ok)).toBe(true);
    expect(at.done('anything'), 'a look begins nothing').toBe(0);
  });

  test('with configured services: shows their addresses, our credential, and the limits', async () => {
    const at = desk();
    withServices(at, await answering(), await answering());
    const ended = await at.runs(0, ['doctor', '--json'], { env: TOKENS });
    const findings = findingsOf(ended);
    expect(wellOf(findings)).toEqual({
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
    const { found = '' } = foundBy(findings, 'service predictions') ?? {};
    expect(found).toMatch(
      /^127\.0\.0\.1:\d+ is the prediction service, credential [0-9a-f]{8}, 20 in 30 min$/,
    );
    for (const token of Object.values(TOKENS)) expect(ended.stdout).not.toContain(token);
  });

  test('with an external Temporal server', async () => {
    const at = desk();
    const env = { HUNDREDFOLD_TEMPORAL_ADDRESS: inject('temporal') };
    const { stdout } = await at.runs(1, ['doctor'], { env });
    expect(stdout).toMatch(
      /^ok {7}Temporal: 127\.0\.0\.1:\d+, namespace default, plain text; server [\d.]+$/m,
    );
  });
});

describe('the real engines', () => {
  test('are optional: if none is installed, it says how to install them', async () => {
    const at = desk();
    const env = { HUNDREDFOLD_ENGINES: at.folder };
    const { stdout } = await at.runs(0, ['doctor', '--services', 'local'], { env });
    expect(stdout).toMatch(/^ok {7}engine acpype: not installed: .*npm run engines/m);
  });

  test('are a problem if they are installed and do not run', async () => {
    const at = desk();
    const folder = join(at.folder, 'acpype');
    const record = { engine: 'acpype', version: '2023.10.27', folder, packages: {} };
    at.write('acpype/installed.json', JSON.stringify(record));
    const env = { HUNDREDFOLD_ENGINES: at.folder };
    const { stdout } = await at.runs(1, ['doctor', '--services', 'local'], { env });
    expect(stdout).toMatch(/^PROBLEM {2}engine acpype: 2023\.10\.27 in /m);
  });
});

describe('with something missing: exits with 1, and each PROBLEM says what to do', () => {
  test('no service is configured', async () => {
    const at = desk();
    const [{ stdout }, json] = await Promise.all([
      at.runs(1, ['doctor']),
      at.runs(1, ['doctor', '--json']),
    ]);
    expect(stdout).toMatch(/^PROBLEM {2}services: none configured\n {9}Use --services local, or /m);
    expect(wellOf(findingsOf(json))).toMatchObject({ services: false, 'output store': true });
  });

  test('a service is down; the others are still checked', async () => {
    const at = desk();
    withServices(at, await answering(), `http://127.0.0.1:${await freePort()}`);
    const { stdout } = await at.runs(1, ['doctor'], { env: TOKENS });
    expect(stdout).toMatch(/^ok {7}service molecules: /m);
    expect(stdout).toMatch(
      /^PROBLEM {2}service predictions: 127\.0\.0\.1:\d+ does not answer: \S.*ECONNREFUSED.*\n {9}Check services\.predictions\.url, and that the service is up\.$/m,
    );
    expect(stdout).toMatch(/^ok {7}output store: /m);
  });

  test('a token is unset or invalid: it is named, and checks that do not need it still run', async () => {
    const at = desk();
    withServices(at, 'http://127.0.0.1:9', 'http://127.0.0.1:9');
    const { HUNDREDFOLD_MOLECULE_TOKEN } = TOKENS;
    const [unset, short] = await Promise.all([
      at.runs(1, ['doctor'], { env: { HUNDREDFOLD_MOLECULE_TOKEN } }),
      at.runs(1, ['doctor'], { env: { ...TOKENS, HUNDREDFOLD_MOLECULE_TOKEN: 'short' } }),
    ]);
    expect(unset.stdout).toMatch(
      /^PROBLEM {2}configuration and credentials: services\.predictions\.token: .*HUNDREDFOLD_PREDICTION_TOKEN is not set \[CONFIG_SECRET_MISSING\]\n {9}Set it \(export HUNDREDFOLD_PREDICTION_TOKEN=/m,
    );
    expect(short.stdout).toMatch(
      /^PROBLEM {2}configuration and credentials: .*not 10 characters long \[CONFIG_MOLECULE_TOKEN\]\n {9}\S/m,
    );
    expect(short.stdout).not.toContain('short');
  });

  test('the configuration is invalid', async () => {
    const at = desk();
    at.write('hundredfold.yaml', 'store: { urll: x }');
    const { stdout } = await at.runs(1, ['doctor', '--services', 'local']);
    expect(stdout).toMatch(
      /^PROBLEM {2}configuration and credentials: .*\n(.*\n)*.*urll.*\n {9}docs\//m,
    );
  });

  test('the output folder and the folder of the embedded server are not writable', async () => {
    const at = desk();
    at.write('taken', 'a file');
    const env = {
      HUNDREDFOLD_STORE_URL: 'taken/results',
      HUNDREDFOLD_EMBEDDED_DIR: 'taken/embedded',
    };
    const { stdout } = await at.runs(1, ['doctor', '--services', 'local'], { env });
    expect(stdout).toMatch(
      /^PROBLEM {2}output store: Cannot write in \S+taken: there is a file in place of a folder\.\n {9}.*--out or store\.url\.$/m,
    );
    expect(stdout).toMatch(
      /^PROBLEM {2}Temporal: Cannot write in \S+taken: .*\n {9}.*embedded\.dir\.$/m,
    );
  });

  test('an external Temporal server does not answer', async () => {
    const { stdout } = await patient.endsWith(1);
    expect(stdout).toMatch(/^PROBLEM {2}Temporal: .*127\.0\.0\.1:\d+.*\n {9}\S/m);
  });
});

test('doctor shows a running server and the address of its UI', async () => {
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
