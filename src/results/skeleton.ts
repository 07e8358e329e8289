/**
 * A molecule as its skeleton: its atoms without hydrogens, but with the number of hydrogens on each. The hydrogens of
 * one atom are equivalent, so leaving them out shortens the search for an isomorphism.
 */
import type { MolecularGraph } from '../domain/molecular-graph.ts';

export interface Skeleton {
  /** Index of the node in the graph's atoms. */
  readonly atoms: readonly number[];
  /** Node of an atom; -1 for a hydrogen that is counted at its neighbour. */
  readonly nodeOf: readonly number[];
  /** Symbol by node. */
  readonly elements: readonly string[];
  /** The counted hydrogens of each node, as indices into the graph's atoms. */
  readonly hydrogens: readonly (readonly number[])[];
  /** Neighbouring nodes of each node. */
  readonly neighbours: readonly (readonly number[])[];
}

export function skeletonOf({ elements, bonds }: MolecularGraph): Skeleton {
  // A set: files may list a bond twice.
  const around = elements.map(() => new Set<number>());
  for (const [one, other] of bonds) {
    if (one === other) continue;
    around[one]?.add(other);
    around[other]?.add(one);
  }
  const bonded = around.map((set) => [...set]);
  const atoms: number[] = [];
  const nodeOf = elements.map((element, atom) => {
    const [only, ...others] = bonded[atom] ?? [];
    const isCounted =
      element === 'H' && only !== undefined && others.length === 0 && elements[only] !== 'H';
    return isCounted ? -1 : atoms.push(atom) - 1;
  });
  const split = atoms.map((atom) => bonded[atom] ?? []);
  return {
    atoms,
    nodeOf,
    elements: atoms.map((atom) => elements[atom] ?? ''),
    hydrogens: split.map((list) => list.filter((atom) => nodeOf[atom] === -1)),
    neighbours: split.map((list) => list.flatMap((atom) => nodesOf(nodeOf[atom]))),
  };
}

function nodesOf(node: number | undefined): number[] {
  return node === undefined || node === -1 ? [] : [node];
}
