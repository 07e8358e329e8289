/**
 * Reads the graph of a molecule from RDKit's JSON (CommonChem with RDKit's extensions).
 *
 * The tag of a tetrahedral atom refers to its bonds in list order; an implicit hydrogen comes last.
 */
import type {
  BondOrders,
  Centre,
  MolecularGraph,
  SpecifiedStereo,
} from '../../domain/molecular-graph.ts';
import { elementOfNumber } from './element.ts';

interface JsonAtom {
  readonly z?: number;
  readonly impHs?: number;
  readonly chg?: number;
  readonly isotope?: number;
  readonly stereo?: string;
}

interface JsonBond {
  readonly atoms: readonly [number, number];
  readonly bo?: number;
  readonly stereo?: string;
  readonly stereoAtoms?: readonly [number, number];
}

interface JsonMolecule {
  readonly atoms: readonly JsonAtom[];
  readonly bonds?: readonly JsonBond[];
  readonly stereoGroups?: readonly { readonly type: string }[];
}

interface ReadGraph extends MolecularGraph, BondOrders {
  readonly stereo: SpecifiedStereo;
  /** In units of the elementary charge. */
  readonly formalCharge: number;
}

const UNSPECIFIED: SpecifiedStereo = { centres: [], doubleBonds: [] };

/**
 * @param json of `JSMol.get_json`, for one molecule
 * @param implicit whether implicit hydrogens are atoms: those of a SMILES are, those missing from a file with
 * coordinates are not
 */
export function readGraph(json: string, implicit: boolean): ReadGraph {
  const [molecule] = (JSON.parse(json) as { readonly molecules: readonly JsonMolecule[] })
    .molecules;
  const { atoms = [], bonds: listed = [], stereoGroups = [] } = molecule ?? {};
  const elements = atoms.map(({ z }) => elementOfNumber(z ?? 6));
  const bonds: [number, number][] = listed.map(({ atoms: [one, other] }) => [one, other]);
  if (implicit) {
    for (const [atom, { impHs = 0 }] of atoms.entries()) {
      for (let count = 0; count < impHs; count += 1) bonds.push([atom, elements.push('H') - 1]);
    }
  }
  // A topology has no isotopes, and a racemate may be either mirror image.
  const isVague =
    atoms.some(({ isotope }) => (isotope ?? 0) > 0) ||
    stereoGroups.some(({ type }) => type !== 'abs');
  const charges = elements.map((_, atom) => atoms[atom]?.chg ?? 0);
  const formalCharge = charges.reduce((sum, charge) => sum + charge, 0);
  // RDKit writes aromatic bonds as single and double ones.
  const orders = bonds.map((_, bond) => listed[bond]?.bo ?? 1);
  const stereo = isVague
    ? UNSPECIFIED
    : { centres: centresOf(atoms), doubleBonds: doubleBondsOf(listed) };
  return { elements, bonds, orders, charges, stereo, formalCharge };
}

function centresOf(atoms: readonly JsonAtom[]): Centre[] {
  return atoms.flatMap(({ stereo }, atom) =>
    stereo === 'cw' || stereo === 'ccw' ? [{ atom, clockwise: stereo === 'cw' }] : [],
  );
}

function doubleBondsOf(bonds: readonly JsonBond[]): SpecifiedStereo['doubleBonds'] {
  return bonds.flatMap(({ atoms: [second, third], stereo, stereoAtoms }) => {
    if ((stereo !== 'cis' && stereo !== 'trans') || stereoAtoms === undefined) return [];
    const [first, last] = stereoAtoms;
    return [{ atoms: [first, second, third, last] as const, trans: stereo === 'trans' }];
  });
}
