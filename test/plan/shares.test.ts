import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Item, Options } from '../../src/domain/item.ts';
import { Shares } from '../../src/plan/shares.ts';
import type { AssignedItem } from '../../src/store/prepare-item.ts';
import { covers } from '../../src/kinds/registry.ts';
import { workDigest } from '../../src/store/work.ts';
import { collected } from '../store/store-expectations.ts';
import { aSequenceOf, randomItems } from './random-items.ts';

async function* stream(items: readonly Item[]): AsyncGenerator<Item> {
  await Promise.resolve();
  yield* items;
}

async function planned(items: readonly Item[]): Promise<readonly AssignedItem[]> {
  const shares = new Shares();
  for (const item of items) shares.add(item);
  return collected(shares.assign(stream(items)));
}

const predictorsOf = (options: Options): string[] =>
  options.kind === 'sequence' ? [...options.predictors] : [];

test('rows with the same work have the first of them as leader, and one job for the predictors of all', async () => {
  await fc.assert(
    fc.asyncProperty(randomItems(), async (items) => {
      const groups = Map.groupBy(items, workDigest);
      for (const [n, { share, ...item }] of (await planned(items)).entries()) {
        expect(item).toEqual(items[n]);
        const group = groups.get(workDigest(item)) ?? [];
        if (group.length === 1) {
          expect(share).toBeUndefined();
          continue;
        }
        expect(share?.leader).toBe(group[0]?.id);
        const together = new Set(group.flatMap(({ options }) => predictorsOf(options)));
        expect(new Set(predictorsOf(share?.options ?? item.options))).toEqual(together);
        expect(share && covers(share.options, item.options)).toBe(true);
      }
    }),
    { numRuns: 200 },
  );
});

test('the predictors of a job are in the order of their first request', async () => {
  const items = [aSequenceOf('a', 0, ['agmata']), aSequenceOf('b', 0, ['dynamine', 'agmata'])];
  const [a, b] = await planned(items);
  const options = { kind: 'sequence', predictors: ['agmata', 'dynamine'] };
  expect([a?.share, b?.share]).toEqual(Array(2).fill({ leader: 'a', options }));
});
