/** Whether a file with sequences is one sequence or an alignment. */
import { looksAligned } from './alignment-input.ts';
import { alignmentFormat } from './alignment-formats.ts';
import { readFasta } from './fasta.ts';

export const FASTA_EXTENSIONS = ['.fasta', '.fa', '.faa', '.fas', '.afa', '.mfa'];
/** Of Stockholm and Clustal files. */
export const ALIGNMENT_EXTENSIONS = ['.sto', '.stk', '.stockholm', '.aln', '.clustal', '.clw'];

/** For the two recognisers: a text says why it is unclear. */
type Recognised = boolean | string;

export function recogniseSequence(text: string): Recognised {
  const found = recogniseAlignment(text);
  return typeof found === 'string' ? found : !found;
}

export function recogniseAlignment(text: string): Recognised {
  // Aligners use many different file names.
  if (alignmentFormat(text) !== 'FASTA') return true;
  const fasta = readFasta(text);
  const count = fasta.records.length;
  if (count < 2) return false;
  return looksAligned(fasta) || `${count} FASTA records may be an alignment or several sequences`;
}
