/** The input of the kind `sequence`: one or several sequences, plain or as FASTA. */
import type { SequenceOptions } from '../domain/item.ts';
import { checkSequences, readFasta } from './fasta.ts';
import type { Reading } from './reading.ts';

/** `id`: the header that a sequence without one gets. */
export function readSequenceInput(
  text: string,
  { predictors }: SequenceOptions,
  id: string,
): Reading {
  const fasta = readFasta(text);
  const findings = checkSequences(fasta, { psper: predictors.includes('psper') });
  // The engine refuses a sequence without a header; with the id in it the result carries a name the user knows.
  const sent = fasta.plain ? `>${id}\n${text.trim()}\n` : text;
  const canonical = fasta.records.map(({ residues }) => residues.toUpperCase()).join('\n');
  return { findings, input: { name: 'input.fasta', text: sent }, canonical };
}
