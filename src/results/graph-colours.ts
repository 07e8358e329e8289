/**
 * Colour refinement (1-dimensional Weisfeiler-Leman): atoms of the same colour have neighbours of the same colours, in
 * both molecules. No isomorphism maps an atom to one of another colour.
 */
import type { Skeleton } from './skeleton.ts';

export interface Colours {
  readonly one: readonly number[];
  readonly other: readonly number[];
}

/**
 * @param withHydrogens whether atoms with different numbers of hydrogens differ from the start
 * @returns null if the colours prove that no isomorphism exists
 */
export function commonColours(
  one: Skeleton,
  other: Skeleton,
  withHydrogens: boolean,
): Colours | null {
  const label = (skeleton: Skeleton): string[] =>
    skeleton.elements.map((element, node) =>
      withHydrogens ? `${element} ${skeleton.hydrogens[node]?.length ?? 0}` : element,
    );
  let colours = numbered(label(one), label(other));
  for (let count = 0; ; count = colours.count) {
    if (!sameHistogram(colours)) return null;
    if (colours.count === count) return colours;
    colours = numbered(refined(one, colours.one), refined(other, colours.other));
  }
}

function refined({ neighbours }: Skeleton, colours: readonly number[]): string[] {
  return neighbours.map((nodes, node) => {
    const around = nodes.map((neighbour) => colours[neighbour] ?? -1).sort((a, b) => a - b);
    return `${colours[node] ?? -1}:${around.join()}`;
  });
}

function numbered(one: readonly string[], other: readonly string[]) {
  const numbers = new Map<string, number>();
  const numberOf = (label: string): number => {
    const number = numbers.get(label) ?? numbers.size;
    numbers.set(label, number);
    return number;
  };
  const [first, second] = [one.map(numberOf), other.map(numberOf)];
  return { one: first, other: second, count: numbers.size };
}

function sameHistogram({ one, other }: Colours): boolean {
  if (one.length !== other.length) return false;
  const counts = new Map<number, number>();
  for (const colour of one) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  for (const colour of other) {
    const count = counts.get(colour) ?? 0;
    if (count === 0) return false;
    counts.set(colour, count - 1);
  }
  return true;
}
