/**
 * Perceives bonds from distances, for files with atoms but without bonds (PDB), as the engine does. Only if each
 * distance is clearly a bond or clearly not: with a wrong bond, a correct result would be rejected.
 */
import type { Atom, Bond } from './structure.ts';
import { distanceOf } from '../../domain/molecular-graph.ts';

/** Covalent radii in ångström (Cordero et al. 2008, doi:10.1039/b801115j), of the elements that the service accepts. */
const RADII: Readonly<Record<string, number>> = {
  H: 0.31,
  C: 0.76,
  N: 0.71,
  O: 0.66,
  F: 0.57,
  P: 1.07,
  S: 1.05,
  Cl: 1.02,
  Br: 1.2,
  I: 1.39,
};

/**
 * Relative to the sum of the radii. The bonds of small molecules reach about 1.1; the diagonal of cyclobutane is 1.4.
 */
const BONDED = 1.18;
const APART = 1.33;

const MOST_BONDS: Readonly<Record<string, number>> = {
  H: 1,
  C: 4,
  N: 4,
  O: 3,
  F: 1,
  P: 5,
  S: 6,
  Cl: 4,
  Br: 1,
  I: 1,
};

/** Null if the distances are ambiguous, or give an atom too many bonds. */
export function perceiveBonds(atoms: readonly Atom[]): readonly Bond[] | null {
  const bonds: Bond[] = [];
  const counts = atoms.map(() => 0);
  for (const [one, atom] of atoms.entries()) {
    for (let other = one + 1; other < atoms.length; other += 1) {
      const ratio = relativeDistance(atom, atoms[other]);
      if (ratio >= APART) continue;
      if (!(ratio <= BONDED)) return null;
      bonds.push([one, other]);
      counts[one] = (counts[one] ?? 0) + 1;
      counts[other] = (counts[other] ?? 0) + 1;
    }
  }
  const isLikely = atoms.every(({ element }, atom) => {
    const count = counts[atom] ?? 0;
    return count > 0 && count <= (MOST_BONDS[element] ?? 0);
  });
  return isLikely ? bonds : null;
}

/** NaN for an element of unknown radius. */
function relativeDistance(one: Atom, other: Atom | undefined): number {
  if (other === undefined) return Number.NaN;
  const radii = (RADII[one.element] ?? Number.NaN) + (RADII[other.element] ?? Number.NaN);
  return distanceOf(one.place, other.place) / radii;
}
