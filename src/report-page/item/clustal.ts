/**
 * The colours of ClustalX: a residue is coloured by its chemistry if enough of its column agrees (Larkin et al. 2007,
 * doi:10.1093/bioinformatics/btm404). Pure.
 */

export const COLOURS = [
  'hydrophobic',
  'positive',
  'negative',
  'polar',
  'cysteine',
  'glycine',
  'proline',
  'aromatic',
] as const;
export type Colour = (typeof COLOURS)[number];

/** More than this percentage of the rows, gaps included, have one of the residues. */
type Rule = readonly [above: number, residues: string];

const APOLAR: Rule = [60, 'WLVIMAFCHP'];
const CHARGED: Rule = [60, 'KR'];

interface Scheme {
  readonly colour: Colour;
  readonly residues: string;
  /** One matching rule is enough. */
  readonly rules: readonly Rule[];
}

const SCHEMES: readonly Scheme[] = [
  { colour: 'hydrophobic', residues: 'AILMFWV', rules: [APOLAR] },
  { colour: 'positive', residues: 'KR', rules: [CHARGED, [80, 'KRQ']] },
  { colour: 'negative', residues: 'E', rules: [CHARGED, [50, 'QE'], [85, 'EQD']] },
  { colour: 'negative', residues: 'D', rules: [CHARGED, [85, 'KRQ'], [50, 'ED']] },
  {
    colour: 'polar',
    residues: 'N',
    rules: [
      [50, 'N'],
      [85, 'NY'],
    ],
  },
  { colour: 'polar', residues: 'Q', rules: [CHARGED, [50, 'QE'], [85, 'QEKR']] },
  { colour: 'polar', residues: 'ST', rules: [APOLAR, [50, 'TS'], [85, 'ST']] },
  { colour: 'cysteine', residues: 'C', rules: [[85, 'C']] },
  // If not conserved, it counts as hydrophobic.
  { colour: 'hydrophobic', residues: 'C', rules: [APOLAR] },
  { colour: 'glycine', residues: 'G', rules: [[0, 'G']] },
  { colour: 'proline', residues: 'P', rules: [[0, 'P']] },
  { colour: 'aromatic', residues: 'HY', rules: [APOLAR, [85, 'WYACPQFHILMV']] },
];

/** Residue → its colour, in a column of these residues. */
export function columnColours(column: readonly string[]): ReadonlyMap<string, Colour> {
  const share = (residues: string): number =>
    (100 * column.filter((residue) => residue !== '' && residues.includes(residue)).length) /
    column.length;
  const colours = new Map<string, Colour>();
  for (const residue of new Set(column)) {
    const scheme = SCHEMES.find(
      ({ residues, rules }) =>
        residue !== '' &&
        residues.includes(residue) &&
        rules.some(([above, others]) => share(others) > above),
    );
    if (scheme !== undefined) colours.set(residue, scheme.colour);
  }
  return colours;
}

/** The most frequent residue, in lower case if fewer than half of the rows have it; `-` if all have a gap. */
export function consensusOf(column: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const residue of column) {
    if (residue !== '-' && residue !== '') counts.set(residue, (counts.get(residue) ?? 0) + 1);
  }
  let [found, most] = ['-', 0];
  for (const [residue, count] of counts) if (count > most) [found, most] = [residue, count];
  return most * 2 > column.length ? found : found.toLowerCase();
}
