/** `pdb`: the user's structure, with a predictor's values as B factors. */
import { ONE_LETTER } from '../domain/chemistry.ts';
import {
  type Added,
  formatCodeBlock,
  type ExportFormat,
  type ExportItem,
  LeftOut,
  markSynthetic,
} from './format.ts';
import { createMissingTrack, nameProteins, removeGaps, removeGapValues } from './proteins.ts';

export const pdb: ExportFormat = {
  name: 'pdb',
  kinds: ['sequence', 'alignment'],
  content: "your structure file (column structure) with a predictor's values as B factors",
  loadedBy: 'Biopython, PyMOL, ChimeraX, VMD',
  takes: 'structure',
  next: (id) =>
    [
      formatCodeBlock('sh', [
        `pymol ${id}.pdb -d "spectrum b, blue_white_red, minimum=0, maximum=1"`,
      ]),
      formatCodeBlock('python', [
        'from Bio.PDB import PDBParser',
        '',
        `structure = PDBParser().get_structure("${id}", "${id}.pdb")`,
        'for residue in structure[0].get_residues():',
        '    if "CA" in residue:',
        '        print(residue.get_resname(), residue.get_id()[1], residue["CA"].get_bfactor())',
      ]),
    ].join('\n\n'),
  start: ({ predictor }) => ({ add: (item) => addStructure(item, predictor) }),
};

/** B factor of atoms without a value. */
const NO_VALUE = -1;

function addStructure(item: ExportItem, track: string): Added {
  const { name = '', text = '' } = item.structure ?? {};
  const chains = readChains(text);
  if (chains.length === 0) {
    const hint = /^data_/m.test(text) ? '; it looks like mmCIF: save it as PDB' : '';
    throw new LeftOut('STRUCTURE_UNREADABLE', `${name} contains no chain in PDB format${hint}`);
  }
  const { values, notes } = fitChains(item, track, chains);
  if (values.size === 0) {
    const ids = chains.map(({ id }) => id.trim() || '(blank)').join(', ');
    const why = 'matches its sequence, residue by residue, in exactly one place';
    throw new LeftOut('STRUCTURE_DIFFERS', `no chain of ${name} (${ids}) ${why}`);
  }
  const remarks = [
    ...markSynthetic(item, 'REMARK 999'),
    `REMARK 999 B FACTORS ARE ${track} OF HUNDREDFOLD; ${NO_VALUE}.00 WHERE THERE IS NONE`,
  ];
  return { files: [{ file: `${item.id}.pdb`, text: writeValues(text, values, remarks) }], notes };
}

/** The values by `readResidueKey`, in the chains that match the item's sequence. */
function fitChains(item: ExportItem, track: string, chains: readonly Chain[]) {
  const all = nameProteins(item);
  const proteins = all.flatMap(({ name, protein: { residues, tracks } }) => {
    const own = tracks[track];
    const sequence = removeGaps(residues).toUpperCase();
    return own === undefined ? [] : [{ name, sequence, values: removeGapValues(own, residues) }];
  });
  if (proteins.length === 0) throw createMissingTrack(track, all);
  const values = new Map<string, number>();
  const notes: string[] = [];
  for (const { id, residues } of chains) {
    const chain = `chain ${id} of ${item.structure?.name ?? ''}`;
    const [fit, other] = proteins.flatMap((protein) => {
      const indices = matchChain(residues, protein.sequence);
      return indices === null ? [] : [{ ...protein, indices }];
    });
    if (fit === undefined) notes.push(`${chain} does not match its sequence`);
    if (fit !== undefined && other !== undefined)
      notes.push(`${chain} matches several of its sequences; ${fit.name} is shown`);
    for (const [place, { key }] of residues.entries()) {
      const value = fit?.values[fit.indices[place] ?? -1];
      if (typeof value === 'number') values.set(key, value);
    }
  }
  return { values, notes };
}

