/** The chains of a PDB file (wwPDB, file format 3.3): which residues have coordinates, and under which numbers. */
import { ONE_LETTER } from '../../domain/amino-acids.ts';

export interface Residue {
  /** Number and insertion code: `12`, `12A`. */
  readonly number: number;
  readonly insertion: string;
  /** One letter; `X` for what is none of the twenty, or one of their common modifications. */
  readonly letter: string;
}

export interface Chain {
  /** One letter; a blank where the file names none. */
  readonly id: string;
  readonly residues: readonly Residue[];
}

const LETTERS: Readonly<Record<string, string>> = {
  ...ONE_LETTER,
  // Selenomethionine and phosphorylated residues stand in HETATM records and are part of the chain.
  MSE: 'M',
  SEP: 'S',
  TPO: 'T',
  PTR: 'Y',
};

/** Of an atom line: chain, number and insertion code of its residue. */
export function residueKey(line: string): string {
  return line.slice(21, 27);
}

export function isAtom(line: string): boolean {
  return line.startsWith('ATOM  ') || line.startsWith('HETATM');
}

/** Those of the first model, in the order of the file. Ligands and waters are no part of a chain. */
export function readChains(pdb: string): readonly Chain[] {
  const chains = new Map<string, Residue[]>();
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
