/**
 * Maps the residues of a chain to those of a sequence. Without alignment: every letter must match.
 *
 * Rejected: an alignment, because users would not check its score.
 */
import type { ChainResidue } from './pdb-file.ts';

/** Shorter ones match by chance. */
const SHORTEST = 5;

/**
 * Indices into the sequence, from 0, in residue order. If the residue numbers count the missing residues, gaps are
 * allowed anywhere; otherwise the chain must be one continuous part of the sequence.
 * @returns null if the chain does not match the sequence, or matches in several places
 */
export function matchChain(
  residues: readonly ChainResidue[],
  sequence: string,
): readonly number[] | null {
  if (residues.length < SHORTEST) return null;
  return matchByNumbers(residues, sequence) ?? matchAsPiece(residues, sequence);
}

function matchByNumbers(
  residues: readonly ChainResidue[],
  sequence: string,
): readonly number[] | null {
  const [first] = residues;
  if (first === undefined || residues.some(({ insertion }) => insertion !== '')) return null;
  const fits = [...sequence].flatMap((_, start) => {
    const indices = residues.map(({ number }) => start + number - first.number);
    return agree(residues, indices, sequence) ? [indices] : [];
  });
  // Of several matches, the one with the sequence's own numbers.
  return fits.length === 1
    ? (fits[0] ?? null)
    : (fits.find(([start]) => start === first.number - 1) ?? null);
}

function matchAsPiece(
  residues: readonly ChainResidue[],
  sequence: string,
): readonly number[] | null {
  const fits = [...sequence].flatMap((_, start) => {
    const indices = residues.map((_residue, index) => start + index);
    return agree(residues, indices, sequence) ? [indices] : [];
  });
  return fits.length === 1 ? (fits[0] ?? null) : null;
}

function agree(
  residues: readonly ChainResidue[],
  indices: readonly number[],
  sequence: string,
): boolean {
  let known = 0;
  for (const [place, { letter }] of residues.entries()) {
    const index = indices[place] ?? -1;
    const own = sequence[index];
    if (own === undefined) return false;
    if (letter === 'X' || own === 'X') continue;
    if (letter !== own) return false;
    known += 1;
  }
  return known >= SHORTEST;
}
