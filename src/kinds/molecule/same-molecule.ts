/**
 * Whether a result is the molecule of its input: the same atoms, the same bonds, the same configuration. RDKit searches.
 *
 * Both are compared without bond orders and charges, because a topology has neither. Rejected: to let RDKit perceive the
 * configuration of the result. It ignores a centre between branches that are alike in the result but not in the input,
 * which leaves one of them open; a correct result would be rejected.
 */
import type { MainModule as RdkitModule } from '@rdkit/rdkit';
import type { DescribedMolecule, MolecularGraph, Place } from '../../domain/chemistry.ts';

/** A molecule whose atoms have coordinates. */
export interface PlacedMolecule extends MolecularGraph {
  /** Empty if they are unknown: the configuration is then not compared. */
  readonly places: readonly Place[];
}

export type Difference =
  /** The atoms are bonded differently. */
  | 'bonds'
  /** The heavy atoms are bonded in the same way, but hydrogens are on other heavy atoms. */
  | 'hydrogens'
  /** The configuration of a tetrahedral atom. */
  | 'centre'
  | 'doubleBond';

/** If none of so many ways to lay one molecule on the other fits, the result passes. */
const MAX_MATCHES = 2_000;
/** Minimum volume that three or four unit vectors span: a flat arrangement has no configuration. */
const FLAT = { 3: 0.2, 4: 0.5 } as const;
/** Cosine of a dihedral angle. */
const TWISTED = 0.3;

/** Null if they agree. Milliseconds; for a molecule that takes longer than the chemist’s time limit, the result passes. */
export function findDifference(
  rdkit: RdkitModule,
  input: DescribedMolecule,
  result: PlacedMolecule,
): Difference | null {
  const pair = [foldTwins(input), foldTwins(result)] as const;
  const [one, other] = pair;
  if (matchNodes(rdkit, pair, 1).length === 0) {
    const heavy = [foldTwins(removeHydrogens(input)), foldTwins(removeHydrogens(result))] as const;
    return matchNodes(rdkit, heavy, 1).length > 0 ? 'hydrogens' : 'bonds';
  }
  const turns = [readTurns(one, input), measureTurns(other, result.places, 3)] as const;
  const doubleBonds = 'places' in input.stereo ? [] : input.stereo.doubleBonds;
  const matches = matchNodes(rdkit, pair, doubleBonds.length === 0 ? 1 : MAX_MATCHES, turns);
  if (matches.length === 0) return 'centre';
  const fits = matches.some((images) =>
    doubleBonds.every(({ atoms, trans }) => {
      const nodes = atoms.map((atom) => images[one.atoms.indexOf(atom)] ?? -1);
      const places = nodes.map((node) => result.places[other.atoms[node] ?? -1]);
      return (isTrans(places) ?? trans) === trans;
    }),
  );
  return fits || matches.length === MAX_MATCHES ? null : 'doubleBond';
}

/** The atom of the result for each atom of the input, -1 for some hydrogens; null if they are bonded differently. */
export function mapAtoms(
  rdkit: RdkitModule,
  input: MolecularGraph,
  result: MolecularGraph,
): readonly number[] | null {
  const [one, other] = [removeHydrogens(input, true), removeHydrogens(result, true)];
  const [images] = matchNodes(rdkit, [one, other], 1);
  if (images === undefined) return null;
  const mapped = input.elements.map(() => -1);
  for (const [node, image] of images.entries()) {
    mapped[one.atoms[node] ?? -1] = other.atoms[image] ?? -1;
  }
  return mapped;
}

/** As the input specifies them: for each centre, or by its coordinates. */
function readTurns(nodes: Nodes, { stereo }: DescribedMolecule): Turns {
  if ('places' in stereo) return measureTurns(nodes, stereo.places, 4);
  const known = new Map(stereo.centres.map(({ atom, clockwise }) => [atom, clockwise]));
  return nodes.atoms.map((atom) => known.get(atom) ?? null);
}

