/** Random rows with few works and few predictors, so that many of them can share a job. */
import fc from 'fast-check';
import { PREDICTORS, type Item, type Predictor } from '../../src/domain/item.ts';
import { aMolecule, aSequence } from '../store/an-item.ts';

const SOME = PREDICTORS.slice(0, 3);

/** Without ids: `named` adds them. */
type Nameless = (id: string) => Item;

const sequence = fc
  .tuple(fc.integer({ min: 0, max: 2 }), fc.subarray([...SOME], { minLength: 1 }))
  .map(
    ([n, predictors]): Nameless =>
      (id) =>
        aSequenceOf(id, n, predictors),
  );

const molecule = fc.tuple(fc.integer({ min: 0, max: 2 }), fc.constantFrom('bcc', 'gas')).map(
  ([n, chargeMethod]): Nameless =>
    (id) =>
      aMolecule(id, {
        options: { kind: 'molecule', chargeMethod, netCharge: null, atomType: 'gaff2' },
        canonical: `smiles ${n}`,
        input: { name: 'input.smi', text: `${'C'.repeat(n + 1)}\n` },
      }),
);

/** The `n`th sequence, the same for every caller. */
export function aSequenceOf(id: string, n: number, predictors: readonly Predictor[]): Item {
  return aSequence(id, {
    options: { kind: 'sequence', predictors },
    canonical: `residues ${n}`,
    input: { name: 'input.fasta', text: `>x\nMKV${'A'.repeat(n)}\n` },
    row: { id, kind: 'sequence', predictors: predictors.join() },
  });
}

export const randomItems = (prefix = 'r'): fc.Arbitrary<Item[]> =>
  fc
    .array(fc.oneof({ weight: 3, arbitrary: sequence }, { weight: 1, arbitrary: molecule }), {
      maxLength: 12,
    })
    .map((all) => all.map((nameless, n) => nameless(`${prefix}${n}`)));
