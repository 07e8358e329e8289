/** Formats of single molecules: `openmm` (AMBER's files as ACPYPE wrote them), `sdf` and `smi` (with bond orders). */
import type { BondOrders } from '../domain/chemistry.ts';
import { findMissingHydrogens, isNetCharge } from '../kinds/molecule/bonding.ts';
import { readStructureText } from '../kinds/molecule/input.ts';
import { writeMolfile } from '../kinds/molecule/formats.ts';
import { chemist } from '../kinds/molecule/rdkit.ts';
import type { MoleculeReading } from '../kinds/molecule/reading.ts';
import {
  type Added,
  formatCodeBlock,
  type ExportFormat,
  type ExportItem,
  LeftOut,
  markSynthetic,
  SYNTHETIC,
  writeOneFile,
} from './format.ts';

const PRMTOP = '_AC.prmtop';
const INPCRD = '_AC.inpcrd';

/** No serialised `System`: it depends on the version of OpenMM that wrote it. */
export const openmm: ExportFormat = {
  name: 'openmm',
  kinds: ['molecule'],
  content: 'prmtop and inpcrd of each ligand',
  loadedBy: 'OpenMM, ParmEd, AMBER',
  files: [PRMTOP, INPCRD],
  next: (id) =>
    formatCodeBlock('python', [
      'from openmm import LangevinMiddleIntegrator, app, unit',
      '',
      `prmtop = app.AmberPrmtopFile("ligands/${id}.prmtop")`,
      `inpcrd = app.AmberInpcrdFile("ligands/${id}.inpcrd")`,
      'system = prmtop.createSystem(nonbondedMethod=app.NoCutoff, constraints=app.HBonds)',
      'integrator = LangevinMiddleIntegrator(300 * unit.kelvin, 1 / unit.picosecond, 0.002)',
      'simulation = app.Simulation(prmtop.topology, system, integrator)',
      'simulation.context.setPositions(inpcrd.positions)',
      'simulation.minimizeEnergy()',
      'print(simulation.context.getState(getEnergy=True).getPotentialEnergy())',
    ]),
  start: () => ({ add: addLigand }),
};

function addLigand(item: ExportItem): Added {
  readLigand(item);
  const { id, files } = item;
  return {
    files: [
      { file: `ligands/${id}.prmtop`, text: files[PRMTOP] ?? '' },
      { file: `ligands/${id}.inpcrd`, text: files[INPCRD] ?? '' },
    ],
  };
}

/** @throws LeftOut if it is not one to simulate */
export function readLigand({ reading }: Pick<ExportItem, 'reading'>): MoleculeReading {
  if (reading?.kind !== 'molecule')
    throw new LeftOut('RESULT_UNREADABLE', 'its result contains no atoms');
  const missing = findMissingHydrogens(reading);
  if (missing === null) return reading;
  const { carbon, sign } = missing;
  throw new LeftOut('HYDROGENS_MISSING', `hydrogens are missing: its carbon ${carbon} has ${sign}`);
}

/** With bond orders and formal charges, which its topology does not have. */
interface BondedMolecule extends BondOrders {
  readonly reading: MoleculeReading;
  /** Sum of the formal charges, which equals the sum of the partial charges. */
  readonly netCharge: number;
  /** With the same bonds: the user's own, or RDKit's canonical one; null if RDKit refuses the molecule. */
  readonly smiles: string | null;
}

/** @throws LeftOut */
export async function assignBonds(
  item: Pick<ExportItem, 'reading' | 'input'>,
): Promise<BondedMolecule> {
  const reading = readLigand(item);
  const netCharge = Math.round(reading.charge) || 0;
  const structure = item.input === null ? null : readStructureText(item.input);
  const own = structure === null ? null : await findOwnBondOrders(structure, reading);
  const bonding = own ?? reading.bonding;
  if (bonding === null) {
    const why = isNetCharge(netCharge, reading.charge)
      ? `no bond orders match its atoms, its bonds and the net charge ${netCharge}`
      : `its partial charges sum to ${reading.charge}, which is not an integer`;
    throw new LeftOut('BOND_ORDERS_UNKNOWN', why);
  }
  const isOwnSmiles = own && structure?.includes('\n') === false;
  const smiles = isOwnSmiles ? structure : await writeSmiles(reading, bonding);
  return { ...bonding, reading, netCharge, smiles };
}

