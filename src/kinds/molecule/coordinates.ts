/**
 * The files of a molecule that give the positions of its atoms: `X_GMX.gro` (GROMACS manual, file formats), `X_NEW.pdb`
 * (wwPDB format 3.3) and `X_AC.inpcrd` (AMBER file formats). And what any of its files may say about its atoms.
 */
import type { Place } from '../../domain/molecular-graph.ts';

/** Indices of bonded atoms, from 0: two of a bond, three of an angle, four of a dihedral angle. */
export type Term = readonly number[];

/** What one file says about the atoms, in its order. What its format does not contain is missing. */
export interface FileAtoms {
  readonly names?: readonly string[];
  /** Of the force field. */
  readonly types?: readonly string[];
  /** Elementary charges. */
  readonly charges?: readonly number[];
  /** Atomic mass units. */
  readonly masses?: readonly number[];
  /** Ångström. */
  readonly places?: readonly Place[];
  /** Of the places: the last printed digit, in ångström. */
  readonly digit?: number;
  readonly bonds?: readonly Term[];
  readonly angles?: readonly Term[];
  /** Proper and improper ones. */
  readonly dihedrals?: readonly Term[];
  /** What the force field says about these terms. */
  readonly parameters?: readonly Parameter<number>[];
}

/** Of a term of atoms (indices), or of atom types (their names). */
export interface Parameter<T extends number | string = string> {
  readonly kind: 'types' | 'bonds' | 'angles' | 'dihedrals' | 'impropers';
  readonly of: readonly T[];
  /**
   * In kilocalories per mole, ångström and degrees: of a bond or an angle the force constant and the rest, of a dihedral
   * angle the height, the period and the phase.
   */
  readonly values?: readonly number[] | undefined;
}

/** Or what is wrong with the file, in words that follow its name. */
export type ReadAtoms = FileAtoms | string;

/** The first three numbers of a line, by their decimals: long names shift the columns, and large numbers fill them. */
export function readPlace(text: string, number: RegExp): Place | null {
  const [x, y, z] = text.match(number) ?? [];
  return x === undefined || y === undefined || z === undefined
    ? null
    : [Number(x), Number(y), Number(z)];
}

/** A title, the number of atoms, one line per atom, the box. The file has nanometres. */
export function readGro(text: string): ReadAtoms {
  const [, number = '', ...lines] = text.trimEnd().split('\n');
  const rows = lines.slice(0, Number(number) || 0);
  // Residue, names and number take the first 20 columns; the number of decimals varies.
  const places = rows.flatMap((row): Place[] => {
    const place = readPlace(row.slice(20), /-?\d{1,9}\.\d{1,9}/g);
    return place === null ? [] : [[10 * place[0], 10 * place[1], 10 * place[2]]];
  });
  if (rows.length === 0 || places.length < Number(number)) {
    return `places ${places.length} of ${number.trim() || 'no'} atoms`;
  }
  const box = lines[rows.length]?.trim().split(/\s+/) ?? [];
  if (box.length < 3) return 'ends before its box';
  return { names: rows.map((row) => row.slice(10, 15).trim()), places, digit: 0.01 };
}

interface PdbAtoms extends FileAtoms {
  readonly places: readonly Place[];
  /** Symbols; '' if there is none. ACPYPE writes the first letter of the atom's type. */
  readonly symbols: readonly string[];
}

/** The atoms of a PDB file, as far as it goes. */
export function readPdb(text: string): PdbAtoms {
  const rows = text.split('\n').flatMap((line) => {
    const place = /^(?:ATOM|HETATM)/.test(line)
      ? readPlace(line.slice(20), /-?\d{1,9}\.\d{3}/g)
      : null;
    return place === null ? [] : [{ line, place }];
  });
  return {
    names: rows.map(({ line }) => line.slice(12, 16).trim()),
    places: rows.map(({ place }) => place),
    symbols: rows.map(({ line }) => /[A-Za-z]+\s*$/.exec(line.slice(60, 90))?.[0].trim() ?? ''),
    digit: 0.001,
  };
}

/** A title, the number of atoms, then columns of twelve characters; velocities and a box may follow. */
export function readInpcrd(text: string): ReadAtoms {
  const [, head = '', ...lines] = text.trimEnd().split('\n');
  const count = Number(head.trim().split(/\s+/)[0]) || 0;
  const numbers = lines.flatMap((line) => line.match(/.{12}/g) ?? []).map(Number);
  if (count <= 0 || numbers.length < 3 * count) {
    return `has ${numbers.length} coordinates for ${count || 'no'} atoms`;
  }
  const places = Array.from({ length: count }, (_, atom): Place => {
    const [x = NaN, y = NaN, z = NaN] = numbers.slice(3 * atom, 3 * atom + 3);
    return [x, y, z];
  });
  return places.flat().every(Number.isFinite)
    ? { places, digit: 0.001 }
    : 'has coordinates that are not numbers';
}
