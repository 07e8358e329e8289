/**
 * The bonds of aromatic six-membered rings, as marked in mol2 files. Five-membered rings stay as single and double
 * bonds: programs make them aromatic themselves, and do not agree on their atom types.
 */
import type { BondedMolecule } from './bonded-molecule.ts';

const SIZE = 6;

/** Indices into the molecule's bonds. */
export function aromaticBonds({
  reading,
  orders,
}: Pick<BondedMolecule, 'reading' | 'orders'>): ReadonlySet<number> {
  const { atoms, bonds } = reading;
  const around = atoms.map((): [atom: number, bond: number][] => []);
  for (const [bond, [one, other]] of bonds.entries()) {
    around[one]?.push([other, bond]);
    around[other]?.push([one, bond]);
  }
  /** The double bond of an atom; undefined if it has none or two. */
  const doubleOf = around.map((list) => {
    const double = list.filter(([, bond]) => orders[bond] === 2).map(([, bond]) => bond);
    return double.length === 1 ? double[0] : undefined;
  });
  const open = new Set(sixRings(around));
  const aromatic = new Set<number>();
  for (let before = -1; before !== open.size;) {
    before = open.size;
    for (const ring of open) {
      // A double bond may also belong to a fused aromatic ring: naphthalene.
      const isAromatic = ring.atoms.every((atom) => {
        const double = doubleOf[atom];
        return double !== undefined && (ring.bonds.has(double) || aromatic.has(double));
      });
      if (!isAromatic) continue;
      open.delete(ring);
      for (const bond of ring.bonds) aromatic.add(bond);
    }
  }
  return aromatic;
}

interface Ring {
  readonly atoms: readonly number[];
  readonly bonds: ReadonlySet<number>;
}

/** Each once: from its lowest atom, in the direction of the lower of its two neighbours. */
function sixRings(around: readonly (readonly (readonly [number, number])[])[]): Ring[] {
  const rings: Ring[] = [];
  const walk = (atoms: readonly number[], bonds: readonly number[]): void => {
    const [first = -1] = atoms;
    for (const [next, bond] of around[atoms.at(-1) ?? -1] ?? []) {
      const isClosing =
        next === first && atoms.length === SIZE && (atoms[1] ?? 0) < (atoms[5] ?? 0);
      if (isClosing) rings.push({ atoms, bonds: new Set([...bonds, bond]) });
      if (atoms.length < SIZE && next > first && !atoms.includes(next)) {
        walk([...atoms, next], [...bonds, bond]);
      }
    }
  };
  for (const atom of around.keys()) walk([atom], []);
  return rings;
}
