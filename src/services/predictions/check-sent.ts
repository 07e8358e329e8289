/**
 * Inputs for which the engine returns a result that looks valid but is not. The manifest refuses or corrects them
 * before they are sent: this is for an input from another source, or one that was changed later.
 */
import type { InputText } from '../../domain/item.ts';
import { readFasta, residueFindings } from '../../inputs/sequences/fasta.ts';
import {
  RESULT_PROBLEMS,
  resultProblem,
  type ResultProblem,
} from '../../results/result-problems.ts';

export function checkSent({ text }: InputText): ResultProblem | null {
  const names = new Set<string>();
  for (const [index, { header, name, residues }] of readFasta(text).records.entries()) {
    if (isNucleic(name, residues)) {
      return wrong(`Record ${index + 1} is DNA or RNA: its bases were read as amino acids.`);
    }
    if (header !== '' && names.has(header)) {
      return wrong(`Two records are called "${header}": their values cannot be distinguished.`);
    }
    names.add(header);
  }
  return null;
}

/** A single row has nothing to align, and rows of different lengths have no columns. */
export function checkAligned({ text }: InputText): ResultProblem | null {
  const { records } = readFasta(text);
  if (records.length < 2) return wrong('The alignment has one row: it needs at least two.');
  const lengths = new Set(records.map(({ residues }) => residues.length));
  if (lengths.size === 1) return null;
  return wrong(`The rows of the alignment have ${[...lengths].join(' and ')} columns.`);
}

function isNucleic(name: string, residues: string): boolean {
  return residueFindings(name, residues.replaceAll(/[-.]/g, '')).some(
    ({ code }) => code === 'SEQUENCE_NUCLEOTIDES',
  );
}

function wrong(message: string): ResultProblem {
  return resultProblem(RESULT_PROBLEMS.wrongSequence, message);
}
