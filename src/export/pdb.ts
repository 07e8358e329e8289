/** `pdb`: the user's structure, with a predictor's values as B factors. */
import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve } from 'node:path';
import { ONE_LETTER } from '../domain/chemistry.ts';
import { readErrno } from '../domain/process.ts';
import type { ItemRecord } from '../store/item-record.ts';
import {
  type Added,
  formatCodeBlock,
  type ExportFormat,
  type ExportItem,
  LeftOut,
  markSynthetic,
} from './format.ts';
import { createMissingTrack, type NamedProtein, nameProteins } from './proteins.ts';

export const pdb: ExportFormat = {
  name: 'pdb',
  kinds: ['sequence', 'alignment'],
  content: "your structure file (column structure) with a predictor's values as B factors",
  loadedBy: 'Biopython, PyMOL, ChimeraX, VMD',
  next: (id) =>
    formatCodeBlock('sh', [
      `pymol ${id}.pdb -d "spectrum b, blue_white_red, minimum=0, maximum=1"`,
    ]),
  start: (predictor) => ({ add: (item) => addStructure(item, predictor) }),
};

/** B factor of atoms without a value. */
const NO_VALUE = -1;

async function addStructure(item: ExportItem, track: string): Promise<Added> {
  const { name, text } = await readStructure(item.record);
  const chains = readChains(text);
  if (chains.length === 0) {
    const hint = /^data_/m.test(text) ? '; it looks like mmCIF: save it as PDB' : '';
    throw new LeftOut('STRUCTURE_UNREADABLE', `${name} contains no chain in PDB format${hint}`);
  }
  const { values, notes } = fitChains(nameProteins(item), track, chains);
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

/**
 * The structure file named in the column `structure` of the manifest.
 * @throws LeftOut
 */
async function readStructure({
  user,
  source,
}: Pick<ItemRecord, 'user' | 'source'>): Promise<{ readonly name: string; readonly text: string }> {
  const name = (user['structure'] ?? '').trim();
  if (name === '')
    throw new LeftOut('STRUCTURE_UNNAMED', 'its row names no file in the column structure');
  const folder = resolve(dirname(source.file));
  const path = resolve(folder, name);
  const inside = relative(folder, path);
  // A manifest may come from another user: it must not open files outside its folder.
  if (inside.startsWith('..') || isAbsolute(inside))
    throw new LeftOut('STRUCTURE_OUTSIDE', `${name} is outside ${folder}`);
  try {
    return { name, text: await readFile(path, 'utf8') };
  } catch (error) {
    const why = readErrno(error) ?? String(error);
    throw new LeftOut('STRUCTURE_UNREADABLE', `${path} cannot be read (${why})`);
  }
}

/** The values by `readResidueKey`, in the chains that match a sequence. */
function fitChains(all: readonly NamedProtein[], track: string, chains: readonly Chain[]) {
  const proteins = all.filter(({ tracks }) => tracks[track] !== undefined);
  if (proteins.length === 0) throw createMissingTrack(track, all);
  const values = new Map<string, number>();
  const notes: string[] = [];
  for (const { id, residues } of chains) {
    const [fit, other] = proteins.flatMap(({ name, residues: sequence, tracks }) => {
      const indices = matchChain(residues, sequence.toUpperCase());
      return indices === null ? [] : [{ name, values: indices.map((at) => tracks[track]?.[at]) }];
    });
    if (fit === undefined) notes.push(`chain ${id} does not match its sequence`);
    else if (other !== undefined)
      notes.push(`chain ${id} matches several of its sequences; ${fit.name} is shown`);
    for (const [place, { key }] of residues.entries()) {
      const value = fit?.values[place];
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
 * alignment. By the residue numbers loops may be missing; otherwise the chain is one continuous part of the sequence.
 * @returns null if the chain does not match the sequence, or matches in several places
 */
export function matchChain(
  residues: readonly ChainResidue[],
  sequence: string,
): readonly number[] | null {
  const first = residues[0]?.number ?? 0;
  const findFits = (offsets: readonly number[]) =>
    [...sequence].flatMap((_, start) => {
      const indices = offsets.map((offset) => start + offset);
      return matchesSequence(residues, indices, sequence) ? [indices] : [];
    });
  const numbered = findFits(residues.map(({ number }) => number - first));
  const fits = numbered.length > 0 ? numbered : findFits([...residues.keys()]);
  const [only = null] = fits.length === 1 ? fits : [];
  // Of several, the one with the sequence's own numbers.
  return only ?? fits.find(([start]) => start === first - 1) ?? null;
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
