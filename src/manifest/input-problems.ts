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
    severity: 'warning',
    message: ({ elements }) =>
      `The force fields have no parameters for ${elements.join(', ')}; the job fails or guesses them.`,
    remedy: () =>
      'They know H, C, N, O, S, P, F, Cl, Br and I. Take the row out if you do not mean to try.',
  },
  SMILES_SYNTAX: {
    severity: 'error',
    message: ({ position, reason }) =>
      `This is not a SMILES: ${shown(reason)} (character ${String(position)}).`,
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
