/** The registries of codes, and the tables in the documentation that are generated from them. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PAGES, readPage, withCodes } from '../../scripts/error-tables.ts';
import { modulesBelow } from '../../scripts/imports.ts';
import { NOTIFY_ERRORS } from '../../src/domain/error-codes/notify-errors.ts';
import { ERRORS } from '../../src/domain/error-codes/registry.ts';
import { ITEM_ENDS } from '../../src/domain/item-end-codes.ts';
import { ITEM_WARNINGS } from '../../src/domain/item-warnings.ts';

const ROOT = join(import.meta.dirname, '..', '..');

const CODES: readonly string[] = Object.keys(ERRORS);

test.each(PAGES)(
  'docs/%s has every code of the registries (node scripts/error-tables.ts)',
  (page) => {
    expect(readPage(page)).toBe(withCodes(page));
  },
);

test('each code belongs to an error or to the end of an item, and is explained once', () => {
  const codes = [
    ...CODES,
    ...Object.keys(NOTIFY_ERRORS),
    ...ITEM_ENDS.flatMap((row) => [...row.codes] as string[]),
  ];
  const twice = codes.filter((code, at) => codes.indexOf(code) !== at);
  expect(twice).toEqual([]);
});

/** `program` may not import the registry, so that the compiler does not check these. */
test('the set-up throws only codes of the registry', () => {
  const known = new Set(CODES);
  const modules = [...modulesBelow(ROOT, 'src'), ...modulesBelow(ROOT, 'scripts')];
  const thrown = modules.flatMap(({ text }) =>
    [...text.matchAll(/new SetupProblem\(\s*'(\w+)'/g)].map(([, code = '']) => code),
  );
  expect(thrown).toContain('SETUP_NO_PIP');
  expect(thrown.filter((code) => !known.has(code))).toEqual([]);
});

test('every code of the registry is used', () => {
  const folders = ['src', 'scripts', 'bin'];
  const texts = folders
    .flatMap((folder) => modulesBelow(ROOT, folder))
    .filter(({ path }) => !path.startsWith('src/domain/error-codes/'))
    .map(({ text }) => text);
  // As a text, or as its beginning: a comment, or a longer code that contains this one, is no use.
  const literals = texts.flatMap((text) => [...text.matchAll(/['`]([A-Z][A-Z0-9_]+)(?:'|: )/g)]);
  const used = new Set(literals.map(([, code = '']) => code));
  expect(CODES.filter((code) => !used.has(code))).toEqual([]);
});

test.each(Object.entries(ITEM_WARNINGS))('docs/output-tree.md explains %s', (code, { meaning }) => {
  expect(readPage('output-tree.md')).toContain(`\`${code}\`: ${meaning}`);
});
