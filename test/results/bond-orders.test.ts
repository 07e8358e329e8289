/** Bond orders derived from atoms, bonds and net charge alone. */
import { describe, expect, test } from 'vitest';
import { assignBondOrders } from '../../src/results/bond-orders.ts';

type Bonds = readonly (readonly [number, number])[];

/** `C2H4`'s graph: `CC` with its hydrogens, two on each. */
function graphOf(heavy: string, bonds: Bonds, hydrogens: readonly number[]) {
  const elements = heavy.split(' ');
  const all: (readonly [number, number])[] = [...bonds];
  for (const [atom, count] of hydrogens.entries()) {
    for (let one = 0; one < count; one += 1) {
      all.push([atom, elements.length]);
      elements.push('H');
    }
  }
  return { elements, bonds: all };
}

const ring = (size: number): Bonds =>
  Array.from({ length: size }, (_, atom) => [atom, (atom + 1) % size] as const);

/** Orders of the bonds between heavy atoms, in their order. */
function ordersOf(heavy: string, bonds: Bonds, hydrogens: readonly number[], netCharge = 0) {
  const found = assignBondOrders(graphOf(heavy, bonds, hydrogens), netCharge);
  return found?.orders.slice(0, bonds.length) ?? null;
}

function chargesOf(heavy: string, bonds: Bonds, hydrogens: readonly number[], netCharge = 0) {
  const found = assignBondOrders(graphOf(heavy, bonds, hydrogens), netCharge);
  return found?.charges.slice(0, heavy.split(' ').length) ?? null;
}

describe('bond orders', () => {
  test.each([
    ['ethane', 'C C', [[0, 1]], [3, 3], [1]],
    ['ethene', 'C C', [[0, 1]], [2, 2], [2]],
    [
      'acetonitrile',
      'C C N',
      [
        [0, 1],
        [1, 2],
      ],
      [3, 0, 0],
      [1, 3],
    ],
    [
      'acetone',
      'C C C O',
      [
        [0, 1],
        [1, 2],
        [1, 3],
      ],
      [3, 0, 3, 0],
      [1, 1, 2],
    ],
    [
      'methanesulfonamide',
      'C S O O N',
      [
        [0, 1],
        [1, 2],
        [1, 3],
        [1, 4],
      ],
      [3, 0, 0, 0, 2],
      [1, 2, 2, 1],
    ],
  ] as const)('of %s', (_, heavy, bonds, hydrogens, orders) => {
    expect(ordersOf(heavy, bonds, hydrogens)).toEqual(orders);
  });

  test('of benzene alternate between single and double', () => {
    const orders = ordersOf('C C C C C C', ring(6), [1, 1, 1, 1, 1, 1]) ?? [];
    expect([...orders].sort()).toEqual([1, 1, 1, 2, 2, 2]);
    for (const [place, order] of orders.entries()) expect(order).not.toBe(orders[(place + 1) % 6]);
  });
});

describe('formal charges', () => {
  test('of a carboxylate: one of the oxygens has it', () => {
    const charges =
      chargesOf(
        'C C O O',
        [
          [0, 1],
          [1, 2],
          [1, 3],
        ],
        [3, 0, 0, 0],
        -1,
      ) ?? [];
    expect([...charges].sort()).toEqual([-1, 0, 0, 0]);
    expect((charges[2] ?? 0) + (charges[3] ?? 0)).toBe(-1);
  });

  test('of ammonium and of a nitro group', () => {
    expect(chargesOf('N', [], [4], 1)).toEqual([1]);
    const nitro =
      chargesOf(
        'C N O O',
        [
          [0, 1],
          [1, 2],
          [1, 3],
        ],
        [3, 0, 0, 0],
      ) ?? [];
    expect(nitro[1]).toBe(1);
    expect((nitro[2] ?? 0) + (nitro[3] ?? 0)).toBe(-1);
  });
});

test('bond orders add up to the valences, and formal charges to the net charge', () => {
  const graph = graphOf('C C N C C O', ring(6), [2, 2, 2, 2, 2, 0]);
  const found = assignBondOrders(graph, 1);
  expect(found?.charges.reduce((sum, charge) => sum + charge, 0)).toBe(1);
  const sums = graph.elements.map(() => 0);
  for (const [bond, pair] of graph.bonds.entries()) {
    for (const atom of pair) sums[atom] = (sums[atom] ?? 0) + (found?.orders[bond] ?? 0);
  }
  expect(sums.slice(0, 6)).toEqual([4, 4, 4, 4, 4, 2]);
});

test('no bond orders are assigned if no usual valences give the net charge', () => {
  expect(ordersOf('C', [], [4], 1)).toBeNull();
  expect(ordersOf('C', [], [5])).toBeNull();
  expect(ordersOf('Xe', [], [0])).toBeNull();
});
