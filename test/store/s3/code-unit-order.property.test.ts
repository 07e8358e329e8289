import fc from 'fast-check';
import { expect, test } from 'vitest';
import { inCodeUnitOrder } from '../../../src/store/s3/listing.ts';
import { collected } from '../store-expectations.ts';

async function* listed(keys: readonly string[]): AsyncGenerator<string> {
  yield* [...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

test('a listing in the order of UTF-8 becomes one in the order of code units', async () => {
  const unit = fc.constantFrom(
    'a',
    '/',
    'z',
    'é',
    '\uD7FF',
    '\uE000',
    '\uFFFD',
    '\u{10000}',
    '\u{1F600}',
  );
  const key = fc.array(unit, { minLength: 1, maxLength: 5 }).map((units) => units.join(''));
  await fc.assert(
    fc.asyncProperty(fc.uniqueArray(key, { maxLength: 30 }), async (keys) => {
      expect(await collected(inCodeUnitOrder(listed(keys)))).toEqual([...keys].sort());
    }),
    { numRuns: 2_000 },
  );
});
