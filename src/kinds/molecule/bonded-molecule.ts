/**
 * The one source of bond orders and formal charges, which a topology does not have, for whatever is drawn, copied or
 * exported: those of the input if its formal charges sum to the net charge of the result, else derived ones. ACPYPE's
 * own mol2 file has only single bonds in acetate and nitrobenzene.
 */
import type { BondOrders, MolecularGraph } from '../../domain/molecular-graph.ts';
import { assignBondOrders } from './bond-orders.ts';
import { hydrogensMissing } from './hydrogens.ts';
import type { AtomReading, MoleculeReading } from '../reading.ts';
import { totalCharge } from './topology.ts';

/** For ACPYPE's rounding errors: six decimals per atom, and sums that are corrected at one atom. */
const CHARGE_TOLERANCE = 0.05;

export function isNetCharge(formalCharge: number, partialCharges: number): boolean {
  return Math.abs(formalCharge - partialCharges) <= CHARGE_TOLERANCE;
}

/** Null if none fit, or if hydrogens are missing: what fits is then another molecule. */
export function deriveBondOrders(
  atoms: readonly AtomReading[],
  bonds: MolecularGraph['bonds'],
): BondOrders | null {
  const charge = totalCharge(atoms);
  const netCharge = Math.round(charge) || 0;
  if (!isNetCharge(netCharge, charge) || hydrogensMissing({ atoms, bonds }) !== null) return null;
  return assignBondOrders({ elements: atoms.map(({ element }) => element), bonds }, netCharge);
}

/** @param images the atom of the result for each atom of the input, as the chemist maps them */
export function inputBondOrders(
  input: MolecularGraph & BondOrders,
  { atoms, bonds }: Pick<MoleculeReading, 'atoms' | 'bonds'>,
  images: readonly number[],
): BondOrders {
  const imageOf = (atom: number): number => images[atom] ?? -1;
  const orders = new Map<string, number>();
  for (const [bond, [one, other]] of input.bonds.entries()) {
    orders.set(pairKey(imageOf(one), imageOf(other)), input.orders[bond] ?? 1);
  }
  const charges = atoms.map(() => 0);
  for (const [atom, formal] of input.charges.entries()) {
    if (formal !== 0) charges[imageOf(atom)] = formal;
  }
  return { orders: bonds.map(([one, other]) => orders.get(pairKey(one, other)) ?? 1), charges };
}

function pairKey(one: number, other: number): string {
  return `${Math.min(one, other)} ${Math.max(one, other)}`;
}

/** An MDL molfile (BIOVIA, CTfile formats, V2000) without its end. At most 999 atoms: the service accepts 200. */
export function molfileLines(
  title: string,
  { atoms, bonds }: Pick<MoleculeReading, 'atoms' | 'bonds'>,
  bonding: BondOrders | null,
): string[] {
  const degrees = atoms.map(() => 0);
  for (const atom of bonds.flat()) degrees[atom] = (degrees[atom] ?? 0) + 1;
  const atomLines = atoms.map(({ element, position }, atom) => {
    const [x, y, z] = position.map((one) => one.toFixed(4).padStart(10));
    // Without bond orders, the valence is what is listed: a reader adds no hydrogens.
    const valence = bonding === null && element !== 'H' ? (degrees[atom] ?? 0) : 0;
    return `${x}${y}${z} ${element.padEnd(3)} 0  0  0  0  0${column(valence)}  0  0  0  0  0  0`;
  });
  const bondLines = bonds.map(([one, other], bond) =>
    [one + 1, other + 1, bonding?.orders[bond] ?? 1, 0].map(column).join(''),
  );
  return [
    title,
    '  hundredf          3D',
    '',
    `${column(atoms.length)}${column(bonds.length)}  0  0  0  0  0  0  0  0999 V2000`,
    ...atomLines,
    ...bondLines,
    ...chargeLines(bonding?.charges ?? []),
    'M  END',
  ];
}

/** Eight charges per line. */
function chargeLines(charges: readonly number[]): string[] {
  const charged = charges.flatMap((charge, atom) => (charge === 0 ? [] : [[atom + 1, charge]]));
  const lines: string[] = [];
  for (let start = 0; start < charged.length; start += 8) {
    const some = charged.slice(start, start + 8);
    const pairs = some.map(([atom, charge]) => ` ${column(atom ?? 0)} ${column(charge ?? 0)}`);
    lines.push(`M  CHG${column(some.length)}${pairs.join('')}`);
  }
  return lines;
}

function column(number: number): string {
  return String(number).padStart(3);
}
