/**
 * The part of the registry for what `src/inputs` finds in the content of an input.
 */
import type { FindingCode, InputFacts } from '../../inputs/finding.ts';
import { PROTEIN_PROBLEMS } from './protein-problems.ts';
import { shown } from './show.ts';
import type { Wording } from './wording.ts';

const APART = 'Submit the parts as rows of their own.';

function placed(position: number | null): string {
  return position === null ? '' : ` (character ${String(position)})`;
}

export const INPUT_PROBLEMS: { readonly [C in FindingCode]: Wording<InputFacts[C]> } = {
  MOLECULE_NO_ATOMS: {
    severity: 'error',
    message: ({ format }) => `There is no atom in it, read as ${format}.`,
    remedy: () =>
      'Check that the file is what its extension says and not, for example, a saved error page.',
  },
  MOLECULE_MALFORMED: {
    severity: 'error',
    message: ({ format, line, reason }) =>
      `Line ${String(line)} is not valid ${format}: ${reason}.`,
    remedy: () => 'Write the file again with the program that made it; it may be cut off.',
  },
  MOLECULE_TOO_MANY_ATOMS: {
    severity: 'error',
    message: ({ atoms, atLeast, limit }) =>
      `It has ${atLeast ? 'at least ' : ''}${String(atoms)} atoms; the service takes up to ${String(limit)}, hydrogens counted.`,
    remedy: () => 'Submit a fragment, or parameterise the molecule in parts.',
  },
  MOLECULE_NO_HYDROGENS: {
    severity: 'error',
    message: ({ atoms }) => `None of its ${String(atoms)} atoms is a hydrogen.`,
    remedy: () =>
      'Add the hydrogens (obabel -h, or the program that made the file), or give the molecule as SMILES.',
  },
  MOLECULE_HYDROGENS_DOUBTFUL: {
    severity: 'warning',
    message: ({ atoms }) => `None of its ${String(atoms)} atoms is a hydrogen.`,
    remedy: () => 'Check that the molecule has none by nature, like CCl4; otherwise add them.',
  },
  MOLECULE_SEVERAL: {
    severity: 'error',
    message: ({ what, count }) => `The file holds ${String(count)} ${what}.`,
    remedy: () => 'Keep one of them, or write each to a file and a row of its own.',
  },
  MOLECULE_SEVERAL_RESIDUES: {
    severity: 'error',
    message: ({ residues }) =>
      `The file holds ${String(residues.length)} residues: ${shown(residues.slice(0, 5).join(', '))}${residues.length > 5 ? ', …' : ''}.`,
    remedy: () => 'Keep the one residue of the molecule; take out waters and ions.',
  },
  MOLECULE_ELEMENT_UNSUPPORTED: {
    severity: 'error',
    message: ({ elements }) =>
      `The force fields have no parameters for ${elements.join(', ')}; the job would fail, or guess them.`,
    remedy: () => 'They know H, C, N, O, S, P, F, Cl, Br and I. Take the row out.',
  },
  MOLECULE_SINGLE_ATOM: {
    severity: 'error',
    message: () => 'It is a single atom; the engine needs a bond.',
    remedy: () => 'Take the parameters of ions and noble gases from the force field itself.',
  },
  MOLECULE_ATOMS_TOO_CLOSE: {
    severity: 'error',
    message: ({ first, second, distance }) =>
      `Atoms ${String(first)} and ${String(second)} are ${distance.toFixed(2)} Å apart; the engine stops below 0.5 Å.`,
    remedy: () => 'Look for an atom that is there twice, or for a molecule without 3D coordinates.',
  },
  MOLECULE_ATOM_FAR: {
    severity: 'error',
    message: ({ atom, distance }) =>
      `Atom ${String(atom)} is ${distance.toFixed(2)} Å from the nearest other; the engine stops above 3 Å.`,
    remedy: () => 'Take out ions and stray atoms; coordinates must be in ångström.',
  },
  MOLECULE_SEVERAL_COMPONENTS: {
    severity: 'error',
    message: ({ components }) =>
      `Its bonds make ${String(components)} separate parts of it; the job would fail, or make one topology of them all.`,
    remedy: () => `Take out counter-ions and solvent. ${APART}`,
  },
  MOLECULE_HYDROGENS_MISSING: {
    severity: 'error',
    message: ({ missing }) =>
      `By its bonds ${String(missing)} hydrogen${missing === 1 ? ' is' : 's are'} missing.`,
    remedy: () => 'Add the hydrogens, or correct the orders of the bonds.',
  },
  MOLECULE_VALENCES_OPEN: {
    severity: 'warning',
    message: ({ open }) =>
      `By its bonds, ${String(open)} hydrogen${open === 1 ? ' is' : 's are'} missing, but not from carbon: perhaps it is an ion.`,
    remedy: () => 'Add the hydrogens, or set `net_charge` if it is an ion.',
  },
  MOLECULE_ELECTRONS_ODD: {
    severity: 'error',
    message: ({ electrons, charge }) =>
      `With a charge of ${String(charge)} it has ${String(electrons)} electrons, an odd number: the charge is wrong, a hydrogen is missing, or it is a radical.`,
    remedy: () => 'Correct `net_charge` or the hydrogens. The engine does not treat radicals.',
  },
  MOLECULE_CHARGE_UNSAID: {
    severity: 'warning',
    message: () =>
      'Without a charge it would have an odd number of electrons; the engine will guess the charge.',
    remedy: () => 'Set `net_charge` if it is an ion; otherwise look for a missing hydrogen.',
  },
  MOLECULE_CHARGE_DIFFERS: {
    severity: 'error',
    message: ({ formal, given }) =>
      `By its bonds and charges the molecule has a charge of ${String(formal)}, \`net_charge\` says ${String(given)}.`,
    remedy: () => 'Correct one of the two, or leave `net_charge` empty.',
  },
  SMILES_SYNTAX: {
    severity: 'error',
    message: ({ position, reason }) => `This is not a SMILES: ${shown(reason)}${placed(position)}.`,
    remedy: () => 'Write the SMILES of one molecule, nothing else.',
  },
  SMILES_CHEMISTRY: {
    severity: 'error',
    message: ({ position, reason }) =>
      `This SMILES is of no possible molecule: ${reason}${placed(position)}.`,
    remedy: () => 'Check bonds, charges and hydrogens of that atom; drawing it helps.',
  },
  SMILES_UNANSWERED: {
    severity: 'error',
    message: ({ reason }) => `This SMILES could not be checked: ${reason}.`,
    remedy: () => 'Check it in a drawing program; if it is right, please report it.',
  },
  SMILES_SEVERAL_COMPONENTS: {
    severity: 'error',
    message: ({ components }) =>
      `The SMILES has ${String(components)} components; the job would fail, or make one topology of them all.`,
    remedy: () => `Take out counter-ions and solvent. ${APART}`,
  },
  SMILES_WILDCARD: {
    severity: 'error',
    message: () => 'The SMILES has a wildcard atom `*`.',
    remedy: () => 'Put a real atom there, for example a methyl cap.',
  },
  SMILES_RADICAL: {
    severity: 'error',
    message: ({ radicals }) =>
      `${radicals === 1 ? 'An atom has' : `${String(radicals)} atoms have`} unpaired electrons; the engine treats closed shells only.`,
    remedy: () =>
      'Write the hydrogens or the charge that an atom in brackets has, as in [CH3] or [O-].',
  },
  SMILES_CHARGE_DIFFERS: {
    severity: 'error',
    message: ({ formal, given }) =>
      `The charges in the SMILES sum to ${String(formal)}, \`net_charge\` says ${String(given)}; the job would fail, or compute another ion.`,
    remedy: () => 'Correct one of the two, or leave `net_charge` empty.',
  },
  SMILES_CHARGE_IGNORED: {
    severity: 'error',
    message: ({ formal, given }) =>
      `The charges in the SMILES sum to ${String(formal)}, \`net_charge\` says ${String(given)}; with \`gas\` the engine ignores it and the result is wrong.`,
    remedy: () => 'Correct one of the two, or leave `net_charge` empty.',
  },
  ...PROTEIN_PROBLEMS,
};
