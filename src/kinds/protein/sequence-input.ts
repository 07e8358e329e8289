/** The input of the kind `sequence`: one or several sequences, plain or as FASTA. */
import type { InputText } from '../../domain/item.ts';
import type { SequenceOptions } from '../vocabulary.ts';
import { checkSequences, type Fasta, readFasta, withoutStop } from './fasta.ts';
import type { Reading } from '../finding.ts';
import { fastaText, nameRecords } from './record-names.ts';

/** `id`: the header for a sequence without one. */
export function readSequenceInput(text: string, options: SequenceOptions, id: string): Reading {
  const fasta = readFasta(text);
  // In upper case, as the engine reads it; the names of the records do not affect the values.
  const canonical = fasta.records
    .map(({ residues }) => withoutStop(residues).toUpperCase())
    .join('\n');
  return { findings: checkSequences(fasta, options), input: toSend(fasta, text, id), canonical };
}

function toSend({ records, plain }: Fasta, text: string, id: string): InputText {
  // The engine refuses a sequence without a header; with the id, the result has a name that the user knows.
  const headed = plain ? records.map((record) => ({ ...record, header: id })) : records;
  const { headers, names, renamed } = nameRecords(headed, 'sequence');
  const residues = records.map((record) => withoutStop(record.residues));
  const stopped = records.some((record) => record.residues.endsWith('*'));
  const named = names && { names };
  if (renamed || stopped) {
    const original = { name: 'original.fasta', text };
    return { name: 'input.fasta', text: fastaText(headers, residues), original, ...named };
  }
  const sent = plain ? `>${id}\n${text.trim()}\n` : text;
  return { name: 'input.fasta', text: sent, ...named };
}
