/** What the files of a molecule say, for tables and the report. */
import type { BondOrders } from '../../domain/chemistry.ts';

/** One atom of a molecule, as in the topology (GROMACS manual, topology file formats, `[ atoms ]`). */
export interface AtomReading {
  /** In the molecule, `C1`; unique by convention only. */
  readonly name: string;
  /** Symbol, `Cl`. */
  readonly element: string;
  /** Of the force field, `ca`. */
  readonly type: string;
  /** Partial charge, in elementary charges. */
  readonly charge: number;
  /** Atomic mass units. */
  readonly mass: number;
  /** Ångström, as the engine wrote them. */
  readonly position: readonly [x: number, y: number, z: number];
}

/** A parameter that is not in the force field: copied from a similar one, or guessed. */
export interface EstimatedParameter {
  /** The section of `X_AC.frcmod`. */
  readonly term: 'mass' | 'bond' | 'angle' | 'dihedral' | 'improper' | 'nonbonded';
  /** The atom types, `ca-c3-h1`. */
  readonly types: string;
  /** parmchk2's penalty score; null if the line has none. 0 fits well, above 10 should be checked. */
  readonly penalty: number | null;
  /** `ATTN, need revision`: no similar parameter was found. */
  readonly needsRevision: boolean;
  /** The source of the numbers, in parmchk2's words without the penalty: `same as c3-c -n`; '' if there is none. */
  readonly remark: string;
}

export interface MoleculeReading {
  readonly kind: 'molecule';
  /** The molecule's name in its files. */
  readonly name: string;
  /** In Hill order, `C8H10N4O2`. */
  readonly formula: string;
  /** Sum of the atoms' charges in the topology, in elementary charges. */
  readonly charge: number;
  readonly atoms: readonly AtomReading[];
  /** Pairs of indices into `atoms`, from 0. */
  readonly bonds: readonly (readonly [number, number])[];
  /** Derived from atoms, bonds and net charge (bonding.ts), which a topology has; null if none fit. */
  readonly bonding: BondOrders | null;
  readonly estimated: readonly EstimatedParameter[];
}

/** For the report's page: the same values in few bytes. */
export function packMolecule(reading: MoleculeReading) {
  const { formula, charge, atoms, bonds, estimated } = reading;
  return {
    shape: 'structure' as const,
    formula,
    charge,
    estimated,
    // Parallel lists, one entry per atom.
    names: atoms.map(({ name }) => name),
    elements: atoms.map(({ element }) => element),
    types: atoms.map(({ type }) => type),
    // In ten-thousandths of the elementary charge.
    charges: atoms.map((atom) => Math.round(atom.charge * 10_000)),
    // x, y, z of each atom in turn, in hundredths of an ångström.
    places: atoms.flatMap(({ position }) => position.map((along) => Math.round(along * 100))),
    // Pairs of atom indexes from 0, concatenated.
    bonds: bonds.flat(),
  };
}
