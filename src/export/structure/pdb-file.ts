/** Reads the chains of a PDB file (wwPDB, file format 3.3): which residues have coordinates, and their numbers. */
import { ONE_LETTER } from '../../domain/amino-acids.ts';

export interface ChainResidue {
  /** Number and insertion code: `12`, `12A`. */
  readonly number: number;
  readonly insertion: string;
  /** One letter; `X` if it is neither one of the twenty nor one of their common modifications. */
  readonly letter: string;
}

export interface Chain {
  /** One letter; a space if the file has none. */
  readonly id: string;
  readonly residues: readonly ChainResidue[];
}

const LETTERS: Readonly<Record<string, string>> = {
  ...ONE_LETTER,
  // Selenomethionine and phosphorylated residues are in HETATM records, but belong to the chain.
  MSE: 'M',
  SEP: 'S',
  TPO: 'T',
  PTR: 'Y',
};

/** From an atom line: chain, number and insertion code of its residue. */
export function residueKey(line: string): string {
  return line.slice(21, 27);
}

export function isAtom(line: string): boolean {
  return line.startsWith('ATOM  ') || line.startsWith('HETATM');
}

/** The chains of the first model, in file order. Ligands and waters do not belong to a chain. */
export function readChains(pdb: string): readonly Chain[] {
  const chains = new Map<string, ChainResidue[]>();
  const seen = new Set<string>();
  for (const line of pdb.split('\n')) {
    if (line.startsWith('ENDMDL')) break;
    if (!isAtom(line)) continue;
    const letter = LETTERS[line.slice(17, 20).trim()];
    if (letter === undefined && line.startsWith('HETATM')) continue;
    const key = residueKey(line);
    if (seen.has(key)) continue;
    seen.add(key);
    const number = Number(line.slice(22, 26));
    if (!Number.isInteger(number)) continue;
    const residues = chains.get(line.slice(21, 22)) ?? [];
    residues.push({ number, insertion: line.slice(26, 27).trim(), letter: letter ?? 'X' });
    chains.set(line.slice(21, 22), residues);
  }
  return [...chains].map(([id, residues]) => ({ id, residues }));
}
