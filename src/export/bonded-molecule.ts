/** A molecule for formats with bond orders and formal charges, which its topology does not have. */
import type { BondOrders } from '../domain/molecular-graph.ts';
import { hydrogensMissing, isNetCharge } from '../kinds/molecule/bonding.ts';
import { structureIn } from '../kinds/molecule/input.ts';
import { writeMolfile } from '../kinds/molecule/molfile.ts';
import { chemist } from '../kinds/molecule/rdkit.ts';
import type { MoleculeReading } from '../kinds/molecule/reading.ts';
import { type LeftOut, whyLeftOut } from './left-out.ts';

export interface BondedMolecule extends BondOrders {
  readonly reading: MoleculeReading;
  /** Sum of the formal charges, which equals the sum of the partial charges. */
  readonly netCharge: number;
  /** With the same bonds: the user's own, or RDKit's canonical one; null if RDKit refuses the molecule. */
  readonly smiles: string | null;
}

/** @param input null if it is unknown */
export async function bondedMolecule(
  reading: MoleculeReading,
  input: { readonly name: string; readonly text: string } | null,
): Promise<BondedMolecule | LeftOut> {
  const missing = hydrogensMissing(reading);
  if (missing !== null) return whyLeftOut('HYDROGENS_MISSING', missing);
  const netCharge = Math.round(reading.charge) || 0;
  const structure = input === null ? null : structureIn(input);
  const own = structure === null ? null : await ownBondOrders(structure, reading);
  const bonding = own ?? reading.bonding;
  if (bonding === null) {
    const isWhole = isNetCharge(netCharge, reading.charge);
    const facts = isWhole ? { netCharge } : { partialCharges: reading.charge };
    return whyLeftOut('BOND_ORDERS_UNKNOWN', facts);
  }
  const isOwnSmiles = own !== null && structure !== null && !structure.includes('\n');
  const smiles = isOwnSmiles ? structure : await smilesOf(reading, bonding);
  return { ...bonding, reading, netCharge, smiles };
}

/** Null if the input does not fit the result. */
async function ownBondOrders(
  structure: string,
  { atoms, bonds, charge }: MoleculeReading,
): Promise<BondOrders | null> {
  const elements = atoms.map(({ element }) => element);
  const answer = await chemist.transferBonds(structure, { elements, bonds });
  const bonding = answer.type === 'transferred' ? answer.bonding : null;
  if (bonding === null || !isNetCharge(bonding.formalCharge, charge)) return null;
  return { orders: bonding.orders, charges: bonding.charges };
}

async function smilesOf(reading: MoleculeReading, bonding: BondOrders): Promise<string | null> {
  const drawn = await chemist.draw(writeMolfile('', reading, bonding));
  return drawn.type === 'drawn' ? drawn.smiles : null;
}
