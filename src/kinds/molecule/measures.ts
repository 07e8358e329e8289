/** Measures of a molecule, from its topology, its coordinates and parmchk2's output. */
import type { AtomReading, MoleculeReading } from '../reading.ts';
import type { Measure } from '../kind.ts';
import { rotatableBonds } from './rotatable-bonds.ts';

export const MOLECULE_MEASURES = {
  atoms: {
    title: 'Atoms',
    unit: '',
    meaning: 'Number of atoms, with hydrogens.',
    decimals: 0,
    isMain: true,
    of: ({ atoms }) => atoms.length,
  },
  mass: {
    title: 'Mass',
    unit: 'Da',
    meaning: 'Sum of the masses of the topology.',
    decimals: 2,
    isMain: true,
    of: ({ atoms }) => molecularMass(atoms),
  },
  charge: {
    title: 'Charge',
    unit: 'e',
    meaning: 'Sum of the partial charges of the topology.',
    decimals: 3,
    isMain: false,
    of: ({ charge }) => charge,
  },
  penaltyMax: {
    title: 'Largest penalty',
    unit: '',
    meaning:
      'Largest penalty score of a parameter that was estimated; above 10 deserves a look. 0 where every parameter is in the force field.',
    decimals: 1,
    isMain: true,
    of: maxPenalty,
  },
  penaltySum: {
    title: 'Summed penalty',
    unit: '',
    meaning: 'Sum of the penalty scores of the parameters that were estimated.',
    decimals: 1,
    isMain: false,
    of: ({ estimated }) => penaltiesIn(estimated).reduce((sum, penalty) => sum + penalty, 0),
  },
  attn: {
    title: 'ATTN',
    unit: '',
    meaning: 'Parameters marked “ATTN, need revision”.',
    decimals: 0,
    isMain: false,
    of: ({ estimated }) => estimated.filter(({ needsRevision }) => needsRevision).length,
  },
  rotatable: {
    title: 'Rotatable bonds',
    unit: '',
    meaning:
      'Single bonds outside of rings between two atoms that each have another heavy neighbour; without amide bonds and bonds beside a triple bond. By bond orders derived from atoms, bonds and net charge.',
    decimals: 0,
    isMain: true,
    of: rotatableBonds,
  },
  dipole: {
    title: 'Dipole',
    unit: 'D',
    meaning:
      'Dipole moment of the partial charges at the places that the engine wrote; of an ion, about its centre of mass.',
    decimals: 2,
    isMain: true,
    of: ({ atoms }) => dipoleMoment(atoms),
  },
} as const satisfies Readonly<Record<string, Measure<MoleculeReading>>>;

function maxPenalty({ estimated }: MoleculeReading): number | null {
  const penalties = penaltiesIn(estimated);
  return penalties.length > 0 ? Math.max(...penalties) : estimated.length === 0 ? 0 : null;
}

function penaltiesIn(estimated: MoleculeReading['estimated']): number[] {
  return estimated.flatMap(({ penalty }) => penalty ?? []);
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
