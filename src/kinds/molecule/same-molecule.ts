/**
 * Whether a result is the molecule of its input: the same atoms, the same bonds, the same configuration. RDKit searches.
 *
 * A topology has neither bond orders nor charges. The atoms are matched without them; then the result gets those of the input,
 * and RDKit reads its configuration from its coordinates.
 */
import type { MainModule as RdkitModule, Mol } from '@rdkit/rdkit';
import type { BondOrders, MolecularGraph, Place } from '../../domain/chemistry.ts';
import { writeMolfile } from './formats.ts';

/** A molecule whose atoms have coordinates. */
export interface PlacedMolecule extends MolecularGraph {
  /** Empty if they are unknown: the configuration is then not compared. */
  readonly places: readonly Place[];
}

/** A molecule as its input describes it. */
export interface InputMolecule extends MolecularGraph {
  /** Null if the format does not have them. */
  readonly bonding: BondOrders | null;
  /** A SMILES or a connection table that specifies the configuration; null if there is none to compare. */
  readonly configuration: string | null;
}

export type Difference =
  /** The atoms are bonded differently. */
  | 'bonds'
  /** The heavy atoms are bonded in the same way, but hydrogens are on other heavy atoms. */
  | 'hydrogens'
  /** The configuration of a tetrahedral atom or a double bond. */
  | 'configuration';

/** If none of so many ways to lay one molecule on the other fits, the result passes. */
const MAX_MATCHES = 2_000;
/** As atoms, those of each methyl group would multiply the ways. */
const WITHOUT_HYDROGENS = '{"removeHs":true}';

/** Null if they agree. Milliseconds; for a molecule that takes longer than the chemist’s time limit, the result passes. */
export function findDifference(
  rdkit: RdkitModule,
  input: InputMolecule,
  result: PlacedMolecule,
): Difference | null {
  const first = mapAtoms(rdkit, input, result);
  if (first.length === 0) {
    const heavy = [removeHydrogens(input, false), removeHydrogens(result, false)] as const;
    return matchNodes(rdkit, heavy, 1).length > 0 ? 'hydrogens' : 'bonds';
  }
  if (input.configuration === null || result.places.length === 0) return null;
  const query = rdkit.get_mol(input.configuration, WITHOUT_HYDROGENS);
  try {
    // Mostly the first way fits.
    for (const listWays of [() => first, () => mapAtoms(rdkit, input, result, MAX_MATCHES)]) {
      const ways = listWays();
      if (query === null || ways.length === MAX_MATCHES) return null;
      const tables = new Set(ways.map((images) => writeResult(images, input, result)));
      if ([...tables].some((table) => hasConfiguration(rdkit, table, query))) return null;
    }
    return 'configuration';
  } finally {
    query?.delete();
  }
}

function hasConfiguration(rdkit: RdkitModule, table: string, query: Mol): boolean {
  const placed = rdkit.get_mol(table, WITHOUT_HYDROGENS);
  const options = { useChirality: true, specifiedStereoQueryMatchesUnspecified: true };
  const match = placed?.get_substruct_match(query, JSON.stringify(options));
  placed?.delete();
  return match !== '{}';
}

/** A connection table with the bonds of the input, at the places of the result. */
function writeResult(images: Images, input: InputMolecule, { places, ...result }: PlacedMolecule) {
  const atoms = result.elements.map((element, atom) => ({
    element,
    position: places[atom] ?? ([0, 0, 0] as const),
  }));
  return writeMolfile('', { atoms, bonds: result.bonds }, mapBonds(images, input, result));
}

/** The bond orders and formal charges of the input for the bonds of the result. */
export function mapBonds(
  images: Images,
  { bonds, bonding }: InputMolecule,
  result: MolecularGraph,
): BondOrders | null {
  if (bonding === null) return null;
  const orders = new Map<string, number>();
  for (const [bond, ends] of bonds.entries()) {
    const [first, second] = ends.map((atom) => images[atom] ?? -1);
    const order = bonding.orders[bond] ?? 1;
    orders.set(`${first} ${second}`, order).set(`${second} ${first}`, order);
  }
  const charges = result.elements.map(() => 0);
  for (const [atom, charge] of bonding.charges.entries()) {
    if (charge !== 0) charges[images[atom] ?? -1] = charge;
  }
  return {
    orders: result.bonds.map(([one, other]) => orders.get(`${one} ${other}`) ?? 1),
    charges,
  };
}

