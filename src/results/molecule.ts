/** What is inside the files of a molecule. Pure; null where the files are not whole. */
import { elementOfAtom, hillFormula } from './elements.ts';
import { readFrcmod } from './frcmod.ts';
import type { MoleculeReading } from './reading.ts';
import { readTopology, totalCharge } from './topology.ts';

/** Texts of the files, by the end of their names. */
export interface MoleculeTexts {
  /** `X_GMX.itp` */
  readonly itp: string;
  /** `X_NEW.pdb`: in Ångström and with three decimals, where `X_GMX.gro` has nanometres with three. */
  readonly pdb: string;
  /** `X_AC.frcmod` */
  readonly frcmod: string;
}

export function readMolecule({ itp, pdb, frcmod }: MoleculeTexts): MoleculeReading | null {
  const topology = readTopology(itp);
  const places = readPlaces(pdb);
  if (topology === null || places.length !== topology.atoms.length) return null;
  const atoms = topology.atoms.map((atom, index) => {
    const { symbol = '', position = [0, 0, 0] as const } = places[index] ?? {};
    return { ...atom, element: elementOfAtom(atom.mass, symbol, atom.name), position };
  });
  return {
    kind: 'molecule',
    name: topology.name,
    formula: hillFormula(atoms.map(({ element }) => element)),
    charge: totalCharge(atoms),
    atoms,
    bonds: topology.bonds,
    estimated: readFrcmod(frcmod),
  };
}

interface Place {
  readonly symbol: string;
  readonly position: readonly [number, number, number];
}

/** The atoms of a PDB file, in its order, which is that of the topology. */
function readPlaces(pdb: string): Place[] {
  return pdb.split(/\r?\n/).flatMap((line) => {
    if (!/^(?:ATOM|HETATM)/.test(line)) return [];
    // Not by columns: a long name of an atom or residue moves them.
    const [x, y, z] = line.slice(20).match(/-?\d+\.\d{3}/g) ?? [];
    if (x === undefined || y === undefined || z === undefined) return [];
    const symbol = /[A-Za-z]+\s*$/.exec(line.slice(60))?.[0].trim() ?? '';
    return [{ symbol, position: [Number(x), Number(y), Number(z)] }];
  });
}
