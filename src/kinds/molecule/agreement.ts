/**
 * What a file of a result may say about a molecule, and whether two files are about the same one: by their atoms, or by the
 * atom types that they have parameters for.
 */
import { distanceOf, type Place } from '../../domain/molecular-graph.ts';

/** Indices of bonded atoms, from 0: two of a bond, three of an angle, four of a dihedral angle. */
export type Term = readonly number[];

/** What one file says about an atom. What its format does not contain is missing. */
export interface FileAtom {
  readonly name?: string;
  /** Of the force field. */
  readonly type?: string;
  /** Elementary charges. */
  readonly charge?: number;
  /** Atomic mass units. */
  readonly mass?: number;
  /** Ångström. */
  readonly place?: Place;
}

/** What one file says about the molecule. */
export interface FileAtoms {
  readonly atoms: readonly FileAtom[];
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

/** Files print six decimals or four (CNS). */
const CHARGE_TOLERANCE = 1e-4;
/** Elementary charges that ACPYPE moves at most to make the sum an integer. */
const MAX_BALANCE = 0.1;
/** Atomic mass units; files print five decimals. */
const MASS_TOLERANCE = 1e-3;

/** More than any atom has. It bounds the work for files that are not a molecule. */
const MAX_NEIGHBOURS = 8;

/** What is different in `one`, in words that follow its name; null if both may be about the same molecule. */
export function differenceOfAtoms(one: FileAtoms, other: FileAtoms): string | null {
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
  const isNear = (got: number, right: number): boolean => Math.abs(got - right) <= MASS_TOLERANCE;
  return (
    find(
      ({ name }) => name && plainName(name),
      agreeInName(one.atoms, other.atoms),
      (_, got, right) => `has an atom ${got} instead of ${right}`,
    ) ??
    find(
      ({ type }) => type && plainType(type),
      (got, right) => got === right,
      differs('type'),
    ) ??
    find(({ mass }) => mass, isNear, differs('mass')) ??
    find(
      ({ charge }) => charge,
      agreeInCharge(one.atoms, other.atoms),
      (name, got, right) => differs('charge')(name, got.toFixed(4), right.toFixed(4)),
    ) ??
    find(
      ({ place }) => place,
      agreeInPlace,
      (name, got, right) => `places ${name} ${distanceOf(got, right).toFixed(3)} Å away`,
    ) ??
    differenceOfTerms(one, other)
  );
}

/** Long names become equal when they are cut, and charmmgen changes one of two that are equal. */
function agreeInName(...files: readonly (readonly FileAtom[])[]) {
  const repeated = files.flatMap((atoms) => {
    const names = atoms.map(({ name = '' }) => plainName(name));
    return names.filter((name, at) => names.indexOf(name) < at);
  });
  return (got: string, right: string): boolean =>
    got === right || repeated.includes(got) || repeated.includes(right);
}

/** A prmtop has room for four characters; the engine writes those of GROMACS, CNS and PDB in capitals. */
function plainName(name: string): string {
  return name.slice(0, 4).toUpperCase();
}

/** GROMACS allows no type that begins with a digit: the engine writes `A2C` for `2C`. */
function plainType(type: string): string {
  return type.replace(/^A(?=\d)/, '');
}

/**
 * AMBER's files have the charges as computed, whose sum is off by up to 0.01. In those for GROMACS and CNS the engine
 * moved the rest to the atoms with the largest charge, so these may differ by as much as the sums.
 */
function agreeInCharge(atoms: readonly FileAtom[], others: readonly FileAtom[]) {
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

function differenceOfTerms(one: FileAtoms, other: FileAtoms): string | null {
  const pairs = [
    ['bonds', one.bonds, other.bonds],
    ['angles', one.angles, other.angles],
    ['dihedral angles', one.dihedrals, other.dihedrals],
  ] as const;
  const differing = pairs.find(([, got, right]) => {
    if (got === undefined || right === undefined) return false;
    const [keys, others] = [new Set(got.map(toKey)), new Set(right.map(toKey))];
    return keys.size !== others.size || [...keys].some((key) => !others.has(key));
  });
  return differing === undefined ? null : `lists other ${differing[0]}`;
}

/** A term has no direction. */
function toKey(term: Term | readonly string[]): string {
  return [term.join('-'), term.toReversed().join('-')].sort()[0] ?? '';
}

/** The atom types of a molecule, and those of the chains and stars that its bonds form: all that may have parameters. */
export function termsOf({ atoms, bonds = [] }: FileAtoms): Parameter[] {
  const sets = atoms.map(() => new Set<number>());
  for (const [one = 0, other = 0] of bonds) {
    sets[one]?.add(other);
    sets[other]?.add(one);
  }
  const around = sets.map((near) => [...near].slice(0, MAX_NEIGHBOURS));
  // In a ring of three, parmchk2 counts a chain of four whose ends are one atom.
  const longer = (chains: readonly Term[]): Term[] =>
    chains.flatMap((chain) =>
      (around[chain.at(-1) ?? 0] ?? [])
        .filter((next) => next !== chain.at(-2))
        .map((next) => [...chain, next]),
    );
  const angles = longer([...bonds, ...bonds.map((bond) => bond.toReversed())]);
  const stars = around.flatMap((near, centre) =>
    near.flatMap((a, i) =>
      near
        .slice(i + 1)
        .flatMap((b, j) => near.slice(i + j + 2).map((c): Term => [a, b, c, centre])),
    ),
  );
  const ofKind = (kind: Parameter['kind'], terms: readonly Term[]): Parameter<number>[] =>
    terms.map((of) => ({ kind, of }));
  return typed(atoms, [
    ...atoms.map((_, atom): Parameter<number> => ({ kind: 'types', of: [atom] })),
    ...ofKind('bonds', bonds),
    ...ofKind('angles', angles),
    ...ofKind('dihedrals', longer(angles)),
    ...ofKind('impropers', stars),
  ]);
}

/** With the atoms' types in place of the atoms, each once. */
export function typed(
  atoms: readonly FileAtom[],
  parameters: readonly Parameter<number>[],
): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const { of, ...rest } of parameters) {
    const parameter = { ...rest, of: of.map((atom) => atoms[atom]?.type ?? '') };
    found.set(`${keyOf(parameter)} ${rest.values?.join(' ')}`, parameter);
  }
  return [...found.values()];
}

