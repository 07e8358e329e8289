/** Files that are generated from the program, and the pages that explain its parts, agree with it. */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PAGES, readPage, withCodes } from '../../scripts/error-tables.ts';
import { modulesBelow } from '../../scripts/imports.ts';
import { MAN_PAGE, manPage } from '../../scripts/man.ts';
import { SCHEMAS, schemaFiles } from '../../scripts/schemas.ts';
import { NOTIFY_ERRORS } from '../../src/domain/error-codes/notify-errors.ts';
import { ERRORS } from '../../src/domain/error-codes/registry.ts';
import { ITEM_ENDS } from '../../src/domain/item-end-codes.ts';
import { ITEM_WARNINGS } from '../../src/domain/item-warnings.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CODES: readonly string[] = Object.keys(ERRORS);

test('the manual page is up to date (to update: node scripts/man.ts)', () => {
  expect(readFileSync(MAN_PAGE, 'utf8')).toBe(manPage());
});

test('schemas/ matches the types of the program (to update: node scripts/schemas.ts)', async () => {
  const committed = readdirSync(SCHEMAS).map((name) => [
    name,
    readFileSync(join(SCHEMAS, name), 'utf8'),
  ]);
  expect(Object.fromEntries(committed)).toEqual(await schemaFiles());
});

test.each(PAGES)(
  'docs/%s has every code of the registries (node scripts/error-tables.ts)',
  (page) => {
    expect(readPage(page)).toBe(withCodes(page));
    if (page !== 'output-tree.md') return;
    for (const [code, { meaning }] of Object.entries(ITEM_WARNINGS))
      expect(readPage(page)).toContain(`\`${code}\`: ${meaning}`);
  },
);

test('each code belongs to an error or to the end of an item, and is explained once', () => {
  const ends = ITEM_ENDS.flatMap((row) => [...row.codes] as string[]);
  const codes = [...CODES, ...Object.keys(NOTIFY_ERRORS), ...ends];
  expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
});

/** Their package may not import the registry, so that the compiler does not check these. */
test('the local services throw only codes of the registry', () => {
  const thrown = ['src', 'scripts', 'packages']
    .flatMap((folder) => modulesBelow(ROOT, folder))
    .flatMap(({ text }) => [
      ...text.matchAll(/(?:new LocalServicesError\(|,\n)\s*'((?:ENGINES|LOCAL_SERVICES)_\w+)'/g),
    ])
    .map(([, code = '']) => code);
  expect(thrown).toEqual(expect.arrayContaining(['ENGINES_PIP_FAILED', 'LOCAL_SERVICES_PORT']));
  expect(thrown.filter((code) => !CODES.includes(code))).toEqual([]);
});

test('docs/dependencies.md explains every package, each pinned to one version, and no others', () => {
  const read = (path: string) =>
    JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Record<
      'dependencies' | 'devDependencies' | 'optionalDependencies' | 'overrides',
      Record<string, string>
    >;
  const { dependencies, devDependencies, optionalDependencies, overrides } = read('package.json');
  const services = read('packages/local-services/package.json').dependencies;
  const direct = { ...dependencies, ...devDependencies, ...optionalDependencies, ...services };
  // First cells of the page's tables.
  const explained = readPage('dependencies.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => [...(line.split('|')[1] ?? '').matchAll(/`([^`]+)`/g)])
    .map(([, name]) => name);
  const used = Object.keys({ ...direct, ...overrides });
  expect([...new Set(explained)].sort()).toEqual(used.sort());
  const loose = Object.entries(direct).filter(
    ([, version]) => !/^(npm:.+@)?\d+\.\d+\.\d+(-r\.\d+)?$/.test(version),
  );
  expect(loose).toEqual([]);
});