/** @param fewest neighbours of a centre: with three, a lone pair is the fourth */
function measureTurns({ atoms, bonds }: Nodes, places: readonly Place[], fewest: 3 | 4): Turns {
  const around = atoms.map((): (Place | undefined)[] => []);
  for (const [one, other] of bonds) {
    around[one]?.push(places[atoms[other] ?? -1]);
    around[other]?.push(places[atoms[one] ?? -1]);
  }
  return around.map((neighbours, node) => {
    const centre = places[atoms[node] ?? -1];
    const known = neighbours.filter((place) => place !== undefined);
    const { length } = neighbours;
    if (centre === undefined || known.length < length) return null;
    return length < fewest || length > 4 ? null : isClockwise(centre, known);
  });
}

/** Whether the second to last neighbour are clockwise, seen from the first; null if that is not clear. */
function isClockwise(centre: Place, neighbours: readonly Place[]): boolean | null {
  const [first, second, third, fourth] = neighbours.map((place) =>
    normalise(subtractPlaces(place, centre)),
  );
  if (first === undefined || second === undefined || third === undefined) return null;
  const last = fourth ?? [0, 0, 0];
  const volume = computeDot(
    subtractPlaces(second, first),
    computeCross(subtractPlaces(third, first), subtractPlaces(last, first)),
  );
  if (!(Math.abs(volume) > FLAT[fourth === undefined ? 3 : 4])) return null;
  return volume > 0;
}

/** Whether the ends of a chain of four are on opposite sides of its middle bond; null if that is not clear. */
function isTrans(places: readonly (Place | undefined)[]): boolean | null {
  const [first, second, third, last] = places;
  if (!first || !second || !third || !last) return null;
  const axis = subtractPlaces(third, second);
  const [one, other] = [
    computeCross(subtractPlaces(first, second), axis),
    computeCross(subtractPlaces(last, third), axis),
  ];
  const cosine = computeDot(normalise(one), normalise(other));
  return Math.abs(cosine) > TWISTED ? cosine < 0 : null;
}