/** @param values by chain, number and insertion code of a residue */
function writeValues(
  text: string,
  values: ReadonlyMap<string, number>,
  remarks: readonly string[],
): string {
  const lines = text.split(/\r?\n/).flatMap((line) => {
    // The old displacements would contradict the new column.
    if (line.startsWith('ANISOU')) return [];
    if (!isAtom(line)) return [line];
    const value = (values.get(readResidueKey(line)) ?? NO_VALUE).toFixed(2).padStart(6);
    return [`${line.padEnd(66).slice(0, 60)}${value}${line.slice(66)}`.trimEnd()];
  });
  const head = lines.findIndex((line) => isAtom(line) || line.startsWith('MODEL'));
  lines.splice(Math.max(0, head), 0, ...remarks);
  return lines.join('\n');
}

/** Shorter ones match by chance. */
const MIN_MATCH = 5;

/**
 * Indices into the sequence, from 0, in residue order. Every letter must match: nobody would check the score of an
 * alignment. If the residue numbers count the missing residues, gaps are allowed anywhere; otherwise the chain must be
 * one continuous part of the sequence.
 * @returns null if the chain does not match the sequence, or matches in several places
 */
export function matchChain(
  residues: readonly ChainResidue[],
  sequence: string,
): readonly number[] | null {
  const [first] = residues;
  if (first === undefined || residues.length < MIN_MATCH) return null;
  const fitting = (indexOf: (residue: ChainResidue, place: number) => number) =>
    [...sequence].flatMap((_, start) => {
      const indices = residues.map((residue, place) => start + indexOf(residue, place));
      return matchesSequence(residues, indices, sequence) ? [indices] : [];
    });
  const hasInsertions = residues.some(({ key }) => !key.endsWith(' '));
  const byNumbers = hasInsertions ? [] : fitting(({ number }) => number - first.number);
  // Of several matches, the one with the sequence's own numbers.
  const own = byNumbers.find(([start]) => start === first.number - 1);
  const [found] = byNumbers.length === 1 ? byNumbers : [own];
  const pieces = found === undefined ? fitting((_, place) => place) : [found];
  return pieces.length === 1 ? (pieces[0] ?? null) : null;
}

function matchesSequence(
  residues: readonly ChainResidue[],
  indices: readonly number[],
  sequence: string,
): boolean {
  const pairs = residues.map(({ letter }, place) => [letter, sequence[indices[place] ?? -1]]);
  const known = pairs.filter(([letter, own]) => letter !== 'X' && own !== 'X');
  return known.length >= MIN_MATCH && known.every(([letter, own]) => letter === own);
}

interface ChainResidue {
  /** Chain, number and insertion code: `A  12 `. */
  readonly key: string;
  readonly number: number;
  /** One letter; `X` if it is neither one of the twenty nor one of their common modifications. */
  readonly letter: string;
}

interface Chain {
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
function readResidueKey(line: string): string {
  return line.slice(21, 27);
}

function isAtom(line: string): boolean {
  return line.startsWith('ATOM  ') || line.startsWith('HETATM');
}

/** The chains of the first model of a PDB file (wwPDB, file format 3.3), in file order. Ligands and waters do not belong to a chain. */
export function readChains(pdb: string): readonly Chain[] {
  const chains = new Map<string, ChainResidue[]>();
  const seen = new Set<string>();
  for (const line of pdb.split('\n')) {
    if (line.startsWith('ENDMDL')) break;
    if (!isAtom(line)) continue;
    const letter = LETTERS[line.slice(17, 20).trim()];
    if (letter === undefined && line.startsWith('HETATM')) continue;
    const key = readResidueKey(line);
    if (seen.has(key)) continue;
    seen.add(key);
    const number = Number(line.slice(22, 26));
    if (!Number.isInteger(number)) continue;
    const residues = chains.get(line.slice(21, 22)) ?? [];
    residues.push({ key, number, letter: letter ?? 'X' });
    chains.set(line.slice(21, 22), residues);
  }
  return [...chains].map(([id, residues]) => ({ id, residues }));
}
