/** A change of the program must not disarm a mutant silently. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from './list.ts';

const ROOT = join(import.meta.dirname, '..', '..');

test('there are at least 60, each with its own name', () => {
  expect(new Set(MUTANTS.map(({ name }) => name)).size).toBe(MUTANTS.length);
  expect(MUTANTS.length).toBeGreaterThanOrEqual(60);
});

test.each(MUTANTS)(
  '$name changes a line of $file, and tests are named for it',
  ({ file, find, replace, tests }) => {
    const occurrences = readFileSync(join(ROOT, file), 'utf8').split(find).length - 1;
    expect(occurrences, `places in ${file} with the text`).toBe(1);
    expect(replace).not.toBe(find);
    expect(tests.length).toBeGreaterThan(0);
    expect(tests.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  },
);
