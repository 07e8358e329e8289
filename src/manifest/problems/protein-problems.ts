/**
 * The part of the registry for sequences, alignments and shifts.
 */
import type { FindingCode, InputFacts } from '../../kinds/finding.ts';
import { shown } from '../../domain/plain-text.ts';
import type { ProblemWords } from '../../domain/problem.ts';

type ProteinCode = Extract<
  FindingCode,
  `SEQUENCE_${string}` | `ALIGNMENT_${string}` | `SHIFTS_${string}`
>;

/** `sequence \`name\`` or, without a name, `the sequence`. */
function sequence(record: string): string {
  return record === '' ? 'the sequence' : `the sequence \`${shown(record)}\``;
}

function capital(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

function characters(text: string): string {
  return [...text].map((character) => `\`${shown(character)}\``).join(' ');
}

export const PROTEIN_PROBLEMS: { readonly [C in ProteinCode]: ProblemWords<InputFacts[C]> } = {
  SEQUENCE_EMPTY: {
    severity: 'error',
    message: ({ record }) => `${capital(sequence(record))} has no residue.`,
    remedy: () => 'Add the residues, or remove the record.',
  },
  SEQUENCE_HEADER_EMPTY: {
    severity: 'warning',
    message: ({ line }) =>
      `The header in line ${String(line)} of the FASTA text has no name; the records are sent under generated names.`,
    remedy: () =>
      'Write a name right after the `>`, so that you can find the record in the results.',
  },
  SEQUENCE_TEXT_BEFORE_HEADER: {
    severity: 'error',
    message: ({ line }) => `There is text before the first header (line ${String(line)}).`,
    remedy: () => 'Begin FASTA text with a line `>name`.',
  },
  SEQUENCE_NOT_RESIDUES: {
    severity: 'error',
    message: ({ record, characters: found }) =>
      `${capital(sequence(record))} has characters that are not amino acids: ${characters(found)}.`,
    remedy: () =>
      'Remove stops, gaps, digits and other characters; they would be read as unknown residues.',
  },
  SEQUENCE_STOP_REMOVED: {
    severity: 'warning',
    message: ({ record }) =>
      `${capital(sequence(record))} ends with the stop character \`*\` and is sent without it.`,
    remedy: () =>
      'No action is needed if it ends there; the predictors would read the character as a residue.',
  },
  SEQUENCE_ALL_UNKNOWN: {
    severity: 'error',
    message: ({ record }) => `${capital(sequence(record))} has no known residue.`,
    remedy: () => 'Write the residues: predictions for unknown residues are meaningless.',
  },
  SEQUENCE_UNKNOWN_RESIDUES: {
    severity: 'warning',
    message: ({ record, characters: found }) =>
      `${capital(sequence(record))} has ${characters(found)}, which the predictors read as unknown residues.`,
    remedy: () => 'Write the actual residue where it is known.',
  },
  SEQUENCE_NUCLEOTIDES: {
    severity: 'error',
    message: ({ record }) => `${capital(sequence(record))} is DNA or RNA.`,
    remedy: () => 'Translate it: the predictors would read A, C, G and T as amino acids.',
  },
  SEQUENCE_NUCLEOTIDES_DOUBTFUL: {
    severity: 'warning',
    message: ({ record }) => `${capital(sequence(record))} looks like DNA or RNA.`,
    remedy: () => 'Check that it is a protein; translate it if not.',
  },
  SEQUENCE_TOO_SHORT: {
    severity: 'error',
    message: ({ record, length, minimum }) =>
      `${capital(sequence(record))} has ${String(length)} residues; the predictors need ${String(minimum)}.`,
    remedy: () => 'Give the whole sequence.',
  },
  SEQUENCE_TOO_SHORT_FOR: {
    severity: 'error',
    message: ({ record, length, minimum, predictors }) =>
      `${capital(sequence(record))} has ${String(length)} residues; ${predictors.map((name) => `\`${name}\``).join(', ')} need${predictors.length === 1 ? 's' : ''} ${String(minimum)}.`,
    remedy: () => 'Set `predictors` to `dynamine`, or give the whole sequence.',
    cell: ({ predictors }) => ({ column: 'predictors', value: predictors.join(',') }),
  },
  SEQUENCE_LENGTH_FOR_PSPER: {
    severity: 'error',
    message: ({ record, length }) =>
      `${capital(sequence(record))} has ${String(length)} residues; \`psper\` takes 20 to 3000.`,
    remedy: () => 'Leave `psper` out of `predictors`, or give another sequence.',
    cell: () => ({ column: 'predictors', value: 'psper' }),
  },
  SEQUENCE_NAME_REPEATED: {
    severity: 'warning',
    message: ({ record }) =>
      `Several records are called \`${shown(record)}\`; they are sent under generated names.`,
    remedy: () => 'Give every record a unique name, so that you can distinguish the results.',
  },
  ALIGNMENT_NOT_FASTA: {
    severity: 'error',
    message: ({ format }) => `The alignment is in ${format} format.`,
    remedy: () => 'Convert it to aligned FASTA, Stockholm or Clustal.',
  },
  ALIGNMENT_MALFORMED: {
    severity: 'error',
    message: ({ format, line, reason }) =>
      `Line ${String(line)} is not valid ${format}: ${shown(reason)}.`,
    remedy: () => 'Export the file again with the program that made it; it may be truncated.',
  },
  ALIGNMENT_SEVERAL: {
    severity: 'error',
    message: ({ format, count }) => `The ${format} file contains ${String(count)} alignments.`,
    remedy: () => 'Give each its own file and row.',
  },
  ALIGNMENT_TOO_FEW_ROWS: {
    severity: 'error',
    message: ({ rows }) =>
      `An alignment needs at least two FASTA records; there are ${String(rows)}.`,
    remedy: () => 'Add sequences, or set `kind` to `sequence`.',
  },
  ALIGNMENT_UNEQUAL: {
    severity: 'error',
    message: ({ record, length, expected }) =>
      `${capital(sequence(record))} has ${String(length)} columns, but the first one has ${String(expected)}.`,
    remedy: () => 'Align the sequences and pad them with `-` to the same length.',
  },
  ALIGNMENT_NAME_REPEATED: {
    severity: 'warning',
    message: ({ record }) =>
      `Several sequences are called \`${shown(record)}\`; they are sent under generated names.`,
    remedy: () => 'Give every sequence a unique name; remove duplicates.',
  },
  ALIGNMENT_GAP_CHARACTER: {
    severity: 'warning',
    message: ({ record, characters: found }) =>
      `${capital(sequence(record))} has gaps written as ${characters(found)}; they are sent as \`-\`.`,
    remedy: () => 'No action is needed if they are gaps.',
  },
  ALIGNMENT_EMPTY_COLUMNS: {
    severity: 'warning',
    message: ({ columns }) =>
      `${String(columns)} column${columns === 1 ? '' : 's'} of the alignment contain${columns === 1 ? 's' : ''} only gaps.`,
    remedy: () => 'Remove empty columns; the results will have no values there.',
  },
  ALIGNMENT_ROW_SHORT: {
    severity: 'error',
    message: ({ record, length, minimum }) =>
      `${capital(sequence(record))} has ${String(length)} residues without gaps; below ${String(minimum)} the whole job fails.`,
    remedy: () => 'Remove the sequence from the alignment.',
  },
  SHIFTS_FORMAT_UNKNOWN: {
    severity: 'error',
    message: () => 'The file is neither NEF nor NMR-STAR.',
    remedy: () => 'Export the shifts as NEF, or download the NMR-STAR file of the entry from BMRB.',
  },
  SHIFTS_MALFORMED: {
    severity: 'error',
    message: ({ line, reason }) => `Line ${String(line)} is not valid STAR: ${reason}.`,
    remedy: () => 'Export the file again with the program that made it; it may be truncated.',
  },
  SHIFTS_NO_LOOP: {
    severity: 'error',
    message: ({ format }) => `The ${format} file contains no chemical shifts.`,
    remedy: () => 'Export it with its list of assigned chemical shifts.',
  },
  SHIFTS_NO_SEQUENCE: {
    severity: 'error',
    message: ({ format }) => `The ${format} file does not say which residues the molecule has.`,
    remedy: () =>
      'Export the whole entry, with its molecular system or entities, not only the shifts.',
  },
  SHIFTS_TAG_MISSING: {
    severity: 'error',
    message: ({ tag }) => `The file has no \`${tag}\`, without which the engine stops.`,
    remedy: () => 'Export the whole entry again, or add the column.',
  },
  SHIFTS_LOOP_FOREIGN: {
    severity: 'error',
    message: ({ tag, line }) =>
      `The engine reads the loop of \`${shown(tag)}\` (line ${String(line)}) as the sequence, because it is in the save frame of the molecular system.`,
    remedy: () => 'Remove that loop from the file.',
  },
  SHIFTS_SEQUENCE_CODE: {
    severity: 'error',
    message: ({ code, line }) =>
      `The residue number \`${shown(code)}\` (line ${String(line)}) is not a whole number.`,
    remedy: () => 'Number the residues with integers, in the sequence and in the shifts.',
  },
  SHIFTS_RESIDUE_UNKNOWN: {
    severity: 'error',
    message: ({ code, residue, line }) =>
      `The shifts name a residue \`${shown(residue)}\` \`${shown(code)}\` (line ${String(line)}) that is not in the sequence of the file.`,
    remedy: () => 'Remove unassigned shifts, and number residues as in the sequence of the file.',
  },
  SHIFTS_RESIDUE_DIFFERS: {
    severity: 'warning',
    message: ({ code, residue, expected, line }) =>
      `The shifts call residue \`${shown(code)}\` \`${shown(residue)}\` (line ${String(line)}), but the sequence has \`${shown(expected)}\`, which is used.`,
    remedy: () => 'Check that the sequence and the shifts have the same numbering.',
  },
  SHIFTS_OF_LIGAND: {
    severity: 'error',
    message: ({ entity, line }) =>
      `There are shifts of entity ${shown(entity)} (line ${String(line)}), which is not a polymer; the engine would assign them to the first chain.`,
    remedy: () => 'Remove the shifts of ligands, ions and waters.',
  },
  SHIFTS_VALUE: {
    severity: 'error',
    message: ({ atom, value, line }) =>
      `The shift of ${atom} in line ${String(line)} is \`${shown(value)}\`, which is not a number.`,
    remedy: () => 'Correct the value, or remove its row.',
  },
  SHIFTS_SEVERAL_LISTS: {
    severity: 'warning',
    message: ({ line }) =>
      `The file has several lists of shifts (the second in line ${String(line)}); the engine merges them, and the last value of an atom is used.`,
    remedy: () => 'Keep the list that you mean; give each of the others its own file and row.',
  },
  SHIFTS_AUTHOR_NUMBERS: {
    severity: 'error',
    message: () =>
      "The sequence has the author's residue numbers in addition to its own; with `original_numbering` the engine does not find the residues of the shifts.",
    remedy: () => 'Set `original_numbering` to `false`.',
    cell: () => ({ column: 'original_numbering', value: 'true' }),
  },
  SHIFTS_ALL_MISSING: {
    severity: 'error',
    message: ({ model, residues }) =>
      `With \`model_class\` ${model} none of the ${String(residues)} residues has the shifts that it needs: every value of the result would be missing.`,
    remedy: ({ best, most, residues }) =>
      most === 0
        ? 'Give at least the shifts of N, H and CA; C, CB and HA give more values.'
        : `Set \`model_class\` to \`${best}\`, which has values for ${String(most)} of ${String(residues)} residues.`,
    cell: ({ model }) => ({ column: 'model_class', value: model }),
  },
  SHIFTS_FEW_VALUES: {
    severity: 'warning',
    message: ({ model, values, residues }) =>
      `With \`model_class\` ${model} only ${String(values)} of ${String(residues)} residues have the shifts that it needs.`,
    remedy: ({ best, most }) => `\`model_class\` ${best} has values for ${String(most)} of them.`,
    cell: ({ model }) => ({ column: 'model_class', value: model }),
  },
};
