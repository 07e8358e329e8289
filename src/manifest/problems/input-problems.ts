/** The words for the findings of molecules. */
import type { FindingCode, InputFacts } from '../../kinds/finding.ts';
import { shown } from '../../domain/plain-text.ts';
import type { ProblemWords } from '../../domain/problem.ts';

const APART = 'Submit each part as a row of its own.';

function placed(position: number | null): string {
  return position === null ? '' : ` (character ${String(position)})`;
}

export const INPUT_PROBLEMS: { readonly [C in FindingCode]: ProblemWords<InputFacts[C]> } = {
  MOLECULE_NO_ATOMS: {
    severity: 'error',
    message: ({ format }) => `No atoms were found, read as ${format}.`,
    remedy: () => 'Check that the content matches the extension; it may be a saved error page.',
  },
  MOLECULE_MALFORMED: {
    severity: 'error',
    message: ({ format, line, reason }) =>
      `Line ${String(line)} is not valid ${format}: ${reason}.`,
    remedy: () => 'Export the file again with the program that made it; it may be truncated.',
  },
  MOLECULE_TOO_MANY_ATOMS: {
    severity: 'error',
    message: ({ atoms, atLeast, limit }) =>
      `The molecule has ${atLeast ? 'at least ' : ''}${String(atoms)} atoms; the service accepts up to ${String(limit)}, including hydrogens.`,
    remedy: () => 'Submit a fragment, or parameterise the molecule in parts.',
  },
  MOLECULE_NO_HYDROGENS: {
    severity: 'error',
    message: ({ atoms }) => `None of the ${String(atoms)} atoms is a hydrogen.`,
    remedy: () =>
      'Add the hydrogens (obabel -h, or the program that made the file), or give the molecule as SMILES.',
  },
  MOLECULE_HYDROGENS_DOUBTFUL: {
    severity: 'warning',
    message: ({ atoms }) => `None of the ${String(atoms)} atoms is a hydrogen.`,
    remedy: () => 'Add the hydrogens, unless the molecule has none, like CCl4.',
  },
  MOLECULE_SEVERAL: {
    severity: 'error',
    message: ({ what, count }) => `The file contains ${String(count)} ${what}.`,
    remedy: () => 'Keep one of them, or give each its own file and row.',
  },
  MOLECULE_SEVERAL_RESIDUES: {
    severity: 'error',
    message: ({ residues }) =>
      `The file contains ${String(residues.length)} residues: ${shown(residues.slice(0, 5).join(', '))}${residues.length > 5 ? ', …' : ''}.`,
    remedy: () => 'Keep only the residue of the molecule; remove waters and ions.',
  },
  MOLECULE_ELEMENT_UNSUPPORTED: {
    severity: 'error',
    message: ({ elements }) =>
      `The force fields have no parameters for ${elements.join(', ')}; the job would fail, or guess them.`,
    remedy: () => 'Supported elements are H, C, N, O, S, P, F, Cl, Br and I. Remove the row.',
  },
  MOLECULE_SINGLE_ATOM: {
    severity: 'error',
    message: () => 'The molecule is a single atom; the engine needs a bond.',
    remedy: () => 'Take the parameters of ions and noble gases from the force field itself.',
  },
  MOLECULE_ATOMS_TOO_CLOSE: {
    severity: 'error',
    message: ({ first, second, distance }) =>
      `Atoms ${String(first)} and ${String(second)} are ${distance.toFixed(2)} Å apart; the engine stops below 0.5 Å.`,
    remedy: () => 'Look for a duplicate atom, or a molecule without 3D coordinates.',
  },
  MOLECULE_ATOM_FAR: {
    severity: 'error',
    message: ({ atom, distance }) =>
      `Atom ${String(atom)} is ${distance.toFixed(2)} Å from the nearest other; the engine stops above 3 Å.`,
    remedy: () => 'Remove ions and stray atoms; coordinates must be in ångström.',
  },
  MOLECULE_SEVERAL_COMPONENTS: {
    severity: 'error',
    message: ({ components }) =>
      `The molecule has ${String(components)} parts that are not bonded to each other; the job would fail, or put them into one topology.`,
    remedy: () => `Remove counter-ions and solvent. ${APART}`,
  },
  MOLECULE_HYDROGENS_MISSING: {
    severity: 'error',
    message: ({ missing }) =>
      `According to the bonds, ${String(missing)} hydrogen${missing === 1 ? ' is' : 's are'} missing.`,
    remedy: () => 'Add the hydrogens, or correct the bond orders.',
  },
  MOLECULE_VALENCES_OPEN: {
    severity: 'warning',
    message: ({ open }) =>
      `According to the bonds, ${String(open)} hydrogen${open === 1 ? ' is' : 's are'} missing, none of them from carbon: it may be an ion.`,
    remedy: () => 'Add the hydrogens, or set `net_charge` if it is an ion.',
  },
  MOLECULE_ELECTRONS_ODD: {
    severity: 'error',
    message: ({ electrons, charge }) =>
      `With a charge of ${String(charge)}, the molecule has an odd number of electrons (${String(electrons)}): the charge is wrong, a hydrogen is missing, or it is a radical.`,
    remedy: () => 'Correct `net_charge` or the hydrogens. The engine does not support radicals.',
  },
  MOLECULE_CHARGE_UNSAID: {
    severity: 'warning',
    message: () =>
      'Without a charge, the molecule would have an odd number of electrons; the engine will guess the charge.',
    remedy: () => 'Set `net_charge` if it is an ion; otherwise look for a missing hydrogen.',
  },
  MOLECULE_CHARGE_DIFFERS: {
    severity: 'error',
    message: ({ formal, given }) =>
      `According to its bonds and formal charges, the molecule has a charge of ${String(formal)}, but \`net_charge\` is ${String(given)}.`,
    remedy: () => 'Correct one of the two, or leave `net_charge` empty.',
    cell: ({ given }) => ({ column: 'net_charge', value: String(given) }),
  },
  SMILES_SYNTAX: {
    severity: 'error',
    message: ({ position, reason }) =>
      `This is not a valid SMILES: ${shown(reason)}${placed(position)}.`,
    remedy: () => 'Write only the SMILES of one molecule.',
  },
  SMILES_CHEMISTRY: {
    severity: 'error',
    message: ({ position, reason }) =>
      `This SMILES describes an impossible molecule: ${reason}${placed(position)}.`,
    remedy: () => 'Check bonds, charges and hydrogens of that atom; drawing it helps.',
  },
  SMILES_UNANSWERED: {
    severity: 'error',
    message: ({ reason }) => `This SMILES could not be checked: ${reason}.`,
    remedy: () => 'Check it in a drawing program; if it is correct, please report it.',
  },
  SMILES_SEVERAL_COMPONENTS: {
    severity: 'error',
    message: ({ components }) =>
      `The SMILES has ${String(components)} components; the job would fail, or put them into one topology.`,
    remedy: () => `Remove counter-ions and solvent. ${APART}`,
  },
  SMILES_WILDCARD: {
    severity: 'error',
    message: () => 'The SMILES has a wildcard atom `*`.',
    remedy: () => 'Replace it with a real atom, for example a methyl cap.',
  },
  SMILES_RADICAL: {
    severity: 'error',
    message: ({ radicals }) =>
      `${radicals === 1 ? 'An atom has' : `${String(radicals)} atoms have`} unpaired electrons; the engine supports only closed shells.`,
    remedy: () =>
      'Write the hydrogens or the charge of each atom in brackets, as in [CH3] or [O-].',
  },
  SMILES_CHARGE_DIFFERS: {
    severity: 'error',
    message: ({ formal, given }) =>
      `The charges in the SMILES sum to ${String(formal)}, but \`net_charge\` is ${String(given)}; the job would fail, or compute another ion.`,
    remedy: () => 'Correct one of the two, or leave `net_charge` empty.',
    cell: ({ given }) => ({ column: 'net_charge', value: String(given) }),
  },
  SMILES_CHARGE_IGNORED: {
    severity: 'error',
    message: ({ formal, given }) =>
      `The charges in the SMILES sum to ${String(formal)}, but \`net_charge\` is ${String(given)}; with \`gas\` the engine ignores it and the result is wrong.`,
    remedy: () => 'Correct one of the two, or leave `net_charge` empty.',
    cell: ({ given }) => ({ column: 'net_charge', value: String(given) }),
  },
};
