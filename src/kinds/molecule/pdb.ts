/** PDB files of one small molecule (wwPDB format 3.3: ATOM and HETATM records): of the user, and of ACPYPE. */
import { parseElement } from './element.ts';
import { type Atom, makeStructure, type Structure, createUnreadable } from './structure.ts';
import type { Place } from '../../domain/chemistry.ts';

const FORMAT = 'PDB';

/** Of the user: fixed columns. */
export function readPdb(text: string): Structure {
  const lines = text.split(/\r\n|\n|\r/);
  const atoms: Atom[] = [];
  const residues = new Set<string>();
  const alternates = new Set<string>();
  let models = 0;
  for (const [index, line] of lines.entries()) {
    if (/^MODEL\s/.test(line)) models += 1;
    if (models > 1 || !/^(ATOM {2}|HETATM)/.test(line)) continue;
    const element = readAtomElement(line);
    const place = parsePlace(line);
    if (element === null) return createUnreadable(FORMAT, index + 1, 'its element is not clear');
    if (place === null)
      return createUnreadable(FORMAT, index + 1, 'its coordinates are not numbers');
    atoms.push({ element, place });
    residues.add(readResidueName(line));
    alternates.add(line.charAt(16).trim());
  }
  alternates.delete('');
  const several = { models, 'alternate locations': alternates.size };
  return makeStructure(FORMAT, { atoms, several, residues });
}

/** Columns 77-78; if they are blank, as in files of old programs, the atom name of columns 13-16. */
function readAtomElement(line: string): string | null {
  const written = parseElement(line.slice(76, 78));
  if (written !== null) return written;
  const name = line.slice(12, 16);
  const letters = /[A-Za-z]+/.exec(name)?.[0] ?? '';
  // `CL1` and `BR2` are halogens; in a ligand, `CA` and `HG` are much more often carbon and hydrogen than metals.
  const twoLetters = parseElement(letters.slice(0, 2));
  if (twoLetters === 'Cl' || twoLetters === 'Br') return twoLetters;
  const one = parseElement(letters.slice(0, 1));
  return one ?? twoLetters;
}

function parsePlace(line: string): Place | null {
  const columns = [line.slice(30, 38), line.slice(38, 46), line.slice(46, 54)] as const;
  if (!columns.every((column) => /^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/.test(column))) return null;
  const [x, y, z] = columns;
  return [Number(x), Number(y), Number(z)];
}

/** Residue name, chain, number and insertion code: columns 18-20 and 22-27. */
function readResidueName(line: string): string {
  return `${line.slice(17, 20).trim()} ${line.slice(21, 27).replaceAll(' ', '')}`.trim();
}

/** Of ACPYPE, as far as it goes. `symbol`: '' if there is none; it writes the first letter of the atom's type. */
export function readResultPdb(text: string) {
  const atoms = text.split('\n').flatMap((line) => {
    if (!/^(?:ATOM|HETATM)/.test(line)) return [];
    const place = readPlace(line.slice(20), /-?\d{1,9}\.\d{3}/g);
    const symbol = /[A-Za-z]+\s*$/.exec(line.slice(60, 90))?.[0].trim() ?? '';
    return place === null ? [] : [{ name: line.slice(12, 16).trim(), place, symbol }];
  });
  return { atoms, digit: 0.001 };
}

/** The first three numbers of a line, by their decimals: long names shift the columns, and large numbers fill them. */
export function readPlace(text: string, number: RegExp): Place | null {
  const [x, y, z] = text.match(number) ?? [];
  return x === undefined || y === undefined || z === undefined
    ? null
    : [Number(x), Number(y), Number(z)];
}
