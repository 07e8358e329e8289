/** A molecule for formats with bond orders and formal charges, which its topology does not have. */
import type { BondOrders } from '../domain/molecular-graph.ts';
import type { Chemist, DrawnGraph } from '../kinds/molecule/chemist.ts';
import { structureIn } from '../kinds/molecule/composition.ts';
import { inputBondOrders, isNetCharge, molfileLines } from '../kinds/molecule/bonded-molecule.ts';
import { hydrogensMissing } from '../kinds/molecule/hydrogens.ts';
import type { MoleculeReading } from '../kinds/reading.ts';
import { whyLeftOut, type LeftOut } from './left-out.ts';

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
  chemist: Chemist,
): Promise<BondedMolecule | LeftOut> {
  const missing = hydrogensMissing(reading);
  if (missing !== null) return whyLeftOut('HYDROGENS_MISSING', missing);
  const netCharge = Math.round(reading.charge) || 0;
  const structure = input === null ? null : structureIn(input);
  const graph = structure === null ? null : await chemist.readGraph(structure);
  const own = graph?.type === 'molecule' ? await ownBondOrders(graph, reading, chemist) : null;
  const bonding = own ?? reading.bonding;
  if (bonding === null) {
    const isWhole = isNetCharge(netCharge, reading.charge);
    const facts = isWhole ? { netCharge } : { partialCharges: reading.charge };
    return whyLeftOut('BOND_ORDERS_UNKNOWN', facts);
  }
  const isOwnSmiles = own !== null && structure !== null && !structure.includes('\n');
  const smiles = isOwnSmiles ? structure : await smilesOf(reading, bonding, chemist);
  return { ...bonding, reading, netCharge, smiles };
}

/** Null if the input does not fit the result. */
async function ownBondOrders(
  input: DrawnGraph,
  { atoms, bonds, charge }: MoleculeReading,
  chemist: Chemist,
): Promise<BondOrders | null> {
  if (!isNetCharge(input.formalCharge, charge)) return null;
  const elements = atoms.map(({ element }) => element);
  const mapped = await chemist.mapAtoms(input, { elements, bonds });
  const images = mapped.type === 'mapped' ? mapped.atoms : null;
  return images && inputBondOrders(input, { atoms, bonds }, images);
}

async function smilesOf(
  reading: MoleculeReading,
  bonding: BondOrders,
  chemist: Chemist,
): Promise<string | null> {
  const drawn = await chemist.draw(molfileLines('', reading, bonding).join('\n'));
  return drawn.type === 'drawn' ? drawn.smiles : null;
}
