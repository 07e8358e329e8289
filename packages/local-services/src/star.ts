/**
 * The part of the STAR format (NEF and NMR-STAR) that the prediction service needs: which of the two a text is, and its
 * residues.
 */

/** The twenty amino acids: from three letters to one (IUPAC-IUB, 1983). */
const ONE_LETTER = new Map(
  'ALA:A ARG:R ASN:N ASP:D CYS:C GLN:Q GLU:E GLY:G HIS:H ILE:I LEU:L LYS:K MET:M PHE:F PRO:P SER:S THR:T TRP:W TYR:Y VAL:V'
    .split(' ')
    .map((pair) => [pair.slice(0, 3), pair.slice(4)]),
);

/** Tags of version 3, which name a category, and of 2.1, which do not. */
const NMR_STAR =
  /^\s*_(?:(?:Entry|Entity|Atom_chem_shift|Assembly)\.|Saveframe_category\s|Chem_shift_value\s)/m;

/** Detected from the contents, never declared (contract 4.3); null if it is neither. */
export function detectFormat(text: string): 'nef' | 'nmr-star' | null {
  if (!/^\s*data_/m.test(text)) return null;
  if (/^\s*_nef_/m.test(text)) return 'nef';
  return NMR_STAR.test(text) ? 'nmr-star' : null;
}

interface Chain {
  readonly chainCode: string;
  /** One-letter residues; X if it is not a standard amino acid. */
  readonly residues: readonly string[];
  readonly seqCodes: readonly number[];
}

/** The loops with the residues, with their columns for chain, number and residue. */
const SEQUENCE_LOOPS = [
  { loop: '_nef_sequence', chain: 'chain_code', number: 'sequence_code', residue: 'residue_name' },
  { loop: '_Entity_comp_index', chain: 'Entity_ID', number: 'ID', residue: 'Comp_ID' },
] as const;

/** The polymers of a NEF or NMR-STAR text; empty if there are none. */
export function readChains(text: string): Chain[] {
  for (const wanted of SEQUENCE_LOOPS) {
    const rows = readLoop(text, wanted.loop);
    const byChain = Map.groupBy(rows, (row) => row.get(wanted.chain) ?? '');
    const chains = [...byChain].map(([chainCode, residues]) => ({
      chainCode,
      residues: residues.map((row) => ONE_LETTER.get(row.get(wanted.residue) ?? '') ?? 'X'),
      seqCodes: residues.map((row) => Number(row.get(wanted.number))),
    }));
    if (chains.length > 0) return chains;
  }
  return [];
}

/** All rows of the loops of one category, as maps from column to value. Each row is one line. */
function readLoop(text: string, category: string): Map<string, string>[] {
  const rows: Map<string, string>[] = [];
  let columns: string[] | null = null;
  for (const raw of text.split(/\r\n|\r|\n/)) {
    const line = raw.trim();
    if (line === 'loop_') columns = [];
    else if (line === 'stop_') columns = null;
    else if (columns === null || line === '') continue;
    else if (line.startsWith('_')) columns.push(line);
    else if (columns[0]?.startsWith(`${category}.`) === true) {
      const values = line.split(/\s+/);
      rows.push(
        new Map(columns.map((name, n) => [name.slice(category.length + 1), values[n] ?? ''])),
      );
    }
  }
  return rows;
}
