/** Which tracks are drawn in one chart. */
import type { Line } from './line.ts';

/** Fractions for the same residues, best read together. */
const SECONDARY = ['helix', 'sheet', 'coil'];

/** Helix, sheet and coil in one chart, at the position of the first; every other track alone. */
export function together(all: readonly Line[]): readonly (readonly Line[])[] {
  const secondary = all.filter(({ key }) => SECONDARY.includes(key));
  return all.flatMap((line) => {
    if (!secondary.includes(line)) return [[line]];
    return line === secondary[0] ? [secondary] : [];
  });
}
