import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { conservation } from '../../src/results/measures/alignment.ts';
import { measuresOf } from '../../src/results/measures/measures.ts';
import { dipoleMoment } from '../../src/results/measures/molecule.ts';
import { aggregationRegions } from '../../src/results/measures/sequence.ts';
import { readMolecule } from '../../src/results/molecule.ts';
import { golden } from './goldens.ts';

interface Golden {
  readonly results: Readonly<Record<string, string>>;
}

function moleculeMeasures(name: string) {
  const { results } = JSON.parse(golden('own', `acpype/${name}.json`)) as Golden;
  const { GMX_itp: itp = '', NEW_pdb: pdb = '', AC_frcmod: frcmod = '' } = results;
  const reading = readMolecule({ itp, pdb, frcmod });
  if (reading === null) throw new Error(`${name} is unreadable`);
  return { reading, measures: measuresOf(reading) };
}

describe('a molecule', () => {
  test('aspirin agrees with reference works', () => {
    const { measures } = moleculeMeasures('smi-aspirin-bcc-0-gaff2');
    expect(measures).toMatchObject({ atoms: 21, mass: 180.15, charge: 0, rotatable: 3 });
    expect(measures).toMatchObject({ penaltyMax: 49.6, penaltySum: 104.5, attn: 0 });
  });

  test.each([
    ['smi-caffeine-bcc-0-gaff2', 0],
    ['smi-choline-bcc-1-gaff2', 2],
    ['smi-chlorobenzene-bcc-auto-gaff2', 0],
  ])('%s has %i rotatable bonds', (name, bonds) => {
    expect(moleculeMeasures(name).measures['rotatable']).toBe(bonds);
  });

  test('has the origin of each estimated parameter', () => {
    const { reading } = moleculeMeasures('smi-aspirin-bcc-0-gaff2');
    expect(reading.estimated.map(({ remark }) => remark)).toEqual([
      'Same as X -o -c -o (use general term)',
      'Using the default value',
      'Using general improper torsional angle X- X-ca-ha',
      'Using the default value',
      'Same as X -o -c -o (use general term)',
    ]);
  });

  test('a charge and its opposite, one ångström apart, have 4.80 D', () => {
    const atoms = [
      { mass: 1, charge: 1, position: [0, 0, 1] as const },
      { mass: 35, charge: -1, position: [0, 0, 0] as const },
    ];
    expect(dipoleMoment(atoms)).toBeCloseTo(4.8032, 4);
    // Of a molecule without a net charge the origin does not matter.
    const moved = atoms.map((atom) => ({
      ...atom,
      position: [5, -3, 1 + atom.position[2]] as const,
    }));
    expect(dipoleMoment(moved)).toBeCloseTo(4.8032, 4);
  });
});

describe('conservation', () => {
  test('is 1 if all rows agree, 0 if none do, and less with gaps', () => {
    expect(conservation(['AK-', 'AR-', 'AK-', 'A--'], 3)).toEqual([1, expect.any(Number), 0]);
    expect(conservation(['A', 'A', 'A', '-'], 1)).toEqual([0.75]);
    expect(conservation('ACDEFGHIKLMNPQRSTVWY'.split(''), 1)?.[0]).toBeCloseTo(0, 10);
  });

  test('lies between 0 and 1', () => {
    const rows = fc.nat({ max: 12 }).chain((length) =>
      fc.array(
        fc.string({
          minLength: length,
          maxLength: length,
          unit: fc.constantFrom(...'ACDWY-X'.split('')),
        }),
        { minLength: 1, maxLength: 8 },
      ),
    );
    fc.assert(
      fc.property(rows, (all) => {
        for (const value of conservation(all, all[0]?.length ?? 0) ?? []) {
          expect(value).toBeGreaterThanOrEqual(0);
          expect(value).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

test('an aggregation-prone stretch has five residues or more, all at or above 1', () => {
  const track = [1, 2, 3, 4, 5, 0.9, 1, 1, 1, 1, null, 9, 9, 9, 9, 9, 9];
  expect(aggregationRegions(track)).toEqual([
    [0, 5],
    [11, 17],
  ]);
});

test('shares and means of a sequence and of a shift file omit missing values', () => {
  const protein = {
    name: 'p',
    residues: 'MKLX',
    tracks: { disoMine: [0.5, 0.51, null, 0.9], backbone: [0.7, 0.9, null, null] },
    scores: {},
  };
  expect(measuresOf({ kind: 'sequence', proteins: [protein] })).toEqual({
    length: 4,
    disordered: 66.7,
    backbone: 0.8,
    earlyFoldingResidues: null,
    aggregationRegions: null,
    phaseSeparation: null,
  });
  const chain = { name: 'c', chain: 'A', residues: 'MKL', numbers: [1, 2, 3] };
  expect(
    measuresOf({ kind: 'shifts', chains: [{ ...chain, shiftCrypt: [-10, 0.2, 0.4] }] }),
  ).toEqual({ residues: 3, measured: 66.7, shiftCryptMean: 0.3 });
});
