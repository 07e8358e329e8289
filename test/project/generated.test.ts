/** Files that are generated from the program, and the pages that explain its parts, agree with it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  errorTexts,
  GOLDEN,
  PAGES,
  readErrorTexts,
  readPage,
  withCodes,
} from '../../scripts/error-tables.ts';
import { schemaFiles } from '../../scripts/schemas.ts';
import { ERROR_EXITS } from '../../src/domain/errors.ts';
import { ITEM_ENDS, ITEM_WARNINGS } from '../../src/domain/item-ends.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const CODES: readonly string[] = Object.keys(ERROR_EXITS);

test("what is made from the configuration's descriptions is up to date (to update: node scripts/schemas.ts)", async () => {
  for (const [path, content] of Object.entries(await schemaFiles()))
    expect(readFileSync(join(ROOT, path), 'utf8'), path).toBe(content);
});

test.each(PAGES)(
  'docs/%s says what the source says (to update: node scripts/error-tables.ts)',
  (page) => {
    expect(readPage(page)).toBe(withCodes(page));
  },
);

test('errors say what the golden has (to update: node scripts/error-tables.ts)', () => {
  expect(errorTexts()).toBe(readFileSync(GOLDEN, 'utf8'));
});

test('docs/output-tree.md explains every warning', () => {
  for (const [code, { meaning }] of Object.entries(ITEM_WARNINGS))
    expect(readPage('output-tree.md')).toContain(`\`${code}\`: ${meaning}`);
});

test('every code is thrown, with a message and a remedy, and is no code of an item as well', () => {
  const thrown = new Set(readErrorTexts().map(({ code }) => code as string));
  expect(CODES.filter((code) => !thrown.has(code))).toEqual([]);
  for (const { code, message, remedy } of readErrorTexts()) {
    expect(message.length, code).toBeGreaterThan(0);
    expect(remedy.length, code).toBeGreaterThan(0);
  }
  const ends: readonly string[] = ITEM_ENDS.flatMap((row) => [...row.codes]);
  expect(CODES.filter((code) => ends.includes(code))).toEqual([]);
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
