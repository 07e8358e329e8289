/** Checks that the chains of a ShiftCrypt result are those of the file that was sent. */
import { readChains } from '../../inputs/shifts/chains.ts';
import type { PayloadEntry } from '../../results/payload.ts';
import {
  RESULT_PROBLEMS,
  resultProblem,
  type ResultProblem,
} from '../../results/result-problems.ts';

/**
 * Every chain of the result must be one of the file, residue by residue, and every measured chain must come back. A
 * chain may occur twice, as in a homodimer. Residues other than the twenty may be omitted or renamed.
 */
export function checkChains(entries: readonly PayloadEntry[], text: string): ResultProblem | null {
  const chains = readChains(text);
  const shown = entries.filter(({ sequence }) => sequence !== '');
  // If the payload shows no residues, or the file is unreadable, there is nothing to compare.
  if (chains.length === 0 || shown.length === 0) return null;
  const stranger = shown.find(
    ({ sequence }) => !chains.some((one) => isSame(one.residues, sequence)),
  );
  if (stranger !== undefined) {
    const message = `The residues of "${stranger.id}" match no chain that was sent.`;
    return resultProblem(RESULT_PROBLEMS.wrongSequence, message);
  }
  const lost = chains.find(
    ({ residues, measured }) =>
      measured && !shown.some(({ sequence }) => isSame(residues, sequence)),
  );
  if (lost === undefined) return null;
  const message = `Chain ${lost.name} was measured, but the result has no values for it.`;
  return resultProblem(RESULT_PROBLEMS.wrongSequence, message);
}

function isSame(sent: string, received: string): boolean {
  const letters = received.toUpperCase();
  if (sent.length !== letters.length) return known(sent) === known(letters);
  return [...sent].every((letter, at) => letter === 'X' || letter === letters[at]);
}

function known(residues: string): string {
  return residues.replaceAll('X', '');
}
