/** The chains of a shift file, with the engine's residue names: one letter each. */
import { ONE_LETTER } from '../../domain/amino-acids.ts';
import { readShiftTable } from './shifts-input.ts';

interface Chain {
  readonly name: string;
  /** `X` if it is none of the twenty. */
  readonly residues: string;
  /** Whether any of its atoms has a shift. */
  readonly measured: boolean;
}

/** In file order; empty if it cannot be read. */
export function readChains(text: string): readonly Chain[] {
  const chains = new Map<string, Chain>();
  for (const { chain: name, name: residue, atoms } of readShiftTable(text)?.residues ?? []) {
    const former = chains.get(name) ?? { name, residues: '', measured: false };
    chains.set(name, {
      name,
      residues: former.residues + (ONE_LETTER[residue.toUpperCase()] ?? 'X'),
      measured: former.measured || atoms.size > 0,
    });
  }
  return [...chains.values()];
}
