/** The check of imports that `npm test` runs (scripts/imports.ts): each kind of wrong import is reported. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test.each([
  ['src/domain/item.ts', `import { x } from '../cli/run.ts';`, 'domain may not import cli'],
  ['src/budget/window.ts', `export * from '../store/store.ts';`, 'budget may not import store'],
  ['src/store/a/b.ts', `await import('../../report/page.ts');`, 'store may not import report'],
  ['src/report/page.ts', `type A = import('../cli/a.ts').A;`, 'report may not import cli'],
  ['src/services/a.ts', `import type { T } from '../worker.ts';`, 'services may not import worker'],
  [
    'src/local-services/a.ts',
    `import '../services/b.ts';`,
    'local-services may not import services',
  ],
  ['src/domain/item.ts', `import 'node:fs';`, 'domain may not use node:fs'],
  [
    'src/workflows/item.ts',
    `import '@temporalio/client';`,
    'workflows may not use @temporalio/client',
  ],
  [
    'src/manifest/csv.ts',
    `import '@temporalio/common';`,
    'manifest may not use @temporalio/common',
  ],
  ['src/store/files.ts', `import '../../test/fixture.ts';`, 'store may not use test/fixture.ts'],
  [
    'src/utils/a.ts',
    `import '../domain/item.ts';`,
    'src/utils has no place in scripts/layers.ts yet',
  ],
])('%s: %s is reported with its line', (path, code, reason) => {
  expect(problemsOf(path, `\n${code}`)).toEqual([`${path}:2: ${reason}`]);
});

test.each([
  ['src/workflows/item.ts', '@temporalio/workflow'],
  ['src/store/files.ts', 'node:fs'],
  ['src/temporal/embedded.ts', '../program/temporal-cli.ts'],
])('%s may use %s', (path, name) => {
  expect(problemsOf(path, `import '${name}';`)).toEqual([]);
});

test('imports of src are found, and have no cycle', () => {
  const imports = importsBelow(ROOT, 'src');
  expect(imports.some(({ target }) => target.startsWith('src/domain/'))).toBe(true);
  const cycle = [
    ...importsOf('src/budget/a.ts', `import './b.ts';`),
    ...importsOf('src/budget/b.ts', `import './a.ts';`),
  ];
  expect(directionProblems(cycle)).toEqual([
    'imports go in a circle: src/budget/a.ts → src/budget/b.ts → src/budget/a.ts',
  ]);
});

test('no module of src or bin imports, reads or runs a file of scripts or bench', () => {
  const modules = [...modulesBelow(ROOT, 'src'), ...modulesBelow(ROOT, 'bin')];
  expect(modules.map(({ path }) => path)).toContain('bin/hundredfold.js');
  expect(modules.flatMap(({ path, text }) => checkoutPathsIn(path, text))).toEqual([]);
  const forbidden = [`'../../scripts/setup.js'`, `'scripts'`, '`scripts/engines.ts`'];
  for (const path of forbidden)
    expect(checkoutPathsIn('src/a.ts', `spawn(join(A, ${path}));`), path).toHaveLength(1);
});
