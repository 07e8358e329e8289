/**
 * ACPYPE's `X_GMX.gro` with another box: ACPYPE computes its box in ångström and writes it as nanometres, so it is
 * larger than needed in some directions and too small for a cut-off in others.
 */
import type { MoleculeReading } from '../../results/reading.ts';

/** nm, on each side of the ligand: more than the cut-off of the .mdp files. */
const MARGIN = 1.2;

export function withBox(gro: string, { atoms }: Pick<MoleculeReading, 'atoms'>): string {
  const lines = gro.trimEnd().split(/\r?\n/);
  const extents = [0, 1, 2].map((axis) => {
    const places = atoms.map(({ position }) => position[axis] ?? 0);
    // The reading has ångström.
    return (Math.max(...places) - Math.min(...places)) / 10;
  });
  const edge = (Math.max(...extents) + 2 * MARGIN).toFixed(5).padStart(10);
  return [...lines.slice(0, -1), edge.repeat(3), ''].join('\n');
}
