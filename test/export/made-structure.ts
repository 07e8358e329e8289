/** A structure file of a sequence: backbone atoms on a helix, in the columns of the PDB format. */

export interface Made {
  readonly chain?: string;
  /** Number of the first residue of the sequence. */
  readonly first?: number;
  /** Indices into the sequence of residues that are missing in the structure. */
  readonly without?: readonly number[];
}

const NAMES: Readonly<Record<string, string>> = {
  A: 'ALA',
  R: 'ARG',
  N: 'ASN',
  D: 'ASP',
  C: 'CYS',
  Q: 'GLN',
  E: 'GLU',
  G: 'GLY',
  H: 'HIS',
  I: 'ILE',
  L: 'LEU',
  K: 'LYS',
  M: 'MET',
  F: 'PHE',
  P: 'PRO',
  S: 'SER',
  T: 'THR',
  W: 'TRP',
  Y: 'TYR',
  V: 'VAL',
};

export function madeStructure(
  sequence: string,
  { chain = 'A', first = 1, without = [] }: Made = {},
): string {
  const lines: string[] = [];
  for (const [index, letter] of [...sequence].entries()) {
    if (without.includes(index)) continue;
    for (const [turn, [name, element]] of ATOMS.entries()) {
      const angle = (index + turn / 4) * 1.745;
      const places = [2.3 * Math.cos(angle), 2.3 * Math.sin(angle), 1.5 * (index + turn / 4)];
      lines.push(
        [
          'ATOM  ',
          String(lines.length + 1).padStart(5),
          ` ${name.padEnd(4)} ${NAMES[letter] ?? 'UNK'} ${chain}`,
          String(first + index).padStart(4),
          '    ',
          ...places.map((place) => place.toFixed(3).padStart(8)),
          '  1.00 20.00          ',
          element.padStart(2),
        ].join(''),
      );
      if (name === 'CA') lines.push(`ANISOU${(lines.at(-1) ?? '').slice(6)}`);
    }
  }
  const water = 'HETATM 9999  O   HOH W   1      50.000  50.000  50.000  1.00 30.00           O';
  return ['HEADER    MADE FOR A TEST', ...lines, 'TER', water, 'END', ''].join('\n');
}

const ATOMS = [
  ['N', 'N'],
  ['CA', 'C'],
  ['C', 'C'],
  ['O', 'O'],
] as const;
