/** The chains of a shift file, as the engine names their residues: one letter each. */
import { readShiftTable } from './nmr.ts';

export interface Chain {
  readonly name: string;
  /** `X` for what is none of the twenty. */
  readonly residues: string;
  /** Whether a shift of any of its atoms is given. */
  readonly measured: boolean;
}

const LETTERS: Readonly<Record<string, string>> = {
  ...{ ALA: 'A', ARG: 'R', ASN: 'N', ASP: 'D', CYS: 'C', GLN: 'Q', GLU: 'E', GLY: 'G', HIS: 'H' },
  ...{ ILE: 'I', LEU: 'L', LYS: 'K', MET: 'M', PHE: 'F', PRO: 'P', SER: 'S', THR: 'T', TRP: 'W' },
  ...{ TYR: 'Y', VAL: 'V' },
};

/** In the order of the file; none when it cannot be read. */
export function readChains(text: string): readonly Chain[] {
  const chains = new Map<string, Chain>();
  for (const { chain: name, name: residue, atoms } of readShiftTable(text)?.residues ?? []) {
    const former = chains.get(name) ?? { name, residues: '', measured: false };
    chains.set(name, {
      name,
      residues: former.residues + (LETTERS[residue.toUpperCase()] ?? 'X'),
      measured: former.measured || atoms.size > 0,
    });
  }
  return [...chains.values()];
}
