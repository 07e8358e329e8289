/**
 * What the files of a result say about the atoms of the molecule, and whether two files are about the same one: those of
 * AMBER, CHARMM, CNS and GROMACS, as far as they can be compared.
 */
import { computeDistance, type Place } from '../../domain/chemistry.ts';
import { readGro, readTopology, readTypedMol2, readPlace, readResultPdb } from './formats.ts';

/** What one file says about an atom. What its format does not contain is missing. */
interface FileAtom {
  readonly name?: string;
  /** Of the force field. */
  readonly type?: string;
  /** Elementary charges. */
  readonly charge?: number;
  /** Ångström. */
  readonly place?: Place;
}

/** What one file says about the molecule. */
export interface FileAtoms {
  readonly atoms: readonly FileAtom[];
  /** Of the places: the last printed digit, in ångström. */
  readonly digit?: number;
  /** Indices of bonded atoms, from 0. */
  readonly bonds?: readonly (readonly number[])[];
}

/** Or what is wrong with the file, in words that follow its name. */
type ReadAtoms = FileAtoms | string;

/** The files that list atoms. Between them the first two have all that any file says about atoms. */
export const FILES_WITH_ATOMS = {
  GMX_itp: readItp,
  NEW_pdb: readResultPdb,
  GMX_OPLS_itp: readOplsItp,
  GMX_gro: readGro,
  AC_prmtop: readPrmtop,
  AC_inpcrd: readInpcrd,
  AC_lib: readLib,
  mol2: readTypedMol2,
  CHARMM_rtf: readRtf,
  CHARMM_inp: readCharmmInp,
  CNS_top: readCnsTop,
} as const satisfies Readonly<Record<string, (text: string) => ReadAtoms>>;

function readItp(text: string): ReadAtoms {
  return readTopology(text) ?? 'lists no atoms with charges';
}

/** Its types are guesses: `opls_x` where the engine knows none. */
function readOplsItp(text: string): ReadAtoms {
  const topology = readTopology(text);
  if (topology === null) return 'lists no atoms with charges';
  return { ...topology, atoms: topology.atoms.map(({ name, charge }) => ({ name, charge })) };
}

/** In a prmtop a charge is multiplied by this, so that the product of two is an energy in kcal/mol × Å. */
const CHARGE_UNIT = 18.2223;

