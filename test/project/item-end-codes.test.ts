/** The registry of codes with which items end, and the table in the documentation that is made from it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { PAGE, withItemCodes } from '../../scripts/error-tables.ts';
import { ITEM_ENDS, itemEndWords } from '../../src/domain/item-end-codes.ts';
import { RESULT_PROBLEMS } from '../../src/results/result-problems.ts';

test('documents every code of the registry (node scripts/error-tables.ts)', async () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(await withItemCodes(page)).toBe(page);
});

test('names each code once', () => {
  const codes = ITEM_ENDS.flatMap((words) => [...words.codes] as string[]);
  expect(new Set(codes).size).toBe(codes.length);
});

test('has words of its own for every problem of a result', () => {
  const words = Object.values(RESULT_PROBLEMS).map((code) => itemEndWords(code).meaning);
  expect(words).not.toContain(itemEndWords('RESULT_OF_ANOTHER_VERSION').meaning);
});

test.each([
  ['STORE_FULL', 'A file in the output tree could not be read or written.'],
  ['SMILES_SYNTAX', 'The row, or the file that it names, cannot be submitted as it is.'],
  ['SUBMIT_REFUSD', 'This version of hundredfold does not know the code.'],
])('explains %s', (code, meaning) => {
  expect(itemEndWords(code).meaning).toBe(meaning);
});
