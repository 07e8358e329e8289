/** When the results of two lanes agree: by each value along them, within the tolerance of their kind. */
import { expect, test } from 'vitest';
import { findKind } from '../../src/kinds/registry.ts';
import { isFlexible } from '../../src/kinds/molecule/result.ts';
import { type Draft, judgePair } from '../../src/report/agreement.ts';

type Tracks = Readonly<Record<string, readonly (number | null)[]>>;

const aProtein = (tracks: Tracks) => ({
  kind: 'sequence',
  proteins: [{ name: 'p', residues: 'MKV', tracks, scores: {} }],
});

function judge(kind: string, ...pairs: readonly (readonly [string, unknown, unknown])[]) {
  const values = new Map<string, Draft>();
  for (const [id, a, b] of pairs) judgePair(values, findKind(kind), id, [a, b]);
  return [...values.values()];
}

const AGMATA = { title: 'Beta aggregation', tolerance: 0.001 };

test('the largest difference of any residue counts, and its row is named', () => {
  const [agmata, ...others] = judge(
    'sequence',
    ['near', aProtein({ agmata: [1, 2, 3] }), aProtein({ agmata: [1.0002, 2, 3] })],
    ['far', aProtein({ agmata: [1, 2, 3] }), aProtein({ agmata: [1, 2.5, 3] })],
  );
  expect(others).toEqual([]);
  expect(agmata).toMatchObject({
    ...AGMATA,
    pairs: 2,
    largest: 0.5,
    id: 'far',
    differing: ['far'],
  });
});

test('a residue that only one has, or another number of them, is a difference', () => {
  const [agmata] = judge(
    'sequence',
    ['gap', aProtein({ agmata: [1, null, 3] }), aProtein({ agmata: [1, 2, 3] })],
    ['short', aProtein({ agmata: [1, 2] }), aProtein({ agmata: [1, 2, 3] })],
  );
  expect(agmata).toMatchObject({ pairs: 2, largest: null, differing: ['gap', 'short'] });
});

test('a predictor that only one was asked for is not compared', () => {
  const extra = aProtein({ agmata: [1], complexity: [1] });
  expect(judge('sequence', ['p', extra, aProtein({ agmata: [1] })])).toMatchObject([
    { ...AGMATA, differing: [] },
  ]);
});

/** Of heavy atoms alone. */
function aMolecule(bonds: readonly (readonly [number, number])[], charge: number, type = 'c3') {
  const count = Math.max(...bonds.flat()) + 1;
  const atoms = Array.from({ length: count }, () => ({
    element: 'C',
    type,
    charge,
    position: [0, 0, 0],
  }));
  return { kind: 'molecule', atoms, bonds, estimated: [] } as never;
}

const BUTANE = [[0, 1], [1, 2], [2, 3]] as const; // prettier-ignore
const RING = [[0, 1], [1, 2], [2, 0], [2, 3]] as const; // prettier-ignore

test('charges are compared to 0.01, but not of molecules with several conformations', () => {
  expect([isFlexible(aMolecule(BUTANE, 0)), isFlexible(aMolecule(RING, 0))]).toEqual([true, false]);
  const values = judge(
    'molecule',
    ['rigid', aMolecule(RING, 0.1), aMolecule(RING, 0.105)],
    ['flexible', aMolecule(BUTANE, 0.1), aMolecule(BUTANE, 0.5)],
  );
  expect(values.find(({ title }) => title === 'Partial charges')).toMatchObject({
    pairs: 1,
    unjudged: 1,
    tolerance: 0.01,
    differing: [],
  });
});

test('an atom of another type, or another bond, is a difference at equal charges', () => {
  const other = [[0, 1], [1, 2], [0, 2], [1, 3]] as const; // prettier-ignore
  const values = judge(
    'molecule',
    ['same', aMolecule(RING, 0.1), aMolecule([...RING].reverse(), 0.1)],
    ['type', aMolecule(RING, 0.1), aMolecule(RING, 0.1, 'cx')],
    ['bond', aMolecule(RING, 0.1), aMolecule(other, 0.1)],
  );
  const [types] = values;
  expect(types).toMatchObject({ title: 'Atom types, bonds', differing: ['type', 'bond'] });
});
