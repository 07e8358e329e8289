/** Rotatable bonds, counted as usual for drug-like molecules. */
import type { MoleculeReading } from '../reading.ts';

type Structure = Pick<MoleculeReading, 'bonds' | 'bonding'> & {
  readonly atoms: readonly { readonly element: string }[];
};

interface Neighbour {
  readonly atom: number;
  readonly bond: number;
}

/**
 * Single bonds outside of rings between two atoms that each have another heavy neighbour. Bonds next to a triple bond
 * rotate nothing, and amide bonds hardly rotate: neither is counted. Null if the bond orders are unknown.
 */
export function rotatableBonds({ atoms, bonds, bonding }: Structure): number | null {
  if (bonding === null) return null;
  const { orders } = bonding;
  const isHeavy = (atom: number): boolean => atoms[atom]?.element !== 'H';
  const around = atoms.map((): Neighbour[] => []);
  for (const [bond, [one, other]] of bonds.entries()) {
    if (!isHeavy(one) || !isHeavy(other)) continue;
    around[one]?.push({ atom: other, bond });
    around[other]?.push({ atom: one, bond });
  }
  const neighbours = (atom: number): readonly Neighbour[] => around[atom] ?? [];
  const orderAt = (atom: number, order: number): boolean =>
    neighbours(atom).some(({ bond }) => orders[bond] === order);
  const isCarbonyl = (atom: number): boolean =>
    atoms[atom]?.element === 'C' &&
    neighbours(atom).some(
      ({ atom: next, bond }) =>
        orders[bond] === 2 && ['O', 'S'].includes(atoms[next]?.element ?? ''),
    );
  const isAmide = (one: number, other: number): boolean =>
    (isCarbonyl(one) && atoms[other]?.element === 'N') ||
    (isCarbonyl(other) && atoms[one]?.element === 'N');
  return bonds.filter(([one, other], bond) => {
    if (orders[bond] !== 1 || !isHeavy(one) || !isHeavy(other)) return false;
    if (neighbours(one).length < 2 || neighbours(other).length < 2) return false;
    if (orderAt(one, 3) || orderAt(other, 3) || isAmide(one, other)) return false;
    return !isInRing(one, other, neighbours);
  }).length;
}

/** Whether there is a path between the two atoms other than their bond. */
function isInRing(
  one: number,
  other: number,
  neighbours: (atom: number) => readonly Neighbour[],
): boolean {
  const seen = new Set([one]);
  const open = neighbours(one).flatMap(({ atom }) => (atom === other ? [] : [atom]));
  for (let atom = open.pop(); atom !== undefined; atom = open.pop()) {
    if (atom === other) return true;
    if (seen.has(atom)) continue;
    seen.add(atom);
    open.push(...neighbours(atom).map((next) => next.atom));
  }
  return false;
}
