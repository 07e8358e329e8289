/**
 * Whether a result is the molecule of its input: the same atoms, the same bonds, the same configuration. RDKit searches.
 *
 * Both are compared without bond orders and charges, because a topology has neither. Rejected: to let RDKit perceive the
 * configuration of the result. It ignores a centre between branches that are alike in the result but not in the input,
 * which leaves one of them open; a correct result would be rejected.
 */
import type { MainModule as RdkitModule } from '@rdkit/rdkit';
import type { DescribedMolecule, MolecularGraph, Place } from '../../domain/molecular-graph.ts';
import { foldTwins, matchNodes, withoutHydrogens, type Nodes, type Turns } from './match-atoms.ts';

/** A molecule whose atoms have coordinates. */
export interface PlacedMolecule extends MolecularGraph {
  /** Empty if they are unknown: the configuration is then not compared. */
  readonly places: readonly Place[];
}

export type Difference =
  /** The atoms are bonded differently. */
  | { readonly type: 'bonds' }
  /** The heavy atoms are bonded in the same way, but hydrogens are on other heavy atoms. */
  | { readonly type: 'hydrogens' }
  /** `atom`: index in the result, if it is clear where. */
  | { readonly type: 'centre'; readonly atom: number | null }
  | { readonly type: 'doubleBond' };

/** If none of so many ways to lay one molecule on the other fits, the result passes. */
const MOST_MATCHES = 2_000;
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
    const heavy = [
      foldTwins(withoutHydrogens(input)),
      foldTwins(withoutHydrogens(result)),
    ] as const;
    return { type: matchNodes(rdkit, heavy, 1).length > 0 ? 'hydrogens' : 'bonds' };
  }
  const turns = [readTurns(one, input), measureTurns(other, result.places, 3)] as const;
  const doubleBonds = 'places' in input.stereo ? [] : input.stereo.doubleBonds;
  const matches = matchNodes(rdkit, pair, doubleBonds.length === 0 ? 1 : MOST_MATCHES, turns);
  if (matches.length === 0) return { type: 'centre', atom: findInverted(rdkit, pair, turns) };
  const fits = matches.some((images) =>
    doubleBonds.every(({ atoms, trans }) => {
      const nodes = atoms.map((atom) => images[one.atoms.indexOf(atom)] ?? -1);
      const places = nodes.map((node) => result.places[other.atoms[node] ?? -1]);
      return (isTrans(places) ?? trans) === trans;
    }),
  );
  return fits || matches.length === MOST_MATCHES ? null : { type: 'doubleBond' };
}

/** The atom of the result for each atom of the input, -1 for some hydrogens; null if they are bonded differently. */
export function mapAtoms(
  rdkit: RdkitModule,
  input: MolecularGraph,
  result: MolecularGraph,
): readonly number[] | null {
  const folded = [foldTwins(input), foldTwins(result)] as const;
  const [images] = matchNodes(rdkit, folded, 1);
  if (images === undefined) return null;
  // What is matched gets a label of its own: only the twins are left to match.
  const [own, others] = [[...input.elements], [...result.elements]];
  for (const [node, image] of images.entries()) {
    own[folded[0].atoms[node] ?? -1] = `match ${node}`;
    others[folded[1].atoms[image] ?? -1] = `match ${node}`;
  }
  const one = withoutHydrogens({ ...input, elements: own }, true);
  const other = withoutHydrogens({ ...result, elements: others }, true);
  const mapped = input.elements.map(() => -1);
  for (const [node, image] of matchNodes(rdkit, [one, other], 1)[0]?.entries() ?? []) {
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

/** The first centre that fits in no match, whatever the others are; null if there is none, or if its image is not clear. */
function findInverted(
  rdkit: RdkitModule,
  pair: readonly [Nodes, Nodes],
  [wanted, found]: readonly [Turns, Turns],
): number | null {
  const inverted = wanted.findIndex((turn, node) => {
    const alone = wanted.map((own, at) => (at === node ? own : null));
    return turn !== null && matchNodes(rdkit, pair, 1, [alone, found]).length === 0;
  });
  const matches = matchNodes(rdkit, pair, MOST_MATCHES);
  const [image, ...more] = new Set(matches.map((images) => images[inverted]));
  return image === undefined || more.length > 0 ? null : (pair[1].atoms[image] ?? null);
}

/** Whether the second to last neighbour are clockwise, seen from the first; null if that is not clear. */
function isClockwise(centre: Place, neighbours: readonly Place[]): boolean | null {
  const [first, second, third, fourth] = neighbours.map((place) => unit(minus(place, centre)));
  if (first === undefined || second === undefined || third === undefined) return null;
  const last = fourth ?? [0, 0, 0];
  const volume = dot(minus(second, first), cross(minus(third, first), minus(last, first)));
  if (!(Math.abs(volume) > FLAT[fourth === undefined ? 3 : 4])) return null;
  return volume > 0;
}

/** Whether the ends of a chain of four are on opposite sides of its middle bond; null if that is not clear. */
function isTrans(places: readonly (Place | undefined)[]): boolean | null {
  const [first, second, third, last] = places;
  if (!first || !second || !third || !last) return null;
  const axis = minus(third, second);
  const [one, other] = [cross(minus(first, second), axis), cross(minus(last, third), axis)];
  const cosine = dot(unit(one), unit(other));
  return Math.abs(cosine) > TWISTED ? cosine < 0 : null;
}

function minus(one: Place, other: Place): Place {
  return [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
}

function cross([a, b, c]: Place, [x, y, z]: Place): Place {
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}

function dot(one: Place, other: Place): number {
  return one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
}

function unit(vector: Place): Place {
  const length = Math.hypot(...vector);
  return [vector[0] / length, vector[1] / length, vector[2] / length];
}
