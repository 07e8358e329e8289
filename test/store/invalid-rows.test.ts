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

const cells = fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), {
  noNullPrototype: true,
});
const rows = fc.array(
  fc.record<InvalidRow>({
    id: fc.string({ minLength: 1 }),
    kind: fc.constantFrom('molecule', 'shifts', null),
    source: fc.record({ file: fc.string(), line: fc.nat() }),
    row: cells,
    code: fc.constant('MANIFEST_KIND_UNKNOWN'),
    message: fc.string({ unit: 'binary' }),
  }),
);

test('invalid rows are read back unchanged, and replace earlier ones', async () => {
  const store = await temporaryStore();
  await fc.assert(
    fc.asyncProperty(rows, async (all) => {
      await writeInvalidRows(store, stream(all));
      expect(await collected(readInvalidRows(store))).toEqual(all);
      expect(await countInvalidRows(store)).toBe(all.length);
    }),
    { numRuns: 25 },
  );
  await writeInvalidRows(store, stream([]));
  expect(await collected(store.list('')), 'no file for none').toEqual([]);
  expect(await countInvalidRows(store)).toBe(0);
});

test('invalid rows are read completely if a chunk of the file ends within a row', async () => {
  const store = await temporaryStore();
  const one: InvalidRow = {
    id: 'x',
    kind: null,
    source: { file: 'm.csv', line: 3 },
    row: { note: 'Å'.repeat(99_999) },
    code: 'C',
    message: 'm',
  };
  await writeInvalidRows(store, stream(Array<InvalidRow>(9).fill(one)));
  expect(await collected(readInvalidRows(store))).toEqual(Array(9).fill(one));
});
