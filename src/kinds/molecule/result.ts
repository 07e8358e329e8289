/** Reads the files of a molecule. Pure; null if the files are incomplete. */
import { deriveBondOrders } from './bonding.ts';
import { readPdb } from './coordinates.ts';
import { elementOfAtom, hillFormula } from './element.ts';
import { readFrcmod } from './frcmod.ts';
import type { MoleculeReading } from '../reading.ts';
import { readTopology, totalCharge } from './topology.ts';

/** Texts of the files, by file name ending. */
export interface MoleculeTexts {
  /** `X_GMX.itp` */
  readonly itp: string;
  /** `X_NEW.pdb`: in ångström and with three decimals, while `X_GMX.gro` has nanometres with three. */
  readonly pdb: string;
  /** `X_AC.frcmod` */
  readonly frcmod: string;
}

export function readMolecule({ itp, pdb, frcmod }: MoleculeTexts): MoleculeReading | null {
  const topology = readTopology(itp);
  const { places, symbols } = readPdb(pdb);
  if (topology === null || places.length !== topology.atoms.length) return null;
  const atoms = topology.atoms.map((atom, index) => {
    const element = elementOfAtom(atom.mass, symbols[index] ?? '', atom.name);
    return { ...atom, element, position: places[index] ?? ([0, 0, 0] as const) };
  });
  return {
    kind: 'molecule',
    name: topology.name,
    formula: hillFormula(atoms.map(({ element }) => element)),
    charge: totalCharge(atoms),
    atoms,
    bonds: topology.bonds,
    bonding: deriveBondOrders({ atoms, bonds: topology.bonds }),
    estimated: readFrcmod(frcmod),
  };
}
