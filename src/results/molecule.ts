/** Reads the files of a molecule. Pure; null if the files are incomplete. */
import { elementOfAtom, hillFormula } from './elements.ts';
import { readFrcmod } from './frcmod.ts';
import type { MoleculeReading } from './reading.ts';
import { readTopology, totalCharge } from './topology.ts';

/** Texts of the files, by file name ending. */
export interface MoleculeTexts {
  /** `X_GMX.itp` */
  readonly itp: string;
  /** `X_NEW.pdb`: in ångström and with three decimals, while `X_GMX.gro` has nanometres with three. */
  readonly pdb: string;
  /** `X_AC.frcmod` */
  readonly frcmod: string;
  /** `X_bcc_gaff2.mol2`, the only file with bond orders; without it they are unknown. */
  readonly mol2?: string | null | undefined;
}

export function readMolecule({
  itp,
  pdb,
  frcmod,
  mol2 = null,
}: MoleculeTexts): MoleculeReading | null {
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
    orders: mol2 === null ? null : readOrders(mol2, topology.bonds),
    estimated: readFrcmod(frcmod),
  };
}

/** By atom pair; null if the file does not have all of them. */
function readOrders(mol2: string, bonds: MoleculeReading['bonds']): readonly string[] | null {
  const [, rest = ''] = mol2.split(/^@<TRIPOS>BOND\s*$/m);
  const [lines = ''] = rest.split(/^@/m);
  const orders = new Map(
    lines.split('\n').flatMap((line): [string, string][] => {
      const [, one, other, order] = line.trim().split(/\s+/);
      return order === undefined ? [] : [[pairKey(Number(one) - 1, Number(other) - 1), order]];
    }),
  );
  const found = bonds.map(([one, other]) => orders.get(pairKey(one, other)));
  return found.every((order) => order !== undefined) ? found : null;
}

function pairKey(one: number, other: number): string {
  return `${Math.min(one, other)} ${Math.max(one, other)}`;
}

interface Place {
  readonly symbol: string;
  readonly position: readonly [number, number, number];
}

/** The atoms of a PDB file, in file order, which is that of the topology. */
function readPlaces(pdb: string): Place[] {
  return pdb.split(/\r?\n/).flatMap((line) => {
    if (!/^(?:ATOM|HETATM)/.test(line)) return [];
    // Not by columns: a long atom or residue name shifts them.
    const [x, y, z] = line.slice(20).match(/-?\d+\.\d{3}/g) ?? [];
    if (x === undefined || y === undefined || z === undefined) return [];
    const symbol = /[A-Za-z]+\s*$/.exec(line.slice(60))?.[0].trim() ?? '';
    return [{ symbol, position: [Number(x), Number(y), Number(z)] }];
  });
}
