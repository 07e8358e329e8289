/** What can be wrong with the input of a molecule: code → severity, what is wrong, what to do. */
import { formatShown } from '../../domain/plain-text.ts';
import { error, warning } from '../../domain/problem.ts';
import { createFindings } from '../kind.ts';

const APART = 'Remove counter-ions and solvent. Submit each part as a row of its own.';
const EITHER = 'Correct one of the two, or leave `net_charge` empty.';

export interface Charges {
  readonly formal: number;
  readonly given: number;
}

export interface SmilesFault {
  /** Counted from 1; null if RDKit gives none. */
  readonly position: number | null;
  readonly reason: string;
}

function locateNetCharge({ given }: Charges) {
  return { column: 'net_charge', value: String(given) };
}

function formatPosition({ position }: SmilesFault): string {
  return position === null ? '' : ` (character ${String(position)})`;
}

function describeMissing(hydrogens: number): string {
  return `According to the bonds, ${String(hydrogens)} hydrogen${hydrogens === 1 ? ' is' : 's are'} missing`;
}

export const MOLECULE_PROBLEMS = {
  MOLECULE_NO_ATOMS: error(
    ({ format }: { format: string }) => `No atoms were found when reading the file as ${format}.`,
    'Check that the content matches the extension; it may be a saved error page.',
  ),
  MOLECULE_MALFORMED: error(
    ({ format, line, reason }: { format: string; line: number; reason: string }) =>
      `Line ${String(line)} is not valid ${format}: ${reason}.`,
    'Export the file again with the program that made it; it may be truncated.',
  ),
  MOLECULE_TOO_MANY_ATOMS: error(
    ({ atoms, limit }: { atoms: number; limit: number }) =>
      `The molecule has ${String(atoms)} atoms; the service accepts files of up to ${String(limit)}, including hydrogens.`,
    'Submit a fragment, or parameterise the molecule in parts.',
  ),
  MOLECULE_NO_HYDROGENS: error(
    ({ atoms }: { atoms: number }) => `None of the ${String(atoms)} atoms is a hydrogen.`,
    'Add the hydrogens (obabel -h, or the program that made the file), or give the molecule as SMILES.',
  ),
  MOLECULE_HYDROGENS_DOUBTFUL: warning(
    ({ atoms }: { atoms: number }) => `None of the ${String(atoms)} atoms is a hydrogen.`,
    'Add the hydrogens, unless the molecule has none, like CCl4.',
  ),
  MOLECULE_SEVERAL: error(
    ({ what, count }: { what: string; count: number }) =>
      `The file contains ${String(count)} ${what}.`,
    'Keep one of them, or give each its own file and row.',
  ),
  MOLECULE_SEVERAL_RESIDUES: error(
    ({ residues }: { residues: readonly string[] }) =>
      `The file contains ${String(residues.length)} residues: ${formatShown(residues.slice(0, 5).join(', '))}${residues.length > 5 ? ', …' : ''}.`,
    'Keep only the residue of the molecule; remove waters and ions.',
  ),
  MOLECULE_ELEMENT_UNSUPPORTED: error(
    ({ elements }: { elements: readonly string[] }) =>
      `The force fields have no parameters for ${elements.join(', ')}; the job would fail, or guess them.`,
    'Supported elements are H, C, N, O, S, P, F, Cl, Br and I. Remove the row.',
  ),
  MOLECULE_SINGLE_ATOM: error(
    'The molecule is a single atom; the engine needs a bond.',
    'Take the parameters of ions and noble gases from the force field itself.',
  ),
  MOLECULE_ATOMS_TOO_CLOSE: error(
    ({ first, second, distance }: { first: number; second: number; distance: number }) =>
      `Atoms ${String(first)} and ${String(second)} are ${distance.toFixed(2)} Å apart; the engine stops below 0.5 Å.`,
    'Look for a duplicate atom, or a molecule without 3D coordinates.',
  ),
  MOLECULE_ATOM_FAR: error(
    ({ atom, distance }: { atom: number; distance: number }) =>
      `Atom ${String(atom)} is ${distance.toFixed(2)} Å from the nearest other; the engine stops above 3 Å.`,
    'Remove ions and stray atoms; coordinates must be in ångström.',
  ),
  MOLECULE_SEVERAL_COMPONENTS: error(
    ({ components }: { components: number }) =>
      `The molecule has ${String(components)} parts that are not bonded to each other; the job would fail, or put them into one topology.`,
    APART,
  ),
  MOLECULE_HYDROGENS_MISSING: error(
    (facts: { missing: number }) => `${describeMissing(facts.missing)}.`,
    'Add the hydrogens, or correct the bond orders.',
  ),
  MOLECULE_VALENCES_OPEN: warning(
    ({ open }: { open: number }) =>
      `${describeMissing(open)}, none of them from carbon: it may be an ion.`,
    'Add the hydrogens, or set `net_charge` if it is an ion.',
  ),
  MOLECULE_ELECTRONS_ODD: error(
    ({ electrons, charge }: { electrons: number; charge: number }) =>
      `With a charge of ${String(charge)}, the molecule has an odd number of electrons (${String(electrons)}): the charge is wrong, a hydrogen is missing, or it is a radical.`,
    'Correct `net_charge` or the hydrogens. The engine does not support radicals.',
  ),
  MOLECULE_CHARGE_UNSAID: warning(
    'Without a charge, the molecule would have an odd number of electrons; the engine will guess the charge.',
    'Set `net_charge` if it is an ion; otherwise look for a missing hydrogen.',
  ),
  MOLECULE_CHARGE_DIFFERS: error(
    ({ formal, given }: Charges) =>
      `According to its bonds and formal charges, the molecule has a charge of ${String(formal)}, but \`net_charge\` is ${String(given)}.`,
    EITHER,
    locateNetCharge,
  ),
  SMILES_OTHER_NOTATION: error(
    ({ notation }: { notation: string; convertible: boolean }) =>
      `This is ${notation}, not a SMILES.`,
    ({ convertible }) =>
      convertible
        ? 'Convert it, for example with Open Babel (obabel -iinchi FILE -osmi), and write the SMILES.'
        : 'Look it up, for example in PubChem, and write the SMILES that you find there.',
  ),
  SMILES_STEREO_UNDEFINED: warning(
    ({ count }: { count: number }) =>
      `${count === 1 ? 'A stereocentre has' : `${String(count)} stereocentres have`} no configuration; the engine chooses one.`,
    'Write it (`@` or `@@`) if you know it; each stereoisomer is a molecule of its own.',
  ),
  SMILES_SYNTAX: error(
    (fault: SmilesFault) =>
      `This is not a valid SMILES: ${formatShown(fault.reason)}${formatPosition(fault)}.`,
    'Write only the SMILES of one molecule.',
  ),
  SMILES_CHEMISTRY: error(
    (fault: SmilesFault) =>
      `This SMILES describes an impossible molecule: ${fault.reason}${formatPosition(fault)}.`,
    'Check bonds, charges and hydrogens of that atom; drawing it helps.',
  ),
  SMILES_UNANSWERED: error(
    ({ reason }: { reason: string }) => `This SMILES could not be checked: ${reason}.`,
    'Check it in a drawing program; if it is correct, please report it.',
  ),
  SMILES_SEVERAL_COMPONENTS: error(
    ({ components }: { components: number }) =>
      `The SMILES has ${String(components)} components; the job would fail, or put them into one topology.`,
    `${APART} \`plan --fixes fixed.csv\` writes the table with the largest part, for review.`,
  ),
  SMILES_WILDCARD: error(
    'The SMILES has a wildcard atom `*`.',
    'Replace it with a real atom, for example a methyl cap.',
  ),
  SMILES_RADICAL: error(
    ({ radicals }: { radicals: number }) =>
      `${radicals === 1 ? 'An atom has' : `${String(radicals)} atoms have`} unpaired electrons; the engine supports only closed shells.`,
    'Write the hydrogens or the charge of each atom in brackets, as in [CH3] or [O-].',
  ),
  SMILES_CHARGE_DIFFERS: error(
    ({ formal, given }: Charges) =>
      `The charges in the SMILES sum to ${String(formal)}, but \`net_charge\` is ${String(given)}; the job would fail, or compute another ion.`,
    EITHER,
    locateNetCharge,
  ),
  SMILES_CHARGE_IGNORED: error(
    ({ formal, given }: Charges) =>
      `The charges in the SMILES sum to ${String(formal)}, but \`net_charge\` is ${String(given)}; with \`gas\` the engine ignores it and the result is wrong.`,
    EITHER,
    locateNetCharge,
  ),
  MANIFEST_CHARGE_METHOD_BBC: error(
    '`bbc` is not a charge method, but a misspelling of `bcc` in the examples of the service; the job would fail.',
    'Write `bcc` (AM1-BCC), or leave the cell empty.',
  ),
  MANIFEST_NET_CHARGE_INVALID: error(
    (_: unknown, value: string) => `\`${value}\` is not a net charge.`,
    'Write a whole number like -1, 0 or +1, or leave the cell empty for automatic.',
  ),
};

export const finding = createFindings(MOLECULE_PROBLEMS);
