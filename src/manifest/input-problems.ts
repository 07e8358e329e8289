/**
 * The part of the registry for what `src/inputs` finds in the content of an input.
 */
import type { FindingCode, InputFacts } from '../inputs/finding.ts';
import { PROTEIN_PROBLEMS } from './protein-problems.ts';
import { shown } from './show.ts';
import type { Wording } from './wording.ts';

const APART = 'Submit the parts as rows of their own.';

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
    severity: 'warning',
    message: ({ elements }) =>
      `The force fields have no parameters for ${elements.join(', ')}; the job fails or guesses them.`,
    remedy: () =>
      'They know H, C, N, O, S, P, F, Cl, Br and I. Take the row out if you do not mean to try.',
  },
  SMILES_SYNTAX: {
    severity: 'error',
    message: ({ position, reason }) =>
      `This is not a SMILES: ${reason} (character ${String(position)}).`,
    remedy: () => 'Write the SMILES of one molecule, nothing else.',
  },
  SMILES_SEVERAL_COMPONENTS: {
    severity: 'error',
    message: ({ components }) =>
      `The SMILES has ${String(components)} components; the job would fail, or make one topology of them all.`,
    remedy: () => `Take out counter-ions and solvent. ${APART}`,
  },
  SMILES_WILDCARD: {
    severity: 'error',
    message: ({ position }) =>
      `The SMILES has a wildcard atom \`*\` (character ${String(position)}).`,
    remedy: () => 'Put a real atom there, for example a methyl cap.',
  },
  SMILES_CHARGE_DIFFERS: {
    severity: 'warning',
    message: ({ formal, given }) =>
      `The charges in the SMILES sum to ${String(formal)}, \`net_charge\` says ${String(given)}; the job will probably fail.`,
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
