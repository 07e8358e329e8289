import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lockProblems } from '../../scripts/lock.ts';
import type { Lock } from '../../scripts/lock.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const DIGEST = 'sha512-AAAA';

/** A lock with one package that has binaries for two platforms. */
const WHOLE: Lock = {
  lockfileVersion: 3,
  packages: {
    '': { dependencies: { tool: '1.0.0' } },
    'node_modules/tool': {
      version: '1.0.0',
      integrity: DIGEST,
      optionalDependencies: { 'tool-linux': '1.0.0', 'tool-darwin': '^1.0.0' },
    },
    'node_modules/tool-linux': { version: '1.0.0', integrity: DIGEST },
    'node_modules/tool-darwin': { version: '1.0.3', integrity: DIGEST },
  },
};
const MANIFEST = { dependencies: { tool: '1.0.0' } };

function changed(packages: Partial<Record<string, Lock['packages'][string]>>): Lock {
  const all = Object.entries({ ...WHOLE.packages, ...packages });
  const kept = all.flatMap(([path, entry]) =>
    entry === undefined ? [] : [[path, entry] as const],
  );
  return { ...WHOLE, packages: Object.fromEntries(kept) };
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
}

test('the lock of the project is complete for every platform', () => {
  const lock = readJson('package-lock.json') as Lock;
  expect(lockProblems(lock, readJson('package.json') as object)).toEqual([]);
  // Otherwise the test could pass without reading any package.
  expect(Object.keys(lock.packages).length).toBeGreaterThan(100);
});

test('a complete lock has no problem', () => {
  expect(lockProblems(WHOLE, MANIFEST)).toEqual([]);
});

describe('a broken lock is reported', () => {
  test('a platform’s binary that is missing, as npm ci would refuse it', () => {
    const lock = changed({ 'node_modules/tool-darwin': undefined });
    expect(lockProblems(lock, MANIFEST)).toEqual([
      'tool needs tool-darwin@^1.0.0, which is not in the lock',
    ]);
  });

  test('a version that does not satisfy the range', () => {
    const lock = changed({ 'node_modules/tool-linux': { version: '1.0.1', integrity: DIGEST } });
    expect(lockProblems(lock, MANIFEST)).toEqual([
      'tool needs tool-linux@1.0.0, the lock has 1.0.1',
    ]);
  });

  test('the nearest copy counts, not the one at the top', () => {
    const lock = changed({
      'node_modules/tool/node_modules/tool-linux': { version: '2.0.0', integrity: DIGEST },
    });
    expect(lockProblems(lock, MANIFEST)).toEqual([
      'tool needs tool-linux@1.0.0, the lock has 2.0.0',
    ]);
  });

  test('an alias is compared with its own version', () => {
    const lock = changed({
      '': { dependencies: { tool: 'npm:@scope/other@2.0.0' } },
    });
    expect(lockProblems(lock, { dependencies: { tool: 'npm:@scope/other@2.0.0' } })).toEqual([
      'package.json needs tool@npm:@scope/other@2.0.0, the lock has 1.0.0',
    ]);
  });

  test('a download address, which binds all users to one registry', () => {
    const lock = changed({
      'node_modules/tool-linux': { version: '1.0.0', integrity: DIGEST, resolved: 'https://x/y' },
    });
    expect(lockProblems(lock, MANIFEST)).toEqual([
      'node_modules/tool-linux names a download address',
    ]);
  });

  test('a package without digest', () => {
    const lock = changed({ 'node_modules/tool-linux': { version: '1.0.0' } });
    expect(lockProblems(lock, MANIFEST)).toEqual(['node_modules/tool-linux has no digest']);
  });

  test('a package.json that has changed since', () => {
    expect(lockProblems(WHOLE, { dependencies: { tool: '1.1.0' } })).toEqual([
      'dependencies: package.json has tool@1.1.0, the lock 1.0.0',
    ]);
  });
});