function keyOf({ kind, of }: Parameter): string {
  const types = of.map(plainType);
  // The order of an improper dihedral differs between programs.
  return `${kind} ${kind === 'impropers' ? types.sort().join('-') : toKey(types)}`;
}

/** The first term of `some` that `all` does not have; null if it has all. `X` stands for any type. */
export function findMissing(some: readonly Parameter[], all: readonly Parameter[]): string | null {
  const known = new Set(all.map(keyOf));
  const missing = some.find(
    (one) =>
      !one.of.includes('X') &&
      !known.has(keyOf(one)) &&
      !known.has(keyOf({ ...one, of: ['X', ...one.of.slice(1, 3), 'X'] })),
  );
  return missing?.of.join('-') ?? null;
}

/** More terms than the sum of any dihedral angle has. It bounds the work. */
const MAX_SUM = 100;
/** Half of the last digits that files print: the first number of CNS has one decimal, and three for proper dihedrals. */
const TOLERANCES: Readonly<Record<Parameter['kind'], readonly number[]>> = {
  types: [],
  bonds: [0.11, 2e-4],
  angles: [0.06, 0.012],
  dihedrals: [1e-3, 0, 0.02],
  impropers: [0.06, 0, 0.02],
};

/** The first term of `one` that has other values in `other`; null if there is none. */
export function findUnequal(one: readonly Parameter[], other: readonly Parameter[]): string | null {
  const known = Map.groupBy(other, keyOf);
  const unequal = one.find(({ values, ...term }) => {
    const same = known.get(keyOf(term));
    if (values === undefined || same === undefined) return false;
    return !same.slice(0, MAX_SUM).some((right) => {
      // The phase of nothing may be any.
      if (values[0] === 0 && right.values?.[0] === 0) return true;
      return TOLERANCES[term.kind].every(
        (tolerance, n) => Math.abs((values[n] ?? NaN) - (right.values?.[n] ?? NaN)) <= tolerance,
      );
    });
  });
  return unequal?.of.join('-') ?? null;
}
