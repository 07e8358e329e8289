/** The coordinates in `X_GMX.gro` (GROMACS manual, file formats): after title and number of atoms a line an atom. */
import type { Place } from '../domain/molecular-graph.ts';

/** In the order of the atoms, in ångström; the file has nanometres. Null where a line does not give three numbers. */
export function readGro(text: string): readonly Place[] | null {
  const [, number = '', ...lines] = text.split(/\r?\n/);
  const places = lines.slice(0, Number(number) || 0).map((line): Place | null => {
    // Residue, names and number take the first 20 columns; how many decimals follow is free.
    const [x, y, z] = line.slice(20).match(/-?\d+\.\d+/g) ?? [];
    return x === undefined || y === undefined || z === undefined
      ? null
      : [10 * Number(x), 10 * Number(y), 10 * Number(z)];
  });
  return places.every((place) => place !== null) ? places : null;
}
