/**
 * Whether two descriptions are of one molecule: the same atoms, the same bonds, the same configuration.
 *
 * Rejected: RDKit for the result as well. A topology has no bond orders, and stereocentres perceived in a graph of
 * single bonds are not those of the molecule.
 */
import type { DescribedMolecule } from '../domain/molecular-graph.ts';
import { commonColours, type Colours } from './graph-colours.ts';
import { searchIsomorphism } from './isomorphism.ts';
import { skeletonOf, type Skeleton } from './skeleton.ts';
import {
  centreCondition,
  centresOf,
  clockwiseAt,
  doubleBondConditions,
  type PlacedMolecule,
  type SkeletonCentre,
} from './stereo.ts';

export type Difference =
  /** The atoms are bonded differently. */
  | { readonly type: 'bonds' }
  /** The heavy atoms are bonded in the same way, but hydrogens are on other heavy atoms. */
  | { readonly type: 'hydrogens' }
  /** `atom`: index in the result, if only one is wrong. */
  | { readonly type: 'centre'; readonly atom: number | null }
  | { readonly type: 'doubleBond' };

/**
 * Null if they agree, or if a very symmetric molecule makes the comparison too long. Bond orders and charges are not
 * compared: a topology has none.
 */
export function differenceOf(input: DescribedMolecule, result: PlacedMolecule): Difference | null {
  const [one, other] = [skeletonOf(input), skeletonOf(result)];
  const colours = commonColours(one, other, true);
  if (colours === null || searchIsomorphism(one, other, colours) === 'none') {
    const bare = commonColours(one, other, false);
    const isTautomer = bare !== null && searchIsomorphism(one, other, bare) === 'found';
    return { type: isTautomer ? 'hydrogens' : 'bonds' };
  }
  return stereoDifference(input, result, { one, other, colours });
}

interface Matched {
  readonly one: Skeleton;
  readonly other: Skeleton;
  readonly colours: Colours;
}

function stereoDifference(
  input: DescribedMolecule,
  result: PlacedMolecule,
  matched: Matched,
): Difference | null {
  const { one, other, colours } = matched;
  const centres = centresOf(input, one);
  const inverted = invertedCentre(centres, result, matched);
  if (inverted !== null) return inverted;
  const ofCentres = centres.map((centre) => centreCondition(centre, other, result));
  const ofDoubleBonds = doubleBondConditions(input, one, other, result);
  if (searchIsomorphism(one, other, colours, [...ofCentres, ...ofDoubleBonds]) !== 'none') {
    return null;
  }
  const centresAgree = searchIsomorphism(one, other, colours, ofCentres) !== 'none';
  return centresAgree ? { type: 'doubleBond' } : { type: 'centre', atom: null };
}

/** How many centres of one colour have which configuration, by the colour order of their neighbours. */
interface CentreCounts {
  clockwise: number;
  anticlockwise: number;
  unclear: number;
}

/**
 * If the neighbours of a centre have different colours, its configuration does not depend on the mapping: counting is
 * enough, even if the rest of the molecule is very symmetric. Necessary, not sufficient: ring isomers need the search.
 */
function invertedCentre(
  centres: readonly SkeletonCentre[],
  result: PlacedMolecule,
  { other, colours }: Matched,
): Difference | null {
  const wanted = new Map<number, CentreCounts>();
  for (const { node, neighbours, clockwise } of centres) {
    const order = neighbours.map((neighbour) => colourOf(colours.one, neighbour));
    if (new Set(order).size < order.length) continue;
    count(wanted, colours.one[node] ?? -1, isEven(order) ? clockwise : !clockwise);
  }
  const found = new Map<number, CentreCounts>();
  for (const [node, colour] of colours.other.entries()) {
    if (!wanted.has(colour)) continue;
    count(found, colour, configurationByColour(node, result, other, colours.other));
  }
  for (const [colour, { clockwise, anticlockwise }] of wanted) {
    const { clockwise: right = 0, anticlockwise: left = 0, unclear = 0 } = found.get(colour) ?? {};
    if (clockwise <= right + unclear && anticlockwise <= left + unclear) continue;
    const nodes = [...colours.other.keys()].filter((node) => colours.other[node] === colour);
    const [only, ...more] = nodes;
    const atom = only !== undefined && more.length === 0 ? (other.atoms[only] ?? null) : null;
    return { type: 'centre', atom };
  }
  return null;
}

function configurationByColour(
  node: number,
  { places }: PlacedMolecule,
  { atoms, neighbours, hydrogens }: Skeleton,
  colours: readonly number[],
): boolean | null {
  const around = [
    ...(neighbours[node] ?? []).map((other) => [colourOf(colours, other), atoms[other] ?? -1]),
    ...(hydrogens[node] ?? []).map((atom) => [colourOf(colours, null), atom]),
  ].sort(([a = 0], [b = 0]) => a - b);
  return clockwiseAt(
    places,
    atoms[node] ?? -1,
    around.map(([, atom = -1]) => atom),
  );
}

/** `null` is a hydrogen: sorted first. */
function colourOf(colours: readonly number[], node: number | null): number {
  return node === null ? -1 : (colours[node] ?? -2);
}

function count(
  tallies: Map<number, CentreCounts>,
  colour: number,
  clockwise: boolean | null,
): void {
  const tally = tallies.get(colour) ?? { clockwise: 0, anticlockwise: 0, unclear: 0 };
  if (clockwise === null) tally.unclear += 1;
  else tally[clockwise ? 'clockwise' : 'anticlockwise'] += 1;
  tallies.set(colour, tally);
}

function isEven(order: readonly number[]): boolean {
  let inversions = 0;
  for (const [place, one] of order.entries()) {
    inversions += order.slice(place + 1).filter((other) => other < one).length;
  }
  return inversions % 2 === 0;
}
