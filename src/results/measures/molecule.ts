/** Measures of a molecule, from its topology, its coordinates and parmchk2's output. */
import type { AtomReading, MoleculeReading } from '../../kinds/reading.ts';
import type { Measure, MeasureValues } from './measure.ts';
import { rotatableBonds } from './rotatable-bonds.ts';

export const MOLECULE_MEASURES: readonly Measure[] = [
  {
    key: 'atoms',
    title: 'Atoms',
    unit: '',
    meaning: 'Number of atoms, with hydrogens.',
    decimals: 0,
    isMain: true,
  },
  {
    key: 'mass',
    title: 'Mass',
    unit: 'Da',
    meaning: 'Sum of the masses of the topology.',
    decimals: 2,
    isMain: true,
  },
  {
    key: 'charge',
    title: 'Charge',
    unit: 'e',
    meaning: 'Sum of the partial charges of the topology.',
    decimals: 3,
    isMain: false,
  },
  {
    key: 'penaltyMax',
    title: 'Largest penalty',
    unit: '',
    meaning:
      'Largest penalty score of a parameter that was estimated; above 10 deserves a look. 0 where every parameter is in the force field.',
    decimals: 1,
    isMain: true,
  },
  {
    key: 'penaltySum',
    title: 'Summed penalty',
    unit: '',
    meaning: 'Sum of the penalty scores of the parameters that were estimated.',
    decimals: 1,
    isMain: false,
  },
  {
    key: 'attn',
    title: 'ATTN',
    unit: '',
    meaning: 'Parameters marked “ATTN, need revision”.',
    decimals: 0,
    isMain: false,
  },
  {
    key: 'rotatable',
    title: 'Rotatable bonds',
    unit: '',
    meaning:
      'Single bonds outside of rings between two atoms that each have another heavy neighbour; without amide bonds and bonds beside a triple bond. By bond orders derived from atoms, bonds and net charge.',
    decimals: 0,
    isMain: true,
  },
  {
    key: 'dipole',
    title: 'Dipole',
    unit: 'D',
    meaning:
      'Dipole moment of the partial charges at the places that the engine wrote; of an ion, about its centre of mass.',
    decimals: 2,
    isMain: true,
  },
];

export function moleculeMeasures(reading: MoleculeReading): MeasureValues {
  const { atoms, charge, estimated } = reading;
  const penalties = estimated.flatMap(({ penalty }) => penalty ?? []);
  return {
    atoms: atoms.length,
    mass: molecularMass(atoms),
    charge,
    penaltyMax: penalties.length > 0 ? Math.max(...penalties) : estimated.length === 0 ? 0 : null,
    penaltySum: penalties.reduce((sum, penalty) => sum + penalty, 0),
    attn: estimated.filter(({ needsRevision }) => needsRevision).length,
    rotatable: rotatableBonds(reading),
    dipole: dipoleMoment(atoms),
  };
}

/** Atomic mass units. */
export function molecularMass(atoms: readonly Pick<AtomReading, 'mass'>[]): number {
  return atoms.reduce((sum, { mass }) => sum + mass, 0);
}

/** One elementary charge times one ångström, in debye (CODATA 2018). */
const DEBYE = 4.803_204_7;

/** In debye. For an ion it depends on the origin, which is the centre of mass. Null if the topology has no masses. */
export function dipoleMoment(
  atoms: readonly Pick<AtomReading, 'mass' | 'charge' | 'position'>[],
): number | null {
  const total = molecularMass(atoms);
  if (!(total > 0)) return null;
  const along = [0, 1, 2].map((axis) => {
    const at = (atom: Pick<AtomReading, 'position'>): number => atom.position[axis] ?? 0;
    const centre = atoms.reduce((sum, atom) => sum + atom.mass * at(atom), 0) / total;
    return atoms.reduce((sum, atom) => sum + atom.charge * (at(atom) - centre), 0);
  });
  return Math.hypot(...along) * DEBYE;
}
