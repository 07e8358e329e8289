import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PREDICTORS, type Item, type Options } from '../../src/domain/item.ts';
import { combined, covers } from '../../src/kinds/registry.ts';
import { workDigest } from '../../src/store/work.ts';
import { aMolecule, aSequence } from './an-item.ts';

const molecule: Options = {
  kind: 'molecule',
  chargeMethod: 'bcc',
  netCharge: null,
  atomType: 'gaff2',
};
const predictors = fc
  .subarray([...PREDICTORS], { minLength: 1 })
  .map((all): Options => ({ kind: 'sequence', predictors: all }));

test.each<[string, Item, boolean]>([
  [
    'id, owner, title and user columns',
    aMolecule('b', { canonical: 'x', email: 'a@b.c', title: 't', user: { a: 'b' } }),
    true,
  ],
  [
    'the notation of their files',
    aMolecule('b', { canonical: 'x', input: { name: 'input.sdf', text: '…' } }),
    true,
  ],
  ['input', aMolecule('a', { canonical: 'y' }), false],
  [
    'charge method',
    aMolecule('a', { canonical: 'x', options: { ...molecule, chargeMethod: 'gas' } }),
    false,
  ],
  ['charge', aMolecule('a', { canonical: 'x', options: { ...molecule, netCharge: 0 } }), false],
  [
    'atom types',
    aMolecule('a', { canonical: 'x', options: { ...molecule, atomType: 'amber' } }),
    false,
  ],
  ['kind', aSequence('a', { canonical: 'x' }), false],
])('rows that differ in %s request the same work: $2', (_, other, same) => {
  const one = aMolecule('a', { canonical: 'x' });
  expect(workDigest(other) === workDigest(one)).toBe(same);
});

test('predictors are not part of the work; model class and numbering are', () => {
  const ask = (names: readonly (typeof PREDICTORS)[number][]): string =>
    workDigest(aSequence('a', { options: { kind: 'sequence', predictors: names } }));
  expect(ask(['psper'])).toBe(ask(['dynamine', 'agmata']));
  const shifts = (modelClass: '1' | '2', originalNumbering: boolean): string =>
    workDigest({
      kind: 'shifts',
      canonical: 'x',
      options: { kind: 'shifts', modelClass, originalNumbering },
    });
  expect(new Set([shifts('1', true), shifts('2', true), shifts('1', false)]).size).toBe(3);
});

test('one job delivers results for two rows if it has the predictors of both', () => {
  fc.assert(
    fc.property(predictors, predictors, (one, other) => {
      const both = combined(one, other);
      expect([covers(both, one), covers(both, other), covers(one, one)]).toEqual([
        true,
        true,
        true,
      ]);
      if (one.kind !== 'sequence' || other.kind !== 'sequence' || both.kind !== 'sequence') return;
      expect(new Set(both.predictors)).toEqual(new Set([...one.predictors, ...other.predictors]));
      expect(both.predictors.length).toBe(new Set(both.predictors).size);
      expect(covers(one, other)).toBe(
        other.predictors.every((name) => one.predictors.includes(name)),
      );
    }),
  );
});
