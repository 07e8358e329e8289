/** Checks that there is a number for each residue, and the same predictors for each protein. */
import type { PayloadEntry } from '../../results/payload.ts';
import {
  RESULT_PROBLEMS,
  resultProblem,
  type ResultProblem,
} from '../../results/result-problems.ts';

/** A gap of an alignment has no value, by design. */
const GAP = '-';

/**
 * NaN and null are not predictions. Only if the payload shows the residues: otherwise a null may be a gap. Labels
 * (psper's `viterbi`) are words; a blank one means that there is nothing to label.
 */
export function checkNumbers({ id, sequence, values }: PayloadEntry): ResultProblem | null {
  if (sequence === '') return null;
  for (const [key, list] of Object.entries(values)) {
    if (list.some((value) => typeof value === 'string')) continue;
    const place = list.findIndex((value, at) => value === null && sequence[at] !== GAP);
    if (place === -1) continue;
    const message = `"${id}" has no number of ${key} for residue ${place + 1} (${sequence[place] ?? ''}).`;
    return resultProblem(RESULT_PROBLEMS.notANumber, message);
  }
  return null;
}

/** A predictor runs for all proteins of a job or for none. */
export function checkKeys(entries: readonly PayloadEntry[]): ResultProblem | null {
  const keys = new Set(entries.flatMap(({ values }) => Object.keys(values)));
  for (const { id, values } of entries) {
    const absent = [...keys].filter((key) => !(key in values));
    if (absent.length === 0) continue;
    const message = `"${id}" has no values of ${absent.join(', ')}, which others have.`;
    return resultProblem(RESULT_PROBLEMS.missingValues, message);
  }
  return null;
}
