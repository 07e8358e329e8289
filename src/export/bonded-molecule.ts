/** A molecule for formats with bond orders and formal charges, which its topology does not have. */
import type { MoleculeReading } from '../results/reading.ts';
import { assignBondOrders, type BondOrders } from '../results/bond-orders.ts';
import type { LeftOut } from './format.ts';
import { hydrogensMissing } from './hydrogens.ts';

export interface BondedMolecule extends BondOrders {
  readonly reading: MoleculeReading;
  /** Sum of the formal charges, which equals the sum of the partial charges. */
  readonly netCharge: number;
}

/** For ACPYPE's rounding errors: six decimals per atom, and sums that are corrected at one atom. */
const CHARGE_TOLERANCE = 0.05;

export function bondedMolecule(reading: MoleculeReading): BondedMolecule | LeftOut {
  const missing = hydrogensMissing(reading);
  if (missing !== null) return { code: 'HYDROGENS_MISSING', message: missing };
  const netCharge = Math.round(reading.charge) || 0;
  if (Math.abs(reading.charge - netCharge) > CHARGE_TOLERANCE) {
    return unknown(`its partial charges sum to ${reading.charge}, which is not an integer`);
  }
  const elements = reading.atoms.map(({ element }) => element);
  const found = assignBondOrders({ elements, bonds: reading.bonds }, netCharge);
  if (found !== null) return { ...found, reading, netCharge };
  return unknown(`no bond orders match its atoms, its bonds and the net charge ${netCharge}`);
}

function unknown(message: string): LeftOut {
  return { code: 'BOND_ORDERS_UNKNOWN', message };
}
