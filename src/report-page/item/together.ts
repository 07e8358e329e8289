/** Which tracks are drawn in one chart. */
import type { Line } from './line.ts';

/** They are shares of the same residues: one is read against the other. */
const SECONDARY = ['helix', 'sheet', 'coil'];

/** Helix, sheet and coil in one, where the first of them stands; every other one alone. */
export function together(all: readonly Line[]): readonly (readonly Line[])[] {
  const secondary = all.filter(({ key }) => SECONDARY.includes(key));
  return all.flatMap((line) => {
    if (!secondary.includes(line)) return [[line]];
    return line === secondary[0] ? [secondary] : [];
  });
}
