import { expect, test } from 'vitest';
import { computeConservation } from '../../src/kinds/protein/reading.ts';
import { computeDipoleMoment } from '../../src/kinds/molecule/result.ts';

test('a charge and its opposite, one ångström apart, have 4.80 D', () => {
  const atoms = [
    { mass: 1, charge: 1, position: [0, 0, 1] as const },
    { mass: 35, charge: -1, position: [0, 0, 0] as const },
  ];
  expect(computeDipoleMoment(atoms)).toBeCloseTo(4.8032, 4);
  // Of a molecule without a net charge the origin does not matter.
  const moved = atoms.map((atom) => ({
    ...atom,
    position: [5, -3, 1 + atom.position[2]] as const,
  }));
  expect(computeDipoleMoment(moved)).toBeCloseTo(4.8032, 4);
});

test('conservation is 1 if all rows agree, 0 if none do, and less with gaps', () => {
  const [same, some = NaN, none] = computeConservation(['AK-', 'AR-', 'AK-', 'A--'], 3) ?? [];
  expect([same, none]).toEqual([1, 0]);
  expect(some).toBeGreaterThan(0);
  expect(some).toBeLessThan(0.75);
  expect(computeConservation(['A', 'A', 'A', '-'], 1)).toEqual([0.75]);
  expect(computeConservation('ACDEFGHIKLMNPQRSTVWY'.split(''), 1)?.[0]).toBeCloseTo(0, 10);
});
