/** `pdb`: the user's structure, with a predictor's values as B factors. */
import type { Added, Exporter, ExportFormat, ExportItem } from './format.ts';
import { whyLeftOut, type LeftOut } from './left-out.ts';
import { namedProteins } from './proteins.ts';
import { ungapped, withoutGaps } from './regions.ts';
import { ONE_LETTER } from '../domain/amino-acids.ts';

export const pdb: ExportFormat = {
  name: 'pdb',
  kinds: ['sequence', 'alignment'],
  content: "your structure file (column structure) with a predictor's values as B factors",
  loadedBy: 'Biopython, PyMOL, ChimeraX, VMD',
  files: [],
  takes: ['reading'],
  structure: 'needed',
  start: ({ predictor }): Exporter => ({
    add: (item) => addStructure(item, predictor),
    end: () => [],
  }),
};

/** B factor of atoms without a value. */
const NO_VALUE = -1;

function addStructure(item: ExportItem, track: string): Added {
  const structure = colourStructure(item, track);
  if ('code' in structure) return { leftOut: structure };
  const text = withValues(item.structure?.text ?? '', structure, track);
  return { pieces: [{ file: `${item.id}.pdb`, text }], notes: structure.notes };
}

function withValues(text: string, { residues }: ColouredStructure, track: string): string {
  const values = new Map(
    residues.map(({ chain, number, insertion, value }) => [
      `${chain}${String(number).padStart(4)}${insertion.padEnd(1)}`,
      value,
    ]),
  );
  const remark = `REMARK 999 B FACTORS ARE ${track} OF HUNDREDFOLD; ${NO_VALUE}.00 WHERE THERE IS NONE`;
  const lines = text.split(/\r?\n/).flatMap((line) => {
    // The old displacements would contradict the new column.
    if (line.startsWith('ANISOU')) return [];
    if (!isAtom(line)) return [line];
    const value = (values.get(residueKey(line)) ?? NO_VALUE).toFixed(2).padStart(6);
    return [`${line.padEnd(66).slice(0, 60)}${value}${line.slice(66)}`.trimEnd()];
  });
  const head = lines.findIndex((line) => isAtom(line) || line.startsWith('MODEL'));
  lines.splice(Math.max(0, head), 0, remark);
  return lines.join('\n');
}

/** Assigns a predictor's values to the residues of the user's structure. */
interface ColouredResidue extends ChainResidue {
  readonly chain: string;
  /** Null if the predictor has none. */
  readonly value: number | null;
}

interface ColouredStructure {
  /** The residues of the chains that match the item's sequence. */
  readonly residues: readonly ColouredResidue[];
  readonly notes: readonly string[];
}

/** @param track the payload's key: `backbone` */
function colourStructure(item: ExportItem, track: string): ColouredStructure | LeftOut {
  const { name = '', text = '' } = item.structure ?? {};
  const chains = readChains(text);
  if (chains.length === 0) {
    return whyLeftOut('STRUCTURE_UNREADABLE', { name, mmcif: /^data_/m.test(text) });
  }
  const proteins = namedProteins(item, item.reading).map(({ name: called, protein }) => {
    const values = protein.tracks[track];
    const sequence = ungapped(protein.residues).toUpperCase();
    return { called, sequence, values: values && withoutGaps(values, protein.residues) };
  });
  if (proteins.every(({ values }) => values === undefined)) return noTrack(item, track);
  const residues: ColouredResidue[] = [];
  const notes: string[] = [];
  for (const { id, residues: own } of chains) {
    const fits = proteins.flatMap((protein) => {
      const indices = matchChain(own, protein.sequence);
      return indices === null ? [] : [{ ...protein, indices }];
    });
    const [fit, other] = fits;
    if (fit === undefined) notes.push(`chain ${id} of ${name} does not match its sequence`);
    if (other !== undefined)
      notes.push(
        `chain ${id} of ${name} matches several of its sequences; ${fit?.called ?? ''} is shown`,
      );
    residues.push(...(fit === undefined ? [] : coloured(id, own, fit.indices, fit.values ?? [])));
  }
  if (residues.length > 0) return { residues, notes };
  const ids = chains.map(({ id }) => id.trim() || '(blank)');
  return whyLeftOut('STRUCTURE_DIFFERS', { name, chains: ids });
}

function coloured(
  chain: string,
  residues: Chain['residues'],
  indices: readonly number[],
  values: readonly (number | string | null)[],
): ColouredResidue[] {
  return residues.map((residue, place) => {
    const value = values[indices[place] ?? -1];
    return { ...residue, chain, value: typeof value === 'number' ? value : null };
  });
}

export function noTrack({ reading }: ExportItem, track: string): LeftOut {
  const known =
    reading?.kind === 'sequence' || reading?.kind === 'alignment'
      ? Object.keys(reading.proteins[0]?.tracks ?? {})
      : [];
  return whyLeftOut('NO_TRACK', { track, known });
}

/** Shorter ones match by chance. */
const SHORTEST = 5;

/**
 * Indices into the sequence, from 0, in residue order. Every letter must match: nobody would check the score of an
 * alignment. If the residue numbers count the missing residues, gaps are
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

interface ChainResidue {
  /** Number and insertion code: `12`, `12A`. */
  readonly number: number;
  readonly insertion: string;
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
function residueKey(line: string): string {
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
