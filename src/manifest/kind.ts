/** The kind of a row's input: as given by the user, else detected from the input. */
import { KINDS, type Kind } from '../domain/item.ts';
import { looksAligned } from '../inputs/sequences/alignment.ts';
import { alignmentFormat } from '../inputs/sequences/alignment-format.ts';
import { readFasta } from '../inputs/sequences/fasta.ts';
import { MOLECULE_EXTENSIONS } from '../inputs/molecules/molecule.ts';
import { nearest } from './problems/nearest.ts';
import { complaint, type Complaint } from './problems/problems.ts';
import type { RowInput } from './row-input.ts';

export const FASTA_EXTENSIONS = ['.fasta', '.fa', '.faa', '.fas', '.afa', '.mfa'];
/** Extensions of Stockholm and Clustal files. */
export const ALIGNMENT_EXTENSIONS = ['.sto', '.stk', '.stockholm', '.aln', '.clustal', '.clw'];
export const SHIFT_EXTENSIONS = ['.nef', '.str', '.star'];

export interface Judged {
  readonly kind: Kind | null;
  readonly complaints: readonly Complaint[];
}

/** The user's value of `kind`; null if the cell is empty. */
export function writtenKind(value: string): Judged | null {
  if (value === '') return null;
  const kind = KINDS.find((known) => known === value.toLowerCase());
  if (kind !== undefined) return { kind, complaints: [] };
  const suggestion = nearest(value, KINDS);
  const where = { column: 'kind', value };
  return { kind: null, complaints: [complaint('MANIFEST_KIND_UNKNOWN', { suggestion }, where)] };
}

export function inferKind(input: RowInput): Judged {
  if (input.column === 'smiles') return { kind: 'molecule', complaints: [] };
  if (input.column === 'sequence') return { kind: 'sequence', complaints: [] };
  const { extension } = input;
  if ((MOLECULE_EXTENSIONS as readonly string[]).includes(extension)) {
    return { kind: 'molecule', complaints: [] };
  }
  if (SHIFT_EXTENSIONS.includes(extension)) return { kind: 'shifts', complaints: [] };
  if (ALIGNMENT_EXTENSIONS.includes(extension)) return { kind: 'alignment', complaints: [] };
  if (FASTA_EXTENSIONS.includes(extension)) return fastaKind(input);
  return unclear(input, extension === '' ? 'the file has no extension' : `${extension} is unknown`);
}

function fastaKind(input: RowInput): Judged {
  if (input.text === null) return { kind: null, complaints: [] };
  // Aligners use many different file names.
  if (alignmentFormat(input.text) !== 'FASTA') return { kind: 'alignment', complaints: [] };
  const fasta = readFasta(input.text);
  if (fasta.records.length < 2) return { kind: 'sequence', complaints: [] };
  if (looksAligned(fasta)) return { kind: 'alignment', complaints: [] };
  const count = String(fasta.records.length);
  return unclear(input, `${count} FASTA records may be an alignment or several sequences`);
}

function unclear(input: RowInput, reason: string): Judged {
  // An unreadable file has its own problem.
  if (input.text === null) return { kind: null, complaints: [] };
  const where = { column: input.column, value: input.value };
  return { kind: null, complaints: [complaint('MANIFEST_KIND_UNCLEAR', { reason }, where)] };
}
