/**
 * The part of the registry for what `src/inputs` finds in the content of an input.
 */
import type { FindingCode, InputFacts } from '../inputs/finding.ts';
import { shown } from './show.ts';
import type { Wording } from './wording.ts';

const APART = 'Submit the parts as rows of their own.';

/** `sequence \`name\`` or, where it has no name, `the sequence`. */
function sequence(record: string): string {
  return record === '' ? 'the sequence' : `the sequence \`${shown(record)}\``;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function placed(position: number | null): string {
  return position === null ? '' : ` (character ${String(position)})`;
}

function characters(text: string): string {
  return [...text].map((character) => `\`${shown(character)}\``).join(' ');
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
    message: ({ position, reason }) => `This is not a SMILES: ${reason}${placed(position)}.`,
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
  SEQUENCE_EMPTY: {
    severity: 'error',
    message: ({ record }) => `${capital(sequence(record))} has no residue.`,
    remedy: () => 'Fill it in, or take the record out.',
  },
  SEQUENCE_HEADER_EMPTY: {
    severity: 'error',
    message: ({ line }) => `The header in line ${String(line)} of the FASTA text names nothing.`,
    remedy: () => 'Write a name right after the `>`: records without one are dropped.',
  },
  SEQUENCE_TEXT_BEFORE_HEADER: {
    severity: 'error',
    message: ({ line }) => `There is text before the first header (line ${String(line)}).`,
    remedy: () => 'Begin FASTA text with a line `>name`.',
  },
  SEQUENCE_NOT_RESIDUES: {
    severity: 'error',
    message: ({ record, characters: found }) =>
      `${capital(sequence(record))} holds what is no amino acid: ${characters(found)}.`,
    remedy: () =>
      'Take out stops, gaps, digits and other signs; they would be read as unknown residues.',
  },
  SEQUENCE_UNKNOWN_RESIDUES: {
    severity: 'warning',
    message: ({ record, characters: found }) =>
      `${capital(sequence(record))} holds ${characters(found)}, which the predictors read as unknown residues.`,
    remedy: () => 'Write the residue that is meant, where it is known.',
  },
  SEQUENCE_NUCLEOTIDES: {
    severity: 'warning',
    message: ({ record }) => `${capital(sequence(record))} looks like DNA or RNA.`,
    remedy: () => 'Translate it: the predictors would read A, C, G and T as amino acids.',
  },
  SEQUENCE_TOO_SHORT: {
    severity: 'error',
    message: ({ record, length, minimum }) =>
      `${capital(sequence(record))} has ${String(length)} residues; the predictors need ${String(minimum)}.`,
    remedy: () => 'Give the whole sequence.',
  },
  SEQUENCE_LENGTH_FOR_PSPER: {
    severity: 'error',
    message: ({ record, length }) =>
      `${capital(sequence(record))} has ${String(length)} residues; \`psper\` takes 20 to 3000.`,
    remedy: () => 'Leave `psper` out of `predictors`, or give another sequence.',
  },
  SEQUENCE_NAME_REPEATED: {
    severity: 'warning',
    message: ({ record }) =>
      `Several records are called \`${shown(record)}\`; the service renames them.`,
    remedy: () => 'Give every record a first word of its own.',
  },
  ALIGNMENT_NOT_FASTA: {
    severity: 'error',
    message: ({ format }) => `The alignment is in ${format} format.`,
    remedy: () => 'Convert it to aligned FASTA.',
  },
  ALIGNMENT_TOO_FEW_ROWS: {
    severity: 'error',
    message: ({ rows }) =>
      `An alignment needs two FASTA records or more; there are ${String(rows)}.`,
    remedy: () => 'Add sequences, or set `kind` to `sequence`.',
  },
  ALIGNMENT_UNEQUAL: {
    severity: 'error',
    message: ({ record, length, expected }) =>
      `${capital(sequence(record))} has ${String(length)} columns, the first one ${String(expected)}.`,
    remedy: () => 'Align the sequences and pad them with `-` to one length.',
  },
  ALIGNMENT_NAME_REPEATED: {
    severity: 'error',
    message: ({ record }) =>
      `Two sequences begin with the word \`${shown(record)}\`, which is the name the predictors use.`,
    remedy: () => 'Give every sequence a first word of its own.',
  },
  ALIGNMENT_GAP_CHARACTER: {
    severity: 'error',
    message: ({ record, characters: found }) =>
      `${capital(sequence(record))} has gaps written as ${characters(found)}.`,
    remedy: () => 'Write gaps as `-`.',
  },
  ALIGNMENT_ROW_SHORT: {
    severity: 'warning',
    message: ({ record, length, minimum }) =>
      `${capital(sequence(record))} has ${String(length)} residues without its gaps; below ${String(minimum)} the job probably fails.`,
    remedy: () => 'Take the sequence out of the alignment.',
  },
  SHIFTS_FORMAT_UNKNOWN: {
    severity: 'error',
    message: () => 'It is neither NEF nor NMR-STAR.',
    remedy: () => 'Export the shifts as NEF, or fetch the NMR-STAR file of the entry from BMRB.',
  },
  SHIFTS_NO_LOOP: {
    severity: 'error',
    message: ({ format }) => `The ${format} file holds no chemical shift.`,
    remedy: () => 'Export it with its list of assigned chemical shifts.',
  },
};
