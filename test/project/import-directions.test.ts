import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  checkoutPathsIn,
  directionProblems,
  importsBelow,
  importsOf,
  modulesBelow,
} from '../../scripts/imports.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** One line of a file that does not exist. */
function problemsOf(path: string, code: string): readonly string[] {
  return directionProblems(importsOf(path, code));
}

test('imports in src only go down the layers, and have no cycle', () => {
  expect(directionProblems(importsBelow(ROOT, 'src'))).toEqual([]);
});

test('the check finds imports', () => {
  const imports = importsBelow(ROOT, 'src');
  expect(imports.some(({ target }) => target.startsWith('src/domain/'))).toBe(true);
});

describe('an import that goes up is reported with its line', () => {
  test.each([
    ['src/domain/item.ts', `import { x } from '../cli/run.ts';`, 'domain may not import cli'],
    ['src/budget/window.ts', `export * from '../store/store.ts';`, 'budget may not import store'],
    ['src/store/a/b.ts', `await import('../../report/page.ts');`, 'store may not import report'],
    ['src/report/page.ts', `type A = import('../cli/a.ts').A;`, 'report may not import cli'],
    [
      'src/services/a.ts',
      `import type { T } from '../worker.ts';`,
      'services may not import worker',
    ],
  ])('%s: %s', (path, code, reason) => {
    expect(problemsOf(path, `\n${code}`)).toEqual([`${path}:2: ${reason}`]);
  });
});

describe('packages are used only in their layers', () => {
  test.each([
    ['src/domain/item.ts', 'node:fs'],
    ['src/budget/window.ts', 'zod'],
    ['src/workflows/item.ts', 'zod'],
    ['src/workflows/item.ts', '@temporalio/client'],
    ['src/manifest/csv.ts', '@temporalio/common'],
    ['src/local-services/jobs.ts', '@temporalio/worker'],
    ['src/store/files.ts', '../../test/fixture.ts'],
    ['src/temporal/cli.ts', '../../scripts/setup.js'],
    ['src/budget/window.ts', '../program/files.ts'],
  ])('%s may not use %s', (path, name) => {
    expect(problemsOf(path, `import '${name}';`)).toHaveLength(1);
  });

  test.each([
    ['src/workflows/item.ts', '@temporalio/workflow'],
    ['src/activities/poll.ts', '@temporalio/activity'],
    ['src/store/files.ts', 'node:fs'],
    ['src/temporal/embedded.ts', '../program/temporal-cli.js'],
  ])('%s may use %s', (path, name) => {
    expect(problemsOf(path, `import '${name}';`)).toEqual([]);
  });
});

describe('the product needs no file of the checkout that is missing in its package', () => {
  test('no module of src or bin imports, reads or runs a file of scripts or bench', () => {
    const modules = [...modulesBelow(ROOT, 'src'), ...modulesBelow(ROOT, 'bin')];
    expect(modules.map(({ path }) => path)).toContain('bin/hundredfold.js');
    expect(modules.flatMap(({ path, text }) => checkoutPathsIn(path, text))).toEqual([]);
  });

  test.each([
    `import '../../scripts/setup.js';`,
    `new URL('../../scripts/setup.js', import.meta.url);`,
    `join(PROGRAM_FOLDER, 'scripts', 'setup.js');`,
    'spawn(process.execPath, [`scripts/engines.ts`]);',
  ])('%s is reported', (code) => {
    expect(checkoutPathsIn('src/store/a.ts', code)).toHaveLength(1);
  });
});

test('workflow code does not depend on the clients', () => {
  const code = `import { submit } from '../services/molecules/submit.ts';`;
  expect(problemsOf('src/workflows/item.ts', code)).toHaveLength(1);
});

test('the local services share only the domain with the client', () => {
  const path = 'src/local-services/jobs.ts';
  expect(problemsOf(path, `import '../services/client.ts';`)).toHaveLength(1);
  expect(problemsOf(path, `import '../domain/item.ts';`)).toEqual([]);
});

test('a folder that is missing in the table of layers is reported', () => {
  expect(problemsOf('src/utils/a.ts', `import '../domain/item.ts';`)).toEqual([
    'src/utils/a.ts:1: src/utils has no place in scripts/layers.js yet',
  ]);
});

test('two files that import each other are reported as a cycle', () => {
  const imports = [
    ...importsOf('src/budget/a.ts', `import './b.ts';`),
    ...importsOf('src/budget/b.ts', `import './a.ts';`),
  ];
  expect(directionProblems(imports)).toEqual([
    'imports go in a circle: src/budget/a.ts → src/budget/b.ts → src/budget/a.ts',
  ]);
});
