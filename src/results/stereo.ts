/** The configuration of tetrahedral atoms and double bonds, from coordinates and as conditions on an isomorphism. */
import type {
  DescribedMolecule,
  MolecularGraph,
  Place,
  SpecifiedStereo,
} from '../domain/molecular-graph.ts';
import type { Condition, Mapping } from './isomorphism.ts';
import type { Skeleton } from './skeleton.ts';

/** A molecule whose atoms have coordinates. */
export interface PlacedMolecule extends MolecularGraph {
  readonly places: readonly Place[];
}

/** A centre in the skeleton: the node and its neighbours; `null` is its only hydrogen. */
export interface SkeletonCentre {
  readonly node: number;
  readonly neighbours: readonly (number | null)[];
  readonly clockwise: boolean;
}

/** Minimum volume that three or four unit vectors span: a flat arrangement has no configuration. */
const FLAT = { 3: 0.2, 4: 0.5 } as const;
/** Cosine of a dihedral angle. */
const TWISTED = 0.3;

/**
 * Whether the second to last neighbour are in clockwise order, seen from the first; null if that is not clear. With
 * three neighbours, a lone pair counts as the fourth.
 */
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

/** The centres that the input specifies, without those that have two equal neighbours and so no configuration. */
export function centresOf(
  { stereo, elements }: DescribedMolecule,
  skeleton: Skeleton,
): readonly SkeletonCentre[] {
  const centres =
    'places' in stereo ? centresByPlaces(stereo.places, elements, skeleton) : stereo.centres;
  return centres.flatMap(({ atom, neighbours, clockwise }) => {
    const node = skeleton.nodeOf[atom] ?? -1;
    if (node === -1 || hasTwins(skeleton, node) || neighbours.length < 3) return [];
    const nodes = neighbours.map((neighbour) => nodeOrHydrogen(skeleton, neighbour));
    return [{ node, neighbours: nodes, clockwise }];
  });
}

function centresByPlaces(
  places: readonly Place[],
  elements: readonly string[],
  { atoms, neighbours, hydrogens }: Skeleton,
): SpecifiedStereo['centres'] {
  return atoms.flatMap((atom, node) => {
    const heavy = (neighbours[node] ?? []).map((other) => atoms[other] ?? -1);
    const around = [...heavy, ...(hydrogens[node] ?? [])];
    if (around.length !== 4 || elements[atom] === undefined) return [];
    const clockwise = clockwiseAt(places, atom, around);
    return clockwise === null ? [] : [{ atom, neighbours: around, clockwise }];
  });
}

/** Two hydrogens, or two terminal atoms of the same element with equally many hydrogens. */
function hasTwins({ elements, neighbours, hydrogens }: Skeleton, node: number): boolean {
  if ((hydrogens[node]?.length ?? 0) > 1) return true;
  const ends = (neighbours[node] ?? []).filter((other) => neighbours[other]?.length === 1);
  const labels = ends.map((end) => `${elements[end] ?? ''} ${String(hydrogens[end]?.length ?? 0)}`);
  return new Set(labels).size < labels.length;
}

function nodeOrHydrogen({ nodeOf }: Skeleton, atom: number): number | null {
  const node = nodeOf[atom] ?? -1;
  return node === -1 ? null : node;
}

export function clockwiseAt(
  places: readonly Place[],
  atom: number,
  neighbours: readonly number[],
): boolean | null {
  const centre = places[atom];
  const around = neighbours.flatMap((neighbour) => {
    const place = places[neighbour];
    return place === undefined ? [] : [place];
  });
  return centre && around.length === neighbours.length ? isClockwise(centre, around) : null;
}

/** The image must have the same configuration, if its coordinates define one. */
export function centreCondition(
  { node, neighbours, clockwise }: SkeletonCentre,
  other: Skeleton,
  { places }: PlacedMolecule,
): Condition {
  const nodes = [node, ...neighbours.filter((one) => one !== null)];
  const holds = (mapping: Mapping): boolean => {
    const around = neighbours.map((one) => imageAtom(other, mapping, one, node));
    const centre = imageAtom(other, mapping, node, node);
    return (clockwiseAt(places, centre, around) ?? clockwise) === clockwise;
  };
  return { nodes, holds };
}

export function doubleBondConditions(
  { stereo }: DescribedMolecule,
  skeleton: Skeleton,
  other: Skeleton,
  { places }: PlacedMolecule,
): Condition[] {
  const bonds = 'places' in stereo ? [] : stereo.doubleBonds;
  return bonds.flatMap(({ atoms: [first, second, third, last], trans }) => {
    const [one, two] = [nodeOrHydrogen(skeleton, second), nodeOrHydrogen(skeleton, third)];
    if (one === null || two === null) return [];
    if (hasTwins(skeleton, one) || hasTwins(skeleton, two)) return [];
    const ends = [nodeOrHydrogen(skeleton, first), nodeOrHydrogen(skeleton, last)] as const;
    const nodes = [...ends, one, two].filter((node) => node !== null);
    const holds = (mapping: Mapping): boolean => {
      const image = (node: number | null, beside: number): number =>
        imageAtom(other, mapping, node, beside);
      const chain = [image(ends[0], one), image(one, one), image(two, two), image(ends[1], two)];
      const found = isTrans(chain.map((atom) => places[atom]));
      return (found ?? trans) === trans;
    };
    return [{ nodes, holds }];
  });
}

/** Atom in the other molecule; `null` means the only hydrogen of the node `beside`. */
function imageAtom(other: Skeleton, mapping: Mapping, node: number | null, beside: number): number {
  if (node === null) return other.hydrogens[mapping[beside] ?? -1]?.[0] ?? -1;
  return other.atoms[mapping[node] ?? -1] ?? -1;
}

function minus(one: Place, other: Place): Place {
  return [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
}

function cross(one: Place, other: Place): Place {
  const [a, b, c] = one;
  const [x, y, z] = other;
  return [b * z - c * y, c * x - a * z, a * y - b * x];
}

function dot(one: Place, other: Place): number {
  return one[0] * other[0] + one[1] * other[1] + one[2] * other[2];
}

function unit(vector: Place): Place {
  const length = Math.hypot(...vector);
  return [vector[0] / length, vector[1] / length, vector[2] / length];
}
