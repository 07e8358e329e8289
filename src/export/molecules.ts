/** Formats of single molecules: `openmm` (AMBER's files as ACPYPE wrote them), `sdf` and `smi` (with bond orders). */
import type { BondOrders } from '../domain/chemistry.ts';
import { findMissingHydrogens, isNetCharge } from '../kinds/molecule/bonding.ts';
import { readStructureText } from '../kinds/molecule/input.ts';
import { writeMolfile } from '../kinds/molecule/formats.ts';
import { chemist } from '../kinds/molecule/rdkit.ts';
import type { MoleculeReading } from '../kinds/molecule/reading.ts';
import {
  type Added,
  type BondedMolecule,
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
  const { id, files } = item;
  return {
    notes: chargeNotes(files[PRMTOP] ?? '', readLigand(item).charge),
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

/** AMBER's internal unit of charge, in elementary charges: the square root of its Coulomb constant (prmtop format). */
const AMBER_CHARGE = 18.2223;
/** Elementary charges. Files have six decimals per atom. */
const CHARGE_TOLERANCE = 0.0005;

/** AM1-BCC leaves a few thousandths of a charge, which ACPYPE corrects at one atom, but only in the GROMACS files. */
function chargeNotes(prmtop: string, gromacs: number): string[] {
  const [, section = ''] = prmtop.split(/^%FLAG CHARGE *\n%FORMAT.*\n/m);
  const values = (section.split('%', 1)[0] ?? '').trim().split(/\s+/).map(Number);
  const amber = values.reduce((sum, value) => sum + value, 0) / AMBER_CHARGE;
  if (Math.abs(amber - gromacs) < CHARGE_TOLERANCE) return [];
  const [here, there] = [amber, gromacs].map((charge) => charge.toFixed(4));
  return [
    `its charges sum up to ${here} e here and to ${there} e in the GROMACS files, as ACPYPE wrote them`,
  ];
}

/**
 * @param input null if it is unknown
 * @throws LeftOut
 */
export async function assignBonds(
  given: ExportItem['reading'],
  input: { readonly name: string; readonly text: string } | null,
): Promise<BondedMolecule> {
  const reading = readLigand({ reading: given });
  const netCharge = Math.round(reading.charge) || 0;
  const structure = input === null ? null : readStructureText(input);
  const own = structure === null ? null : await findOwnBondOrders(structure, reading);
  const bonding = own ?? reading.bonding;
  if (bonding === null) {
    const why = isNetCharge(netCharge, reading.charge)
      ? `no bond orders match its atoms, its bonds and the net charge ${netCharge}`
      : `its partial charges sum to ${reading.charge}, which is not an integer`;
    throw new LeftOut('BOND_ORDERS_UNKNOWN', why);
  }
  const isOwnSmiles = own !== null && structure !== null && !structure.includes('\n');
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
  takes: 'bonds',
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

function writeRecord(item: ExportItem): string {
  const { id, record } = item;
  const molecule = readBonded(item);
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

function readBonded({ molecule }: ExportItem): BondedMolecule {
  if (molecule === null) throw new LeftOut('RESULT_UNREADABLE', 'its result contains no atoms');
  return molecule;
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
  takes: 'bonds',
  next: () =>
    formatCodeBlock('python', [
      'from rdkit import Chem',
      '',
      'for molecule in Chem.SmilesMolSupplier("molecules.smi", delimiter=" ", titleLine=False):',
      '    print(molecule.GetProp("_Name"), Chem.MolToSmiles(molecule))',
    ]),
  start: () => writeOneFile('molecules.smi', writeLine),
};

function writeLine(item: ExportItem): string {
  const { smiles } = readBonded(item);
  if (smiles === null)
    throw new LeftOut(
      'NO_SMILES',
      'RDKit refuses the molecule with the bond orders that fit; use sdf',
    );
  const [name = item.id] = markSynthetic(item, item.id);
  return `${smiles} ${name}\n`;
}
