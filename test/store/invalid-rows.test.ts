import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  countInvalidRows,
  readInvalidRows,
  writeInvalidRows,
  type InvalidRow,
} from '../../src/store/invalid-rows.ts';
import { collected } from './store-expectations.ts';
import { temporaryStore } from './temporary-store.ts';

async function* stream(rows: readonly InvalidRow[]): AsyncGenerator<InvalidRow> {
  await Promise.resolve();
  yield* rows;
}

const text = fc.string({ unit: 'binary' });
const rows = fc.array(
  fc.record<InvalidRow>({
    id: fc.string({ minLength: 1 }),
    kind: fc.constantFrom('molecule', 'shifts', null),
    source: fc.record({ file: fc.string(), line: fc.nat() }),
    row: fc.dictionary(text, text, { noNullPrototype: true }),
    code: fc.constant('MANIFEST_KIND_UNKNOWN'),
    message: text,
  }),
);

test('invalid rows are read back unchanged, however long, and replace earlier ones', async () => {
  const store = await temporaryStore();
  const source = { file: 'm.csv', line: 3 };
  const row = { note: 'Å'.repeat(99_999) };
  // A chunk of the file ends within a row.
  const long = Array<InvalidRow>(9).fill({
    id: 'x',
    kind: null,
    source,
    row,
    code: 'C',
    message: '',
  });
  await fc.assert(
    fc.asyncProperty(rows, async (all) => {
      await writeInvalidRows(store, stream(all));
      expect(await collected(readInvalidRows(store))).toEqual(all);
      expect(await countInvalidRows(store)).toBe(all.length);
    }),
    { numRuns: 25, examples: [[long]] },
  );
  await writeInvalidRows(store, stream([]));
  expect(await collected(store.list('')), 'no file for none').toEqual([]);
  expect(await countInvalidRows(store)).toBe(0);
});
