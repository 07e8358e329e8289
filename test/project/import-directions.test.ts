/** What no linter sees of imports: circles, and files of the checkout that an installation does not have. */
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
