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

/** Of the loops with the residues, in lower case: their number, name and, if it is a column, chain. */
const COLUMNS = [
  ['_nef_sequence.sequence_code', '_nef_sequence.residue_name', '_nef_sequence.chain_code'],
  ['_entity_comp_index.id', '_entity_comp_index.comp_id', '_entity_comp_index.entity_id'],
  ['_residue_seq_code', '_residue_label', ''],
] as const;

/** A loop of version 2.1 with it assigns shifts, and names residues too. */
const ATOM = '_atom_name';

/** A text between lines that begin with a semicolon, quoted words, comments, and all else. */
const TOKEN = /^;[^]*?\n;|'(?:[^'\n]|'(?=\S))*'|"(?:[^"\n]|"(?=\S))*"|(?<!\S)#[^\n]*|\S+/gm;

interface Loop {
  /** The save frame that it is in. */
  readonly frame: string;
  readonly tags: string[];
  readonly values: string[];
}

function readLoops(text: string): Loop[] {
  const loops: Loop[] = [];
  let frame = '';
  let open: Loop | null = null;
  for (const [token] of text.replaceAll(/\r\n?/g, '\n').matchAll(TOKEN)) {
    if (token.startsWith('#')) continue;
    const isTag = token.startsWith('_');
    if (token === 'loop_') loops.push((open = { frame, tags: [], values: [] }));
    else if (/^(stop_|data_|save_)/.test(token) || (isTag && open?.values.length)) {
      if (token.startsWith('save_')) frame = token.slice('save_'.length);
      open = null;
    } else if (isTag) open?.tags.push(token.toLowerCase());
    else open?.values.push(token.replace(/^(['"])(.*)\1$/, '$2'));
  }
  return loops;
}

/** The polymers of a NEF or NMR-STAR text; empty if there are none. */
export function readChains(text: string): Chain[] {
  const residues = readLoops(text).flatMap(({ frame, tags, values }) => {
    const own = COLUMNS.find(([number, name]) => tags.includes(number) && tags.includes(name));
    if (own === undefined || tags.includes(ATOM)) return [];
    const [number, name, chain] = own.map((tag) => tags.indexOf(tag));
    return Array.from({ length: Math.floor(values.length / tags.length) }, (_, row) => {
      const read = (column = -1): string | undefined => values[row * tags.length + column];
      const letter = ONE_LETTER.get(read(name)?.toUpperCase() ?? '') ?? 'X';
      return { chain: chain === -1 ? frame : read(chain), letter, code: Number(read(number)) };
    });
  });
  return [...Map.groupBy(residues, ({ chain = '' }) => chain)].map(([chainCode, own]) => ({
    chainCode,
    residues: own.map(({ letter }) => letter),
    seqCodes: own.map(({ code }) => code),
  }));
}
