/** Maps one molecule's skeleton onto another's, atom by atom, by backtracking search. */
import type { Colours } from './graph-colours.ts';
import type { Skeleton } from './skeleton.ts';

/** Node of the other skeleton by node of the first; -1 if not mapped yet. */
export type Mapping = readonly number[];

/** `unknown`: the search was too long. */
type Search = 'found' | 'none' | 'unknown';

/** A condition on the images of some nodes. */
export interface Condition {
  readonly nodes: readonly number[];
  /** Called when all of `nodes` are mapped. */
  readonly holds: (mapping: Mapping) => boolean;
}

/** Molecules need about one step per atom; only failing conditions in a very symmetric one take more. */
const MOST_STEPS = 200_000;

export function searchIsomorphism(
  one: Skeleton,
  other: Skeleton,
  colours: Colours,
  conditions: readonly Condition[] = [],
): Search {
  if (one.atoms.length !== other.atoms.length) return 'none';
  const order = orderOf(one, colours.one);
  const due = dueConditions(order, conditions);
  const mapping = new Array<number>(order.length).fill(-1);
  const used = new Array<boolean>(order.length).fill(false);
  let steps = 0;

  const extend = (place: number): Search => {
    const node = order[place];
    if (node === undefined) return 'found';
    const tried = new Set<number>();
    for (const image of candidates(node)) {
      steps += 1;
      if (steps > MOST_STEPS) return 'unknown';
      // Only one of several equal chain ends has to be tried: CF3, SO2, tert-butyl.
      const only = (other.neighbours[image]?.length ?? 0) === 1;
      const twin = only ? (other.neighbours[image]?.[0] ?? -1) : -1;
      if (twin !== -1 && tried.has(twin)) continue;
      tried.add(twin);
      mapping[node] = image;
      used[image] = true;
      if (due[place]?.every(({ holds }) => holds(mapping)) ?? true) {
        const result = extend(place + 1);
        if (result !== 'none') return result;
      }
      used[image] = false;
      mapping[node] = -1;
    }
    return 'none';
  };

  const candidates = (node: number): number[] => {
    const placed = (one.neighbours[node] ?? []).filter((neighbour) => mapping[neighbour] !== -1);
    const [parent] = placed;
    const from = parent === undefined ? other.atoms.keys() : imageNeighbours(parent);
    return [...from].filter(
      (image) =>
        used[image] === false &&
        colours.other[image] === colours.one[node] &&
        placed.every((neighbour) => imageNeighbours(neighbour).includes(image)),
    );
  };
  const imageNeighbours = (node: number): readonly number[] =>
    other.neighbours[mapping[node] ?? -1] ?? [];

  return extend(0);
}

/** From an atom of the rarest colour outwards, so that each atom except the first has an earlier neighbour. */
function orderOf({ neighbours }: Skeleton, colours: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const rarity = (node: number): number => counts.get(colours[node] ?? -1) ?? 0;
  const byRarity = [...neighbours.keys()].sort((a, b) => rarity(a) - rarity(b));
  const order: number[] = [];
  const seen = new Set<number>();
  for (const root of byRarity) {
    const queue = [root];
    for (const node of queue) {
      if (seen.has(node)) continue;
      seen.add(node);
      order.push(node);
      queue.push(...(neighbours[node] ?? []));
    }
  }
  return order;
}

/** The conditions by the position in the order at which the last of their nodes is mapped. */
function dueConditions(order: readonly number[], conditions: readonly Condition[]): Condition[][] {
  const placeOf = new Map(order.map((node, place) => [node, place]));
  const due: Condition[][] = order.map(() => []);
  for (const condition of conditions) {
    const last = Math.max(...condition.nodes.map((node) => placeOf.get(node) ?? 0));
    due[last]?.push(condition);
  }
  return due;
}
