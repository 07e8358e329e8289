import { describe, expect, test } from 'vitest';
import { EntryTable } from '../../src/manifest/entry-table.ts';

/** Numbers of the entries that a search for this first word compares. */
function compared(table: EntryTable, word: number): number[] {
  const numbers: number[] = [];
  for (let number = table.first(word); number !== 0; number = table.after(number)) {
    numbers.push(number);
  }
  return numbers;
}

/** Like a hash: every bit depends on `n`, and all 32-bit words occur once. */
const scattered = (n: number): number => Math.imul(n ^ (n >>> 15), 2654435761) >>> 0;

describe('a table of entries', () => {
  const ENTRIES = 150_000;
  const table = new EntryTable(2);
  for (let n = 0; n < ENTRIES; n += 1) {
    const number = table.append();
    table.write(number, 0, scattered(n));
    table.write(number, 1, n);
    table.index(number);
  }

  test('finds every entry by its first word while it grows, and keeps its words', () => {
    for (let n = 0; n < ENTRIES; n += 1) {
      const found = compared(table, scattered(n)).filter((one) => table.word(one, 1) === n);
      expect(found).toEqual([n + 1]);
    }
  });

  test('compares a few entries for a word that it does not have', () => {
    let comparisons = 0;
    for (let n = ENTRIES; n < ENTRIES + 1_000; n += 1) {
      comparisons += compared(table, scattered(n)).length;
    }
    expect(comparisons / 1_000).toBeLessThan(6);
  });

  test('does not find an entry that is not indexed', () => {
    const other = new EntryTable(1);
    other.write(other.append(), 0, 7);
    expect(compared(other, 7)).toEqual([]);
  });

  test('finds all entries with the same first word', () => {
    const same = new EntryTable(1);
    for (let n = 0; n < 40; n += 1) {
      const number = same.append();
      same.write(number, 0, 5);
      same.index(number);
    }
    expect(compared(same, 5).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 40 }, (_, n) => n + 1),
    );
  });
});