/** The atom of the result for each atom of the input, -1 for some hydrogens. */
type Images = readonly number[];

/**
 * Ways to lay the input on the result; none if their atoms are bonded differently.
 * @param most at most as many are returned
 */
export function mapAtoms(
  rdkit: RdkitModule,
  input: MolecularGraph,
  result: MolecularGraph,
  most = 1,
): readonly Images[] {
  const [one, other] = [removeHydrogens(input, true), removeHydrogens(result, true)];
  return matchNodes(rdkit, [one, other], most).map((nodes) => {
    const images = input.elements.map(() => -1);
    for (const [node, image] of nodes.entries()) {
      images[one.atoms[node] ?? -1] = other.atoms[image] ?? -1;
    }
    return images;
  });
}

/** Some atoms of a molecule. */
interface Nodes extends MolecularGraph {
  /** By node: only nodes with the same label match. */
  readonly elements: readonly string[];
  /** By node: its index in the molecule. */
  readonly atoms: readonly number[];
}

/**
 * Without the hydrogens that are bonded to one atom of another element.
 * @param counted whether the labels have their number
 */
function removeHydrogens({ elements, bonds }: MolecularGraph, counted: boolean): Nodes {
  const around = elements.map(() => new Set<number>());
  for (const [one, other] of bonds) {
    around[one]?.add(other);
    around[other]?.add(one);
  }
  const labels = [...elements];
  const nodes = new Map<number, number>();
  for (const [atom, near] of around.entries()) {
    const [only = -1, ...more] = near;
    const isKept = elements[atom] !== 'H' || more.length > 0 || (elements[only] ?? 'H') === 'H';
    if (isKept) nodes.set(atom, nodes.size);
    else if (counted) labels[only] = `${labels[only] ?? ''}H`;
  }
  const atoms = [...nodes.keys()];
  // Each pair once, because files may list one twice.
  const pairs = atoms.flatMap((atom, node) =>
    [...(around[atom] ?? [])].flatMap((near) => {
      const other = nodes.get(near) ?? -1;
      return other > node ? [[node, other] as const] : [];
    }),
  );
  return { elements: atoms.map((atom) => labels[atom] ?? ''), bonds: pairs, atoms };
}

const AS_GIVEN = '{"sanitize":false,"removeHs":false,"assignStereo":false}';

/** Ways to lay all nodes of one molecule on those of the other: by node of the first, the node of the second. */
function matchNodes(
  rdkit: RdkitModule,
  [one, other]: readonly [Nodes, Nodes],
  most: number,
): readonly Images[] {
  const [labels, others] = [one, other].map(({ elements }) => [...elements].sort().join());
  if (labels !== others || one.bonds.length !== other.bonds.length) return [];
  const numbers = new Map([...new Set(one.elements)].map((label, index) => [label, index + 1]));
  const query = rdkit.get_mol(writeJson(one, numbers), AS_GIVEN);
  const target = rdkit.get_mol(writeJson(other, numbers), AS_GIVEN);
  try {
    if (query === null || target === null) throw new Error('RDKit does not read its own format');
    const options = JSON.stringify({ uniquify: false, maxMatches: most });
    const json = target.get_substruct_matches(query, options);
    // An empty object if there is none.
    const found = JSON.parse(json === '{}' ? '[]' : json) as { readonly atoms: number[] }[];
    return found.map(({ atoms }) => atoms);
  } finally {
    query?.delete();
    target?.delete();
  }
}

/** RDKit's JSON (CommonChem with RDKit's extensions). A label is an isotope of carbon: it matches no other. */
function writeJson({ elements, bonds }: Nodes, numbers: ReadonlyMap<string, number>): string {
  const stereo = 'unspecified';
  const atoms = elements.map((label) => {
    return { z: 6, isotope: numbers.get(label) ?? 0, impHs: 0, chg: 0, nRad: 0, stereo };
  });
  const joined = bonds.map((pair) => ({ atoms: pair, bo: 1, stereo }));
  return JSON.stringify({ rdkitjson: { version: 11 }, molecules: [{ atoms, bonds: joined }] });
}