/** The values of a section: `%FLAG` NAME, `%FORMAT(5E16.8)`, then values in columns of this width. */
export function readPrmtopValues(text: string, name: string): string[] {
  const [, section = ''] = text.split(new RegExp(`^%FLAG ${name}\\s`, 'm'));
  const [, width = '', rest = ''] = /^%FORMAT\(\d*[A-Za-z](\d+).*\n([^%]*)/m.exec(section) ?? [];
  const values = rest.match(new RegExp(`.{1,${Number(width) || 1}}`, 'g')) ?? [];
  return values.map((value) => value.trim()).filter((value) => value !== '');
}

function readPrmtop(text: string): ReadAtoms {
  const numbers = (name: string): number[] => readPrmtopValues(text, name).map(Number);
  const charges = numbers('CHARGE');
  const types = readPrmtopValues(text, 'AMBER_ATOM_TYPE');
  // Two atoms, as three times their index, and the number of the parameters.
  const pairs = groupInThrees(
    ['INC', 'WITHOUT'].flatMap((which) => numbers(`BONDS_${which}_HYDROGEN`)),
  );
  return {
    atoms: readPrmtopValues(text, 'ATOM_NAME').map((name, atom) => ({
      name,
      type: types[atom] ?? '',
      charge: (charges[atom] ?? NaN) / CHARGE_UNIT,
    })),
    bonds: pairs.map(([one, other]) => [one / 3, other / 3]),
  };
}

function groupInThrees(numbers: readonly number[]): (readonly [number, number, number])[] {
  return Array.from({ length: Math.floor(numbers.length / 3) }, (_, row) => {
    const [a = NaN, b = NaN, c = NaN] = numbers.slice(3 * row, 3 * row + 3);
    return [a, b, c];
  });
}

/** The tables of one unit, in alphabetical order: the velocities are the last. */
function readLib(text: string): ReadAtoms {
  const parts = text.split(/^!entry\.\S+\.unit\./m).map((part) => part.trimEnd().split('\n'));
  const rows = (name: string): string[][] => {
    const [, ...lines] = parts.find(([head = '']) => head.startsWith(`${name} `)) ?? [];
    return lines.map((line) => line.trim().split(/\s+/));
  };
  const [atoms, positions] = [rows('atoms'), rows('positions')];
  if (rows('velocities').length !== atoms.length) return 'ends before its last velocities';
  return {
    // The element is not read: for a type with several entries in the force field, as `cl` and `br`, the engine writes a
    // wrong one.
    atoms: atoms.map(([name = '', type = '', ...numbers], atom) => ({
      name: name.replaceAll('"', ''),
      type: type.replaceAll('"', ''),
      charge: Number(numbers.at(-1)),
      place: groupInThrees((positions[atom] ?? []).map(Number))[0] ?? [NaN, NaN, NaN],
    })),
    digit: 0.001,
    bonds: rows('connectivity').map(([one, other]) => [Number(one) - 1, Number(other) - 1]),
  };
}

/** A title, the number of atoms, then columns of twelve characters; velocities and a box may follow. */
function readInpcrd(text: string): ReadAtoms {
  const [, head = '', ...lines] = text.split('\n');
  const numbers = lines.flatMap((line) => line.match(/.{12}/g) ?? []).map(Number);
  const places = groupInThrees(numbers).slice(0, Number.parseInt(head, 10));
  return { atoms: places.map((place) => ({ place })), digit: 0.001 };
}

/** `ATOM C1    c3     -0.136100`, `BOND C1    H3           	! dist	    1.0943` */
function readRtf(text: string): ReadAtoms {
  return readNamedAtoms(text, /^ATOM +(\S+) +(\S+) +(\S+)/gm);
}

/** `ATOM C1    TYPE= c3_   CHARGE=   0.1264 END`, `BOND C     H   ` */
function readCnsTop(text: string): ReadAtoms {
  return readNamedAtoms(text, /^ATOM +(\S+) +TYPE= +(\S+)_ +CHARGE= *(\S+) END/gm);
}

function readNamedAtoms(text: string, atom: RegExp): ReadAtoms {
  const rows = [...text.matchAll(atom)];
  const indices = new Map(rows.map(([, name = ''], index) => [name, index]));
  const bonds = [...text.matchAll(/^BOND +(\S+) +(\S+)/gm)].map(([, ...names]) =>
    names.map((name) => indices.get(name) ?? -1),
  );
  return {
    atoms: rows.map(([, name = '', type = '', charge]) => ({ name, type, charge: Number(charge) })),
    // Two atoms of one name: which of them is bonded is unknown.
    ...(indices.size === rows.length && { bonds }),
  };
}

/** `    1    1 UNL  C      0.96200   0.01100   0.09000`: columns, which large numbers fill. */
function readCharmmInp(text: string): ReadAtoms {
  const atoms = [...text.matchAll(/^ *\d+ +\d+ .*$/gm)].flatMap(([line]): FileAtom[] => {
    const place = readPlace(line.slice(20), /-?\d{1,9}\.\d{5}/g);
    return place === null ? [] : [{ name: line.slice(16, 20).trim(), place }];
  });
  return { atoms, digit: 0.001 };
}

/** Files print six decimals or four (CNS). */
const CHARGE_TOLERANCE = 1e-4;
/** Elementary charges that ACPYPE moves at most to make the sum an integer. */
const MAX_BALANCE = 0.1;

/** What is different in `one`, in words that follow its name; null if both may be about the same molecule. */
export function compareAtoms(one: FileAtoms, other: FileAtoms): string | null {
  const [count, wanted] = [one.atoms.length, other.atoms.length];
  if (count !== wanted) return `lists ${count} atoms, not ${wanted}`;
  const find = <T>(
    valueOf: (atom: FileAtom) => T | undefined,
    agree: (got: T, right: T) => boolean,
    words: (name: string, got: T, right: T) => string,
  ): string | null => {
    for (const [atom, own] of one.atoms.entries()) {
      const [got, right] = [own, other.atoms[atom] ?? {}].map(valueOf);
      if (got === undefined || right === undefined || agree(got, right)) continue;
      return words(own.name ?? other.atoms[atom]?.name ?? `atom ${atom + 1}`, got, right);
    }
    return null;
  };
  // Half of the last digit of each, and some room.
  const tolerance = 0.6 * ((one.digit ?? 0) + (other.digit ?? 0));
  const agreeInPlace = (got: Place, right: Place): boolean =>
    got.every((x, axis) => Math.abs(x - (right[axis] ?? NaN)) <= tolerance);
  const differs = (what: string) => (name: string, got: string | number, right: string | number) =>
    `gives ${name} the ${what} ${got}, not ${right}`;
  return (
    find(
      ({ name }) => name && normaliseAtomName(name),
      haveSameNames(one.atoms, other.atoms),
      (_, got, right) => `has an atom ${got} instead of ${right}`,
    ) ??
    find(
      ({ type }) => type && normaliseAtomType(type),
      (got, right) => got === right,
      differs('type'),
    ) ??
    find(
      ({ charge }) => charge,
      haveSameCharge(one.atoms, other.atoms),
      (name, got, right) => differs('charge')(name, got.toFixed(4), right.toFixed(4)),
    ) ??
    find(
      ({ place }) => place,
      agreeInPlace,
      (name, got, right) => `places ${name} ${computeDistance(got, right).toFixed(3)} Å away`,
    ) ??
    (haveSameBonds(one, other) ? null : 'lists other bonds')
  );
}

/** Long names become equal when they are cut, and charmmgen changes one of two that are equal. */
function haveSameNames(...files: readonly (readonly FileAtom[])[]) {
  const repeated = files.flatMap((atoms) => {
    const names = atoms.map(({ name = '' }) => normaliseAtomName(name));
    return names.filter((name, at) => names.indexOf(name) < at);
  });
  return (got: string, right: string): boolean =>
    got === right || repeated.includes(got) || repeated.includes(right);
}

/** A prmtop has room for four characters; the engine writes those of GROMACS, CNS and PDB in capitals. */
function normaliseAtomName(name: string): string {
  return name.slice(0, 4).toUpperCase();
}

/** GROMACS allows no type that begins with a digit: the engine writes `A2C` for `2C`. */
export function normaliseAtomType(type: string): string {
  return type.replace(/^A(?=\d)/, '');
}

/**
 * AMBER's files have the charges as computed, whose sum is off by up to 0.01. In those for GROMACS and CNS the engine
 * moved the rest to the atoms with the largest charge, so these may differ by as much as the sums.
 */
function haveSameCharge(atoms: readonly FileAtom[], others: readonly FileAtom[]) {
  const sum = (list: readonly FileAtom[]): number =>
    list.reduce((total, { charge = 0 }) => total + charge, 0);
  const largest = (list: readonly FileAtom[]): number =>
    list.reduce((most, { charge = 0 }) => Math.max(most, Math.abs(charge)), 0);
  const rest = Math.min(Math.abs(sum(atoms) - sum(others)), MAX_BALANCE);
  const [most, mostOfOthers] = [largest(atoms), largest(others)];
  return (got: number, right: number): boolean => {
    const balanced =
      Math.abs(got) >= most - CHARGE_TOLERANCE ||
      Math.abs(right) >= mostOfOthers - CHARGE_TOLERANCE;
    return Math.abs(got - right) <= CHARGE_TOLERANCE + (balanced ? rest : 0);
  };
}

function haveSameBonds(one: FileAtoms, other: FileAtoms): boolean {
  if (one.bonds === undefined || other.bonds === undefined) return true;
  const [keys, others] = [one.bonds, other.bonds].map((bonds) => {
    const pairs = bonds.map((pair) => [...pair].sort((a, b) => a - b).join('-'));
    return [...new Set(pairs)].sort().join(' ');
  });
  return keys === others;
}
