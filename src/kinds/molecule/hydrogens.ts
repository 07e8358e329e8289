/**
 * Detects a ligand whose carbons lack hydrogens: the engine accepts it silently (benzene without hydrogens becomes six
 * carbons with good parameters for another molecule), so it must not be simulated.
 */
import { distanceOf, type Place } from '../../domain/molecular-graph.ts';
import type { MoleculeReading } from '../reading.ts';

/** Degrees. A carbon with two neighbours is sp and linear, or lacks a hydrogen. */
const STRAIGHT_FROM = 150;
/** Ångström. A carbon with one neighbour has a triple bond (1.16 to 1.20), or lacks hydrogens. */
const TRIPLE_UP_TO = 1.26;

interface BareCarbon {
  readonly carbon: string;
  readonly sign: string;
}

/** The first such carbon; null if no carbon lacks hydrogens. */
export function hydrogensMissing({
  atoms,
  bonds,
}: Pick<MoleculeReading, 'atoms' | 'bonds'>): BareCarbon | null {
  const neighbours = atoms.map((): number[] => []);
  for (const [one, other] of bonds) {
    neighbours[one]?.push(other);
    neighbours[other]?.push(one);
  }
  const place = (index: number | undefined): Place => atoms[index ?? -1]?.position ?? [0, 0, 0];
  for (const [index, { element, name }] of atoms.entries()) {
    const [first, second, ...more] = neighbours[index] ?? [];
    if (element !== 'C' || more.length > 0) continue;
    if (second === undefined) {
      const length = first === undefined ? Infinity : distanceOf(place(index), place(first));
      if (length > TRIPLE_UP_TO) {
        return { carbon: name, sign: 'one neighbour and no triple bond' };
      }
    } else if (angle(place(first), place(index), place(second)) < STRAIGHT_FROM) {
      return { carbon: name, sign: 'two neighbours and is bent' };
    }
  }
  return null;
}

/** In degrees, at the middle atom. */
function angle(one: Place, middle: Place, other: Place): number {
  const [a, b, c] = [distanceOf(one, middle), distanceOf(other, middle), distanceOf(one, other)];
  return (Math.acos((a * a + b * b - c * c) / (2 * a * b)) * 180) / Math.PI;
}