/** Null if the input does not fit the result. */
async function findOwnBondOrders(
  structure: string,
  { atoms, bonds, charge }: MoleculeReading,
): Promise<BondOrders | null> {
  const elements = atoms.map(({ element }) => element);
  const answer = await chemist.transferBonds(structure, { elements, bonds });
  const bonding = answer.type === 'transferred' ? answer.bonding : null;
  if (bonding === null || !isNetCharge(bonding.formalCharge, charge)) return null;
  return { orders: bonding.orders, charges: bonding.charges };
}

async function writeSmiles(reading: MoleculeReading, bonding: BondOrders): Promise<string | null> {
  const drawn = await chemist.draw(writeMolfile('', reading, bonding));
  return drawn.type === 'drawn' ? drawn.smiles : null;
}

/** One SD file (BIOVIA, CTfile formats) with ACPYPE's geometry and partial charges. */
export const sdf: ExportFormat = {
  name: 'sdf',
  kinds: ['molecule'],
  content: 'one SD file: 3D coordinates, the columns of the manifest, atom.dprop.PartialCharge',
  loadedBy: 'RDKit, OpenFF, docking programs',
  next: () =>
    formatCodeBlock('python', [
      'from rdkit import Chem',
      '',
      'for molecule in Chem.SDMolSupplier("molecules.sdf", removeHs=False):',
      '    charges = [atom.GetDoubleProp("PartialCharge") for atom in molecule.GetAtoms()]',
      '    print(molecule.GetProp("_Name"), Chem.GetFormalCharge(molecule), sum(charges))',
    ]),
  start: () => writeOneFile('molecules.sdf', writeRecord),
};

async function writeRecord(item: ExportItem): Promise<string> {
  const { id, record } = item;
  const molecule = await assignBonds(item);
  const { reading, smiles } = molecule;
  const charges = reading.atoms.map(({ charge }) => charge.toFixed(6));
  const properties: Readonly<Record<string, string>> = {
    'atom.dprop.PartialCharge': charges.join(' '),
    net_charge: String(molecule.netCharge),
    formula: reading.formula,
    ...(smiles !== null && { smiles }),
    ...(record.engine === 'synthetic' && { engine: SYNTHETIC }),
  };
  const fields = [...Object.entries(properties), ...Object.entries(record.user)];
  return [writeMolfile(id, reading, molecule), ...fields.flatMap(formatField), '$$$$', ''].join(
    '\n',
  );
}

/** A data item ends at an empty line, and its name must not contain angle brackets. */
function formatField([name, value]: readonly [string, string]): string[] {
  const lines = value.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  return [`>  <${name.replace(/[<>\r\n]/g, '_')}>`, ...lines, ''];
}

/** One line per molecule, `SMILES id`: the user's own, or RDKit's of the bonds that `sdf` has. */
export const smi: ExportFormat = {
  name: 'smi',
  kinds: ['molecule'],
  content: 'one file with one line per molecule: the SMILES and the id',
  loadedBy: 'RDKit, Open Babel',
  next: () =>
    formatCodeBlock('python', [
      'from rdkit import Chem',
      '',
      'for molecule in Chem.SmilesMolSupplier("molecules.smi", delimiter=" ", titleLine=False):',
      '    print(molecule.GetProp("_Name"), Chem.MolToSmiles(molecule))',
    ]),
  start: () => writeOneFile('molecules.smi', writeLine),
};

async function writeLine(item: ExportItem): Promise<string> {
  const { smiles } = await assignBonds(item);
  if (smiles === null)
    throw new LeftOut(
      'NO_SMILES',
      'RDKit refuses the molecule with the bond orders that fit; use sdf',
    );
  const [name = item.id] = markSynthetic(item, item.id);
  return `${smiles} ${name}\n`;
}
