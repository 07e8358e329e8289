/** The inputs of the kind `molecule`: a SMILES, or a file with coordinates. */
import type { MoleculeOptions } from '../../domain/item.ts';
import type { Chemist, MolfileFacts } from './chemist.ts';
import { finding, type InputFinding, type FindingCode } from '../finding.ts';
import { readMol2 } from './mol2.ts';
import { connectionTable, readMolfile } from './molfile.ts';
import { readPdb } from './pdb.ts';
import type { Reading } from '../finding.ts';
import { checkSmiles } from './smiles.ts';
import { ATOM_LIMIT, checkInputAtoms, type Structure } from './structure.ts';

export const MOLECULE_EXTENSIONS = ['.pdb', '.mol2', '.sdf', '.mdl', '.mol'] as const;
export type MoleculeExtension = (typeof MOLECULE_EXTENSIONS)[number];

const READERS: Readonly<Record<MoleculeExtension, (text: string) => Structure>> = {
  '.pdb': readPdb,
  '.mol2': readMol2,
  '.sdf': readMolfile,
  '.mdl': readMolfile,
  '.mol': readMolfile,
};

/** The text is sent unchanged except for trimming. */
export async function readSmilesInput(
  text: string,
  options: MoleculeOptions,
  chemist: Chemist,
): Promise<Reading> {
  const { canonical, findings } = await checkSmiles(text, options, chemist);
  return { findings, input: { name: 'input.smi', text }, canonical: canonical ?? text };
}

export async function readStructureInput(
  text: string,
  extension: MoleculeExtension,
  options: MoleculeOptions,
  chemist: Chemist,
): Promise<Reading> {
  const structure = READERS[extension](text);
  const table = READERS[extension] === readMolfile ? connectionTable(text) : null;
  const ofAtoms = await checkStructure(structure, table, options.netCharge, chemist);
  const findings = withoutEcho([...structure.findings, ...ofAtoms]);
  const canonical = extension + text.replace(/\r\n?/g, '\n').trimEnd();
  return { findings, input: { name: `input${extension}`, text }, canonical };
}

async function checkStructure(
  structure: Structure,
  table: string | null,
  netCharge: number | null,
  chemist: Chemist,
): Promise<readonly InputFinding[]> {
  const { atoms, bonds } = structure;
  if (atoms.length === 0) return [];
  // Only in MDL files are bond orders and charges unambiguous.
  const isRead = table !== null && bonds !== null && atoms.length <= ATOM_LIMIT;
  const drawn = isRead ? await chemist.readMolfile(table) : null;
  if (drawn?.type !== 'molecule') return checkInputAtoms(structure, netCharge);
  const { missing, formalCharge } = drawn;
  const isWhole = missing.onCarbon + missing.elsewhere === 0;
  const findings = checkInputAtoms(structure, netCharge ?? (isWhole ? formalCharge : null));
  return [...findings.filter(({ code }) => !GUESSED.has(code)), ...checkBonds(drawn, netCharge)];
}

/** Errors in the atoms usually make the electron count odd too: that is reported only if it is the only finding. */
function withoutEcho(findings: readonly InputFinding[]): readonly InputFinding[] {
  const others = findings.filter(({ code }) => code !== 'MOLECULE_CHARGE_UNSAID');
  return others.length > 0 ? others : findings;
}

/** Findings guessed from the elements alone, and certain with the bonds. */
const GUESSED: ReadonlySet<FindingCode> = new Set<FindingCode>([
  'MOLECULE_NO_HYDROGENS',
  'MOLECULE_HYDROGENS_DOUBTFUL',
]);

function checkBonds(
  { formalCharge, missing }: MolfileFacts,
  netCharge: number | null,
): InputFinding[] {
  const { onCarbon, elsewhere } = missing;
  if (onCarbon > 0)
    return [finding('MOLECULE_HYDROGENS_MISSING', { missing: onCarbon + elsewhere })];
  if (netCharge === null) {
    return elsewhere > 0 ? [finding('MOLECULE_VALENCES_OPEN', { open: elsewhere })] : [];
  }
  // An open valence at oxygen or nitrogen is an ion if the net charge agrees.
  if (netCharge === formalCharge - elsewhere) return [];
  return netCharge === formalCharge
    ? [finding('MOLECULE_HYDROGENS_MISSING', { missing: elsewhere })]
    : [finding('MOLECULE_CHARGE_DIFFERS', { formal: formalCharge, given: netCharge })];
}
