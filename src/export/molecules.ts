/** Formats of single molecules: `openmm` (AMBER's files as ACPYPE wrote them), `sdf` and `smi` (with bond orders). */
import type { BondOrders } from '../domain/molecular-graph.ts';
import { hydrogensMissing, isNetCharge } from '../kinds/molecule/bonding.ts';
import { structureIn } from '../kinds/molecule/input.ts';
import { writeMolfile } from '../kinds/molecule/molfile.ts';
import { chemist } from '../kinds/molecule/rdkit.ts';
import type { MoleculeReading } from '../kinds/molecule/reading.ts';
import {
  type Added,
  type BondedMolecule,
  codeBlock,
  type ExportFormat,
  type ExportItem,
  isSynthetic,
  SYNTHETIC,
} from './format.ts';
import { leftOut, type LeftOut, whyLeftOut } from './left-out.ts';

const PRMTOP = '_AC.prmtop';
const INPCRD = '_AC.inpcrd';

/** No serialised `System`: it depends on the version of OpenMM that wrote it. */
export const openmm: ExportFormat = {
  name: 'openmm',
  kinds: ['molecule'],
  content: 'prmtop and inpcrd of each ligand',
  loadedBy: 'OpenMM, ParmEd, AMBER',
  files: [PRMTOP, INPCRD],
  takes: [],
  next: (id) =>
    codeBlock('python', [
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

function addLigand({ id, files, reading }: ExportItem): Added {
  if (reading?.kind !== 'molecule') return leftOut('RESULT_UNREADABLE', { lack: 'no atoms' });
  const missing = hydrogensMissing(reading);
  if (missing !== null) return leftOut('HYDROGENS_MISSING', missing);
  return {
    notes: chargeNotes(files[PRMTOP] ?? '', reading.charge),
    pieces: [
      { file: `ligands/${id}.prmtop`, text: files[PRMTOP] ?? '' },
      { file: `ligands/${id}.inpcrd`, text: files[INPCRD] ?? '' },
    ],
  };
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

/** One SD file (BIOVIA, CTfile formats) with ACPYPE's geometry and partial charges. */
export const sdf: ExportFormat = {
  name: 'sdf',
  kinds: ['molecule'],
  content: 'one SD file: 3D coordinates, the columns of the manifest, atom.dprop.PartialCharge',
  loadedBy: 'RDKit, OpenFF, docking programs',
  files: [],
  takes: ['bonds'],
  next: () =>
    codeBlock('python', [
      'from rdkit import Chem',
      '',
      'for molecule in Chem.SDMolSupplier("molecules.sdf", removeHs=False):',
      '    charges = [atom.GetDoubleProp("PartialCharge") for atom in molecule.GetAtoms()]',
      '    print(molecule.GetProp("_Name"), Chem.GetFormalCharge(molecule), sum(charges))',
    ]),
  start: () => ({ add: addMolecule }),
};

function addMolecule(item: ExportItem): Added {
  const { id, molecule, record } = item;
  if (molecule === null) return leftOut('RESULT_UNREADABLE', { lack: 'no atoms' });
  const { reading, smiles } = molecule;
  const charges = reading.atoms.map(({ charge }) => charge.toFixed(6));
  const properties: Readonly<Record<string, string>> = {
    'atom.dprop.PartialCharge': charges.join(' '),
    net_charge: String(molecule.netCharge),
    formula: reading.formula,
    ...(smiles !== null && { smiles }),
    ...(isSynthetic(item) && { engine: SYNTHETIC }),
  };
  const fields = [...Object.entries(properties), ...Object.entries(record.user)];
  const text = [writeMolfile(id, reading, molecule), ...fields.flatMap(field), '$$$$', ''];
  return { pieces: [{ file: 'molecules.sdf', text: text.join('\n'), goesOn: true }] };
}

/** A data item ends at an empty line, and its name must not contain angle brackets. */
function field([name, value]: readonly [string, string]): string[] {
  const lines = value.split(/\r\n?|\n/).filter((line) => line.trim() !== '');
  return [`>  <${name.replace(/[<>\r\n]/g, '_')}>`, ...lines, ''];
}

/** One line per molecule, `SMILES id`: the user's own, or RDKit's of the bonds that `sdf` has. */
export const smi: ExportFormat = {
  name: 'smi',
  kinds: ['molecule'],
  content: 'one file with one line per molecule: the SMILES and the id',
  loadedBy: 'RDKit, Open Babel',
  files: [],
  takes: ['bonds'],
  next: () =>
    codeBlock('python', [
      'from rdkit import Chem',
      '',
      'for molecule in Chem.SmilesMolSupplier("molecules.smi", delimiter=" ", titleLine=False):',
      '    print(molecule.GetProp("_Name"), Chem.MolToSmiles(molecule))',
    ]),
  start: () => ({ add: addLine }),
};

function addLine(item: ExportItem): Added {
  const { id, molecule } = item;
  if (molecule === null) return leftOut('RESULT_UNREADABLE', { lack: 'no atoms' });
  const { smiles } = molecule;
  if (smiles === null) return leftOut('NO_SMILES', {});
  const mark = isSynthetic(item) ? ` ${SYNTHETIC}` : '';
  return { pieces: [{ file: 'molecules.smi', text: `${smiles} ${id}${mark}\n`, goesOn: true }] };
}
