/** What can be wrong with the sequences, alignments and shifts of a user: the facts of a problem are what its words need. */
import { list, suggestOr, formatShown } from '../../domain/plain-text.ts';
import { error, warning } from '../../domain/problem.ts';
import { createFindings } from '../kind.ts';
import { PREDICTORS } from '../vocabulary.ts';

export interface OfRecord {
  readonly record: string;
}

export interface OfLength extends OfRecord {
  readonly length: number;
  readonly minimum: number;
}

export interface OfLetters extends OfRecord {
  readonly characters: string;
}

export interface OfResidue {
  /** Its number in the file. */
  readonly code: string;
  readonly residue: string;
  readonly line: number;
}

export interface ShiftValues {
  readonly model: string;
  /** Number of residues that get a value with that model, of how many. */
  readonly values: number;
  readonly residues: number;
  /** The model class with the most values, and their number. */
  readonly best: string;
  readonly most: number;
}

function formatRecord(record: string): string {
  return record === '' ? 'The sequence' : `The sequence \`${formatShown(record)}\``;
}

function formatCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

function quote(characters: string): string {
  return [...characters].map((character) => `\`${formatShown(character)}\``).join(' ');
}

export const PROTEIN_PROBLEMS = {
  SEQUENCE_EMPTY: error(
    ({ record }: OfRecord) => `${formatRecord(record)} has no residue.`,
    'Add the residues, or remove the record.',
  ),
  SEQUENCE_HEADER_EMPTY: warning(
    ({ line }: { line: number }) =>
      `The header in line ${line} of the FASTA text has no name; the records are sent under generated names.`,
    'Write a name right after the `>`, so that you can find the record in the results.',
  ),
  SEQUENCE_TEXT_BEFORE_HEADER: error(
    ({ line }: { line: number }) => `There is text before the first header (line ${line}).`,
    'Begin FASTA text with a line `>name`.',
  ),
  SEQUENCE_NOT_RESIDUES: error(
    ({ record, characters }: OfLetters) =>
      `${formatRecord(record)} has characters that are not amino acids: ${quote(characters)}.`,
    'Remove stops, gaps, digits and other characters; they would be read as unknown residues.',
  ),
  SEQUENCE_STOP_REMOVED: warning(
    ({ record }: OfRecord) =>
      `${formatRecord(record)} ends with the stop character \`*\` and is sent without it.`,
    'No action is needed if it ends there; the predictors would read the character as a residue.',
  ),
  SEQUENCE_ALL_UNKNOWN: error(
    ({ record }: OfRecord) => `${formatRecord(record)} has no known residue.`,
    'Write the residues: predictions for unknown residues are meaningless.',
  ),
  SEQUENCE_UNKNOWN_RESIDUES: warning(
    ({ record, characters }: OfLetters) =>
      `${formatRecord(record)} has ${quote(characters)}, which the predictors read as unknown residues.`,
    'Write the actual residue where it is known.',
  ),
  SEQUENCE_NUCLEOTIDES: error(
    ({ record }: OfRecord) => `${formatRecord(record)} is DNA or RNA.`,
    'Translate it: the predictors would read A, C, G and T as amino acids.',
  ),
  SEQUENCE_NUCLEOTIDES_DOUBTFUL: warning(
    ({ record }: OfRecord) => `${formatRecord(record)} looks like DNA or RNA.`,
    'Check that it is a protein; translate it if not.',
  ),
  SEQUENCE_TOO_SHORT: error(
    ({ record, length, minimum }: OfLength) =>
      `${formatRecord(record)} has ${formatCount(length, 'residue')}; the predictors need ${minimum}.`,
    'Give the whole sequence.',
  ),
  SEQUENCE_TOO_SHORT_FOR: error(
    ({ record, length, minimum, predictors }: OfLength & { predictors: readonly string[] }) =>
      `${formatRecord(record)} has ${formatCount(length, 'residue')}; ${list(predictors)} need${predictors.length === 1 ? 's' : ''} ${minimum}.`,
    'Set `predictors` to `dynamine`, or give the whole sequence.',
    ({ predictors }) => ({ column: 'predictors', value: predictors.join(',') }),
  ),
  SEQUENCE_LENGTH_FOR_PSPER: error(
    ({ record, length }: { record: string; length: number }) =>
      `${formatRecord(record)} has ${formatCount(length, 'residue')}; \`psper\` takes 20 to 3000.`,
    'Leave `psper` out of `predictors`, or give another sequence.',
    () => ({ column: 'predictors', value: 'psper' }),
  ),
  SEQUENCE_NAME_REPEATED: warning(
    ({ record }: OfRecord) =>
      `Several records are called \`${formatShown(record)}\`; they are sent under generated names.`,
    'Give every record a unique name, so that you can distinguish the results.',
  ),
  ALIGNMENT_NOT_FASTA: error(
    ({ format }: { format: string }) => `The alignment is in ${format} format.`,
    'Convert it to aligned FASTA, A3M, Stockholm or Clustal.',
  ),
  ALIGNMENT_MALFORMED: error(
    ({ format, line, reason }: { format: string; line: number; reason: string }) =>
      `Line ${line} is not valid ${format}: ${formatShown(reason)}.`,
    'Export the file again with the program that made it; it may be truncated.',
  ),
  ALIGNMENT_SEVERAL: error(
    ({ format, count }: { format: string; count: number }) =>
      `The ${format} file contains ${count} alignments.`,
    'Give each its own file and row.',
  ),
  ALIGNMENT_TOO_FEW_ROWS: error(
    ({ rows }: { rows: number }) =>
      `An alignment needs at least two FASTA records; there ${rows === 1 ? 'is' : 'are'} ${rows}.`,
    'Add sequences, or set `kind` to `sequence`.',
  ),
  ALIGNMENT_UNEQUAL: error(
    ({ record, length, expected }: { record: string; length: number; expected: number }) =>
      `${formatRecord(record)} has ${formatCount(length, 'column')}, but the first one has ${expected}.`,
    'Align the sequences and pad them with `-` to the same length.',
  ),
  ALIGNMENT_NAME_REPEATED: warning(
    ({ record }: OfRecord) =>
      `Several sequences are called \`${formatShown(record)}\`; they are sent under generated names.`,
    'Give every sequence a unique name; remove duplicates.',
  ),
  ALIGNMENT_GAP_CHARACTER: warning(
    ({ record, characters }: OfLetters) =>
      `${formatRecord(record)} has gaps written as ${quote(characters)}; they are sent as \`-\`.`,
    'No action is needed if they are gaps.',
  ),
  ALIGNMENT_INSERTIONS_REMOVED: warning(
    ({ count }: { count: number }) =>
      `The alignment is in A3M format: ${formatCount(count, 'residue')} in lower case, which the first sequence does not have, ${count === 1 ? 'is' : 'are'} left out.`,
    'No action is needed: the results follow the columns of the first sequence. To keep them, convert it to aligned FASTA (reformat.pl a3m fas).',
  ),
  ALIGNMENT_EMPTY_COLUMNS: warning(
    ({ columns }: { columns: number }) =>
      `${formatCount(columns, 'column')} of the alignment contain${columns === 1 ? 's' : ''} only gaps.`,
    'Remove empty columns; the results will have no values there.',
  ),
  ALIGNMENT_ROW_SHORT: error(
    ({ record, length, minimum }: OfLength) =>
      `${formatRecord(record)} has ${formatCount(length, 'residue')} without gaps; below ${minimum} the whole job fails.`,
    'Remove the sequence from the alignment.',
  ),
  SHIFTS_FORMAT_UNKNOWN: error(
    'The file is neither NEF nor NMR-STAR.',
    'Export the shifts as NEF, or download the NMR-STAR file of the entry from BMRB.',
  ),
  SHIFTS_MALFORMED: error(
    ({ line, reason }: { line: number; reason: string }) =>
      `Line ${line} is not valid STAR: ${reason}.`,
    'Export the file again with the program that made it; it may be truncated.',
  ),
  SHIFTS_NO_LOOP: error(
    ({ format }: { format: string }) => `The ${format} file contains no chemical shifts.`,
    'Export it with its list of assigned chemical shifts.',
  ),
  SHIFTS_NO_SEQUENCE: error(
    ({ format }: { format: string }) =>
      `The ${format} file does not say which residues the molecule has.`,
    'Export the whole entry, with its molecular system or entities, not only the shifts.',
  ),
  SHIFTS_TAG_MISSING: error(
    ({ tag }: { tag: string }) => `The file has no \`${tag}\`, without which the engine stops.`,
    'Export the whole entry again, or add the column.',
  ),
  SHIFTS_LOOP_FOREIGN: error(
    ({ tag, line }: { tag: string; line: number }) =>
      `The engine reads the loop of \`${formatShown(tag)}\` (line ${line}) as the sequence, because it is in the save frame of the molecular system.`,
    'Remove that loop from the file.',
  ),
  SHIFTS_SEQUENCE_CODE: error(
    ({ code, line }: { code: string; line: number }) =>
      `The residue number \`${formatShown(code)}\` (line ${line}) is not a whole number.`,
    'Number the residues with integers, in the sequence and in the shifts.',
  ),
  SHIFTS_RESIDUE_UNKNOWN: error(
    ({ code, residue, line }: OfResidue) =>
      `The shifts name a residue \`${formatShown(residue)}\` \`${formatShown(code)}\` (line ${line}) that is not in the sequence of the file.`,
    'Remove unassigned shifts, and number residues as in the sequence of the file.',
  ),
  SHIFTS_RESIDUE_DIFFERS: warning(
    ({ code, residue, expected, line }: OfResidue & { expected: string }) =>
      `The shifts call residue \`${formatShown(code)}\` \`${formatShown(residue)}\` (line ${line}), but the sequence has \`${formatShown(expected)}\`, which is used.`,
    'Check that the sequence and the shifts have the same numbering.',
  ),
  SHIFTS_OF_LIGAND: error(
    ({ entity, line }: { entity: string; line: number }) =>
      `There are shifts of entity ${formatShown(entity)} (line ${line}), which is not a polymer; the engine would assign them to the first chain.`,
    'Remove the shifts of ligands, ions and waters.',
  ),
  SHIFTS_VALUE: error(
    ({ atom, value, line }: { atom: string; value: string; line: number }) =>
      `The shift of ${atom} in line ${line} is \`${formatShown(value)}\`, which is not a number.`,
    'Correct the value, or remove its row.',
  ),
  SHIFTS_SEVERAL_LISTS: warning(
    ({ line }: { line: number }) =>
      `The file has several lists of shifts (the second in line ${line}); the engine merges them, and the last value of an atom is used.`,
    'Keep the list that you mean; give each of the others its own file and row.',
  ),
  SHIFTS_AUTHOR_NUMBERS: error(
    "The sequence has the author's residue numbers in addition to its own; with `original_numbering` the engine does not find the residues of the shifts.",
    'Set `original_numbering` to `false`.',
    () => ({ column: 'original_numbering', value: 'true' }),
  ),
  SHIFTS_RESIDUE_CASE: error(
    ({ code, residue }: { code: string; residue: string }) =>
      `The residues are named in lower case (residue \`${formatShown(code)}\` is \`${formatShown(residue)}\`); the engine knows them only in upper case.`,
    'Write their names in upper case, in the sequence and in the shifts: `ALA`.',
  ),
  SHIFTS_ALL_MISSING: error(
    ({ model, residues }: ShiftValues) =>
      `With \`model_class\` ${model} none of the ${residues} residues has the shifts that it needs: every value of the result would be missing.`,
    ({ best, most, residues }) =>
      most === 0
        ? 'Give at least the shifts of N, H and CA; C, CB and HA give more values.'
        : `Set \`model_class\` to \`${best}\`, which has values for ${most} of ${residues} residues.`,
    ({ model }) => ({ column: 'model_class', value: model }),
  ),
  SHIFTS_FEW_VALUES: warning(
    ({ model, values, residues }: ShiftValues) =>
      `With \`model_class\` ${model} only ${values} of ${residues} residues have the shifts that it needs.`,
    ({ best, most }) => `\`model_class\` ${best} has values for ${most} of them.`,
    ({ model }) => ({ column: 'model_class', value: model }),
  ),
  MANIFEST_PREDICTOR_UNKNOWN: error(
    ({ name }: { name: string; suggestion: string | null }) =>
      `\`${formatShown(name)}\` is not a predictor.`,
    ({ suggestion }) => suggestOr(suggestion, `Predictors are ${list(PREDICTORS)}.`),
  ),
};

export const finding = createFindings(PROTEIN_PROBLEMS);