function subtractPlaces(one: Place, other: Place): Place {
  return [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
}

function computeCross([a, b, c]: Place, [x, y, z]: Place): Place {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}

function computeDot(one: Place, other: Place): number {
  return one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
}

function normalise(vector: Place): Place {
  const length = Math.hypot(...vector);
  return [vector[0] / length, vector[1] / length, vector[2] / length];
}

/** Some atoms of a molecule. */
interface Nodes extends MolecularGraph {
  /** By node: only nodes with the same label match. */
  readonly elements: readonly string[];
  /** By node: its index in the molecule. */
  readonly atoms: readonly number[];
}

/**
 * Without twins: atoms with only one neighbour, the same one, and the same label. These are the hydrogens of a methyl
 * group, then the methyl groups of a tert-butyl group. Exchanging them changes nothing but multiplies the matches, so they
 * become part of their neighbour's label. Their neighbour has no configuration.
 */
function foldTwins(graph: MolecularGraph): Nodes {
  const labels = [...graph.elements];
  const around = listNeighbours(graph);
  const folded = new Set<number>();
  for (;;) {
    const ends = [...labels.keys()].filter((end) => around[end]?.size === 1);
    const groups = Map.groupBy(ends, (end) => `${[...(around[end] ?? [])].join()} ${labels[end]}`);
    const twins = [...groups].filter(([, group]) => group.length > 1);
    if (twins.length === 0) return keepNodes({ ...graph, elements: labels }, folded);
    twins.sort(([one], [other]) => (one < other ? -1 : 1));
    for (const [key, group] of twins) {
      const parent = Number.parseInt(key, 10);
      labels[parent] = `${labels[parent] ?? ''}(${group.length}${key.slice(key.indexOf(' '))})`;
      for (const end of group) {
        around[parent]?.delete(end);
        around[end]?.clear();
        folded.add(end);
      }
    }
  }
}

/**
 * Without the hydrogens that are bonded to one atom of another element.
 * @param counted whether the labels have their number
 */
function removeHydrogens(graph: MolecularGraph, counted = false): Nodes {
  const { elements } = graph;
  const labels = [...elements];
  const dropped = new Set<number>();
  for (const [atom, around] of listNeighbours(graph).entries()) {
    const [only = -1, ...more] = around;
    if (elements[atom] !== 'H' || more.length > 0 || (elements[only] ?? 'H') === 'H') continue;
    dropped.add(atom);
    if (counted) labels[only] = `${labels[only] ?? ''}H`;
  }
  return keepNodes({ ...graph, elements: labels }, dropped);
}

function listNeighbours({ elements, bonds }: MolecularGraph): Set<number>[] {
  const around = elements.map(() => new Set<number>());
  for (const [one, other] of bonds) {
    if (one === other) continue;
    around[one]?.add(other);
    around[other]?.add(one);
  }
  return around;
}

/** Bonds stay in their order, to which a configuration refers; each once, because files may list one twice. */
function keepNodes({ elements, bonds }: MolecularGraph, without: ReadonlySet<number>): Nodes {
  const atoms = [...elements.keys()].filter((atom) => !without.has(atom));
  const nodeOf = new Map(atoms.map((atom, node) => [atom, node]));
  const pairs = new Map<string, readonly [number, number]>();
  for (const [one, other] of bonds) {
    const [first, second] = [nodeOf.get(one), nodeOf.get(other)];
    if (first === undefined || second === undefined || first === second) continue;
    const key = `${Math.min(first, second)} ${Math.max(first, second)}`;
    if (!pairs.has(key)) pairs.set(key, [first, second]);
  }
  return {
    elements: atoms.map((atom) => elements[atom] ?? ''),
    bonds: [...pairs.values()],
    atoms,
  };
}

/**
 * The configuration by node: whether its neighbours, in the order of the bonds, are clockwise seen from the first; null
 * if that is open.
 */
type Turns = readonly (boolean | null)[];

const AS_GIVEN = '{"sanitize":false,"removeHs":false,"assignStereo":false}';

/**
 * Ways to lay all nodes of one molecule on those of the other: by node of the first, the node of the second.
 * @param most at most as many are returned
 * @param turns if given, the configuration matches too; what is open in one of the two matches anything
 */
function matchNodes(
  rdkit: RdkitModule,
  [one, other]: readonly [Nodes, Nodes],
  most: number,
  turns?: readonly [Turns, Turns],
): readonly (readonly number[])[] {
  const [labels, others] = [one, other].map(({ elements }) => [...elements].sort().join());
  if (labels !== others || one.bonds.length !== other.bonds.length) return [];
  const numbers = new Map([...new Set(one.elements)].map((label, index) => [label, index + 1]));
  const query = rdkit.get_mol(writeJson(one, numbers, turns?.[0]), AS_GIVEN);
  const target = rdkit.get_mol(writeJson(other, numbers, turns?.[1]), AS_GIVEN);
  try {
    if (query === null || target === null) throw new Error('RDKit does not read its own format');
    const options = {
      useChirality: turns !== undefined,
      specifiedStereoQueryMatchesUnspecified: true,
      uniquify: false,
      maxMatches: most,
    };
    const json = target.get_substruct_matches(query, JSON.stringify(options));
    // An empty object if there is none.
    const found = JSON.parse(json === '{}' ? '[]' : json) as { readonly atoms: number[] }[];
    return found.map(({ atoms }) => atoms);
  } finally {
    query?.delete();
    target?.delete();
  }
}

/** RDKit's JSON (CommonChem with RDKit's extensions). A label is an isotope of carbon: it matches no other. */
function writeJson(
  { elements, bonds }: Nodes,
  numbers: ReadonlyMap<string, number>,
  turns: Turns = [],
): string {
  const atoms = elements.map((label, node) => {
    const clockwise = turns[node] ?? null;
    const stereo = clockwise === null ? 'unspecified' : clockwise ? 'cw' : 'ccw';
    return { z: 6, isotope: numbers.get(label) ?? 0, impHs: 0, chg: 0, nRad: 0, stereo };
  });
  const joined = bonds.map((pair) => ({ atoms: pair, bo: 1, stereo: 'unspecified' }));
  return JSON.stringify({ rdkitjson: { version: 11 }, molecules: [{ atoms, bonds: joined }] });
}
