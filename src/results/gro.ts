/** The coordinates in `X_GMX.gro` (GROMACS manual, file formats): title, number of atoms, then one line per atom. */
import type { Place } from '../domain/molecular-graph.ts';

/** In atom order, in ångström; the file has nanometres. Null if a line does not have three numbers. */
export function readGro(text: string): readonly Place[] | null {
  const [, number = '', ...lines] = text.split(/\r?\n/);
  const places = lines.slice(0, Number(number) || 0).map((line): Place | null => {
    // Residue, names and number take the first 20 columns; the number of decimals varies.
    const [x, y, z] = line.slice(20).match(/-?\d+\.\d+/g) ?? [];
    return x === undefined || y === undefined || z === undefined
      ? null
      : [10 * Number(x), 10 * Number(y), 10 * Number(z)];
  });
  return places.every((place) => place !== null) ? places : null;
}
