import { describe, expect, test } from 'vitest';
import { findAggregationRegions } from '../../src/kinds/protein/measures.ts';
import { computeConservation } from '../../src/kinds/protein/reading.ts';
import { molecule } from '../../src/kinds/molecule/index.ts';
import { measure } from '../../src/kinds/kind.ts';
import { computeDipoleMoment, readMolecule } from '../../src/kinds/molecule/result.ts';
import { golden } from './goldens.ts';

interface Golden {
  readonly results: Readonly<Record<string, string>>;
}

function moleculeMeasures(name: string) {
  const { results } = JSON.parse(golden(`acpype/${name}.json`)) as Golden;
  const { GMX_itp: itp = '', NEW_pdb: pdb = '', AC_frcmod: frcmod = '' } = results;
  const reading = readMolecule({ itp, pdb, frcmod });
  if (reading === null) throw new Error(`${name} is unreadable`);
  return measure(molecule, reading);
}

describe('a molecule', () => {
  test.each([
    ['smi-aspirin-bcc-0-gaff2', 3],
    ['smi-caffeine-bcc-0-gaff2', 0],
    ['smi-choline-bcc-1-gaff2', 2],
    ['smi-chlorobenzene-bcc-auto-gaff2', 0],
  ])('%s has %i rotatable bonds', (name, bonds) => {
    expect(moleculeMeasures(name)['rotatable']).toBe(bonds);
  });

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
});

test('conservation is 1 if all rows agree, 0 if none do, and less with gaps', () => {
  const [same, some = NaN, none] = computeConservation(['AK-', 'AR-', 'AK-', 'A--'], 3) ?? [];
  expect([same, none]).toEqual([1, 0]);
  expect(some).toBeGreaterThan(0);
  expect(some).toBeLessThan(0.75);
  expect(computeConservation(['A', 'A', 'A', '-'], 1)).toEqual([0.75]);
  expect(computeConservation('ACDEFGHIKLMNPQRSTVWY'.split(''), 1)?.[0]).toBeCloseTo(0, 10);
});

test('an aggregation-prone stretch has five residues or more, all at or above 1', () => {
  const track = [1, 2, 3, 4, 5, 0.9, 1, 1, 1, 1, null, 9, 9, 9, 9, 9, 9];
  expect(findAggregationRegions(track)).toEqual([
    [0, 5],
    [11, 17],
  ]);
});
