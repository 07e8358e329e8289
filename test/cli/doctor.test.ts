/** `hundredfold doctor`: what works, what does not, and how to fix it. In a namespace of one's own: namespace.test.ts. */
import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startLocalServices } from '../../packages/local-services/src/server.ts';
import type { Finding } from '../../src/runner/doctor.ts';
import { freePort } from '../../src/temporal/machine.ts';
import { canMount, PRIVATE_MOUNTS } from '../private-mounts.ts';
import { plainServer } from '../services/a-network.ts';
import { desk, Desk, type Typed, type Typing } from './command.ts';

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

/** The text of `doctor`, without tokens. */
async function said(at: Desk, code: number, words: readonly string[], typing: Typing) {
  const { stdout } = await at.runs(code, ['doctor', ...words], typing);
  for (const token of Object.values(TOKENS)) expect(stdout).not.toContain(token);
  return stdout;
}

/** It gives a server that does not answer ten seconds; the other checks run meanwhile. */
const far = new Desk();
let patient: Typed;
beforeAll(async () => {
  far.write('hundredfold.yaml', `temporal: { address: "127.0.0.1:${await freePort()}" }`);
  patient = far.type(['doctor']);
});
afterAll(() => far.close());

test('with the local services: exits with 0, prints a line each, and leaves nothing behind', async () => {
  const at = desk();
  const { stderr, stdout } = await at.runs(0, ['doctor', '--services', 'local']);
  expect(stderr).toBe('');
  expect(stdout.trimEnd().split('\n')).toEqual([
    'STATE    CHECK: FOUND',
    expect.stringMatching(/^ok {7}runtime: hundredfold \d.*, Node v\d+\./),
    'ok       configuration and credentials: no hundredfold.yaml here: defaults',
    expect.stringMatching(/^ok {7}Temporal: embedded, not running now; .*, version \d+\.\d+/),
    'ok       services: the local ones (--services local)',
    expect.stringMatching(/^ok {7}output store: .*results, \d+(\.\d)? [MGT]B free$/),
    'ok       ledger of submissions: nothing was sent from this machine yet',
  ]);
  expect(at.done('anything'), 'a look begins nothing').toBe(0);
});

test('with configured services: shows their addresses, our credential, and the limits, also as one document', async () => {
  const at = desk();
  const services = await startLocalServices({ database: ':memory:', engine: 'synthetic' });
  onTestFinished(() => services.close());
  withServices(at, services.url, services.url);
  const stdout = await said(at, 0, ['--json'], { env: TOKENS });
  expect(stdout, 'one line on stdout').toMatch(/^\[.*\]\n$/);
  const findings = JSON.parse(stdout) as Finding[];
  for (const { check, ok, warning, remedy } of findings) {
    if (ok && !warning) expect(remedy, check).toBeUndefined();
    else expect(remedy, check).toMatch(/^[A-Z`].*[.)]$/s);
  }
  expect(findings.filter(({ ok }) => !ok)).toEqual([]);
  expect(findings.find(({ check }) => check === 'service predictions')?.found).toMatch(
    /^127\.0\.0\.1:\d+ is the prediction service, credential [0-9a-f]{8}, 20 in 30 min$/,
  );
});

describe('with something missing: exits with 1, names each PROBLEM and what to do, and checks the rest', () => {
  const LOCAL = ['--services', 'local'];

  test('no service is configured; an external Temporal server is', async () => {
    const at = desk();
    at.write('hundredfold.yaml', `temporal: { address: "${inject('temporal')}" }`);
    const text = await said(at, 1, [], {});
    expect(text).toMatch(/^PROBLEM {2}services: none configured\n {9}Use --services local, or /m);
    expect(text).toMatch(
      /^ok {7}Temporal: 127\.0\.0\.1:\d+, namespace default, plain text; server [\d.]+$/m,
    );
  });

  test('one service is down, the other refuses access', async () => {
    const at = desk();
    await using gateway = await plainServer((_, response) => response.writeHead(403).end());
    withServices(at, `http://127.0.0.1:${gateway.port}`, `http://127.0.0.1:${await freePort()}`);
    const text = await said(at, 1, [], { env: TOKENS });
    expect(text).toMatch(
      /^PROBLEM {2}service predictions: 127\.0\.0\.1:\d+ does not answer: \S.*ECONNREFUSED.*\n {9}.*services\.predictions\.url/m,
    );
    expect(text).toMatch(
      /^PROBLEM {2}service molecules: .*HTTP 403.*\n {9}Ask the operators .*services\.molecules\.headers /m,
    );
    expect(text).toMatch(/^ok {7}output store: /m);
  });

  test('a token is unset', async () => {
    const at = desk();
    withServices(at, 'http://127.0.0.1:9', 'http://127.0.0.1:9');
    const { HUNDREDFOLD_MOLECULE_TOKEN } = TOKENS;
    const text = await said(at, 1, [], { env: { HUNDREDFOLD_MOLECULE_TOKEN } });
    expect(text).toMatch(
      /^PROBLEM {2}configuration and credentials: services\.predictions\.token: .*\[CONFIG_SECRET_MISSING\]\n {9}Set it \(export HUNDREDFOLD_PREDICTION_TOKEN=/m,
    );
  });

  test('no folder is writable', async () => {
    const at = desk();
    at.write('taken', 'a file');
    at.write(
      'hundredfold.yaml',
      'store: { url: taken/results }\nembedded: { dir: taken/embedded }',
    );
    const text = await said(at, 1, LOCAL, {});
    expect(text).toMatch(
      /^PROBLEM {2}output store: Cannot write in \S+taken: .*\n {9}Move the file/m,
    );
    expect(text).toMatch(
      /^PROBLEM {2}Temporal: cannot write in \S+embedded, .*\n.*embedded\.dir /m,
    );
  });

  test('the Temporal CLI is something else, and the disk has no free inodes (needs private mounts)', async () => {
    const at = desk();
    mkdirSync(at.path('results'));
    const mount = 'mount -t tmpfs -o nr_inodes=20 tmpfs results; exec "$@"';
    const wrapper = canMount ? [...PRIVATE_MOUNTS, 'sh', '-ec', mount, 'sh'] : [];
    const text = await said(at, 1, LOCAL, { wrapper, env: { TEMPORAL_CLI: '/bin/sh' } });
    expect(text).toMatch(/PROBLEM {2}Temporal: \/bin\/sh is not a working Temporal CLI .*\n {9}\S/);
    if (canMount)
      expect(text).toMatch(
        /^PROBLEM {2}output store: the disk of \S+ is full: it has no free inodes .*\n {9}Free some/m,
      );
  });

  test('an external Temporal server does not answer', async () => {
    const { stdout } = await patient.endsWith(1);
    expect(stdout).toMatch(/^PROBLEM {2}Temporal: .*127\.0\.0\.1:\d+.*\n {9}\S/m);
  });
});
