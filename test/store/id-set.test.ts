import { expect, test } from 'vitest';
import { IdSet } from '../../src/store/id-set.ts';

test('has exactly the ids that were added, and distinguishes case', () => {
  const ids = new IdSet();
  const added = Array.from({ length: 20_000 }, (_, n) => `row-${n}`);
  for (const id of added) expect(ids.add(id)).toBe(true);
  expect(ids.add('row-7')).toBe(false);
  expect(ids.size).toBe(20_000);
  expect(added.every((id) => ids.has(id))).toBe(true);
  expect(['row-20000', 'Row-7', 'sequences/row-7', ''].filter((id) => ids.has(id))).toEqual([]);
});
