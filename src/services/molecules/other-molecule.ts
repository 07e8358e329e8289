/** The message for a result that is another molecule with the same formula. */
import type { Difference } from '../../results/compare-molecules.ts';
import {
  RESULT_PROBLEMS,
  resultProblem,
  type ResultProblem,
} from '../../results/result-problems.ts';

/** @param nameOf an atom of the result, in its files */
export function differenceProblem(
  difference: Difference,
  formula: string,
  nameOf: (atom: number) => string,
): ResultProblem {
  switch (difference.type) {
    case 'bonds':
      return resultProblem(
        RESULT_PROBLEMS.otherMolecule,
        `The result is another molecule: an isomer, ${formula} like the input, with other bonds.`,
      );
    case 'hydrogens':
      return resultProblem(
        RESULT_PROBLEMS.otherTautomer,
        `The result is another tautomer of the input: ${formula}, the same skeleton, with hydrogens on other atoms.`,
      );
    case 'centre': {
      const where = difference.atom === null ? '' : ` at ${nameOf(difference.atom)}`;
      return resultProblem(
        RESULT_PROBLEMS.otherStereo,
        `The result is another stereoisomer of the input: its configuration${where} is not the one that the input specifies.`,
      );
    }
    case 'doubleBond':
      return resultProblem(
        RESULT_PROBLEMS.otherStereo,
        'The result is another stereoisomer of the input: a double bond is cis in one and trans in the other.',
      );
  }
}
