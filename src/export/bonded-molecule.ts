/** A molecule for formats with bond orders and formal charges, which its topology does not have. */
import type { MoleculeReading } from '../results/reading.ts';
import { assignBondOrders, type BondOrders } from '../results/bond-orders.ts';
import { hydrogensMissing } from './hydrogens.ts';
import { whyLeftOut, type LeftOut } from './left-out.ts';

export interface BondedMolecule extends BondOrders {
  readonly reading: MoleculeReading;
  /** Sum of the formal charges, which equals the sum of the partial charges. */
  readonly netCharge: number;
}

/** For ACPYPE's rounding errors: six decimals per atom, and sums that are corrected at one atom. */
const CHARGE_TOLERANCE = 0.05;

export function bondedMolecule(reading: MoleculeReading): BondedMolecule | LeftOut {
  const missing = hydrogensMissing(reading);
  if (missing !== null) return whyLeftOut('HYDROGENS_MISSING', missing);
  const netCharge = Math.round(reading.charge) || 0;
  if (Math.abs(reading.charge - netCharge) > CHARGE_TOLERANCE) {
    return whyLeftOut('BOND_ORDERS_UNKNOWN', { partialCharges: reading.charge });
  }
  const elements = reading.atoms.map(({ element }) => element);
  const found = assignBondOrders({ elements, bonds: reading.bonds }, netCharge);
  if (found !== null) return { ...found, reading, netCharge };
  return whyLeftOut('BOND_ORDERS_UNKNOWN', { netCharge });
}
