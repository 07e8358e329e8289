/** `posre_X.itp`, which is not among the service's files: restrains every heavy atom, as ACPYPE does. */
import type { Topology } from '../../results/topology.ts';

/** kJ/(mol nm²), in each direction. */
const FORCE = 1000;
/** u: lighter atoms are hydrogens. */
const HEAVY_FROM = 2;

export function positionRestraints({ atoms }: Topology): string {
  const held = atoms.flatMap(({ mass }, index) => (mass < HEAVY_FROM ? [] : [index + 1]));
  return [
    '; Heavy atoms of the ligand, held with define = -DPOSRES_LIG.',
    '[ position_restraints ]',
    '; atom  type      fx      fy      fz',
    ...held.map((atom) => `${String(atom).padStart(6)}     1    ${FORCE}    ${FORCE}    ${FORCE}`),
    '',
  ].join('\n');
}
