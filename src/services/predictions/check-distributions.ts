/** Checks that the distributions of an alignment have a value for each of its columns. */
import type { InputText } from '../../domain/item.ts';
import { readFasta } from '../../inputs/sequences/fasta.ts';
import { distributionLengths } from '../../results/distributions.ts';
import { RESULT_PROBLEMS, resultProblem, type ResultCheck } from '../../results/result-problems.ts';

/**
 * The contract does not show the content of the file (4.6): nothing is counted if its form is unknown or the input is
 * missing.
 */
export function checkDistributions(
  bytes: Uint8Array | string,
  input: InputText | null,
): ResultCheck {
  if (input === null) return { ok: true };
  const columns = readFasta(input.text).records[0]?.residues.length ?? 0;
  for (const [name, length] of distributionLengths(bytes)) {
    if (length === columns) continue;
    const message = `The distributions have ${length} values of ${name}, the alignment has ${columns} columns.`;
    return resultProblem(RESULT_PROBLEMS.missingValues, message);
  }
  return { ok: true };
}
