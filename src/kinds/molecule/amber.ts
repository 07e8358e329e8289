/**
 * The files of a molecule for AMBER that list its atoms: `X_AC.prmtop`, `X_AC.lib` and `X_AC.inpcrd` (AMBER file formats).
 */
import type { Place } from '../../domain/molecular-graph.ts';
import type { Parameter, ReadAtoms } from './agreement.ts';

/** In a prmtop a charge is multiplied by this, so that the product of two is an energy in kcal/mol × Å. */
const CHARGE_UNIT = 18.2223;

/** `%FLAG` NAME, `%FORMAT(5E16.8)`, then values in columns of this width. */
function readSections(prmtop: string): Map<string, readonly string[]> {
  const parts = prmtop.split(/^%FLAG +/m).slice(1);
  return new Map(
    parts.map((part) => {
      const [name = '', ...lines] = part.split('\n');
      const width = Number(/^%FORMAT\(\d*[A-Za-z](\d+)/m.exec(part)?.[1]) || 1;
      const values = lines
        .filter((line) => !line.startsWith('%'))
        .flatMap((line) => {
          const row = line.trimEnd();
          const columns = { length: Math.ceil(row.length / width) };
          return Array.from(columns, (_, n) => row.slice(n * width, (n + 1) * width).trim());
        });
      return [name.trim(), values];
    }),
  );
}

/** The last two sections are `SCREEN` and `IPOL`: with them the file is complete. */
export function readPrmtop(text: string): ReadAtoms {
  const sections = readSections(text);
  const values = (name: string): readonly string[] => sections.get(name) ?? [];
  const numbers = (name: string): number[] => values(name).map(Number);
  const at = numbers('POINTERS');
  const atoms = at[0] ?? 0;
  const times = (width: number, pointer: number): number => width * (at[pointer] ?? 0);
  const lengths: readonly (readonly [section: string, length: number])[] = [
    ...['ATOM_NAME', 'CHARGE', 'MASS', 'AMBER_ATOM_TYPE', 'SCREEN'].map(
      (name) => [name, atoms] as const,
    ),
    ['BONDS_INC_HYDROGEN', times(3, 2)],
    ['BONDS_WITHOUT_HYDROGEN', times(3, 12)],
    ['ANGLES_INC_HYDROGEN', times(4, 4)],
    ['ANGLES_WITHOUT_HYDROGEN', times(4, 13)],
    ['DIHEDRALS_INC_HYDROGEN', times(5, 6)],
    ['DIHEDRALS_WITHOUT_HYDROGEN', times(5, 14)],
    ['IPOL', 1],
  ];
  if (atoms === 0) return 'has no atoms';
  for (const [name, length] of lengths) {
    const found = values(name).length;
    if (found !== length) return `has ${found} of ${length} values in ${name}`;
  }
  const bonds = readTerms(numbers, 'bonds', 2, ['BOND_FORCE_CONSTANT', 'BOND_EQUIL_VALUE']);
  const angles = readTerms(numbers, 'angles', 3, ['ANGLE_FORCE_CONSTANT', 'ANGLE_EQUIL_VALUE']);
  const of = ['FORCE_CONSTANT', 'PERIODICITY', 'PHASE'].map((name) => `DIHEDRAL_${name}`);
  const dihedrals = readTerms(numbers, 'dihedrals', 4, of);
  return {
    atoms: values('ATOM_NAME').map((name, atom) => ({
      name,
      type: values('AMBER_ATOM_TYPE')[atom] ?? '',
      charge: Number(values('CHARGE')[atom]) / CHARGE_UNIT,
      mass: Number(values('MASS')[atom]),
    })),
    bonds: bonds.map((bond) => bond.of),
    angles: angles.map((angle) => angle.of),
    dihedrals: dihedrals.map((dihedral) => dihedral.of),
    parameters: [...bonds, ...angles, ...dihedrals],
  };
}

function readTerms(
  numbers: (name: string) => number[],
  kind: 'bonds' | 'angles' | 'dihedrals',
  width: number,
  columns: readonly string[],
): Parameter<number>[] {
  const values = columns.map((name) => numbers(name));
  const name = kind.toUpperCase();
  const all = ['INC', 'WITHOUT'].flatMap((which) => numbers(`${name}_${which}_HYDROGEN`));
  return Array.from({ length: all.length / (width + 1) }, (_, term) => {
    const own = all.slice(term * (width + 1), (term + 1) * (width + 1));
    return {
      kind: width === 4 && (own[3] ?? 0) < 0 ? 'impropers' : kind,
      // Three times their index, negative for special dihedral angles.
      of: own.slice(0, width).map((number) => Math.abs(number) / 3),
      values: values.map((column, n) => {
        const value = column[(own[width] ?? NaN) - 1] ?? NaN;
        return n > 0 && n === width - 2 ? (value * 180) / Math.PI : value;
      }),
    };
  });
}

/** The tables of one unit, in alphabetical order: the velocities are the last. */
export function readLib(text: string): ReadAtoms {
  const parts = text.split(/^!entry\.\S+\.unit\./m).slice(1);
  const tables = new Map(
    parts.map((part) => {
      const [head = '', ...lines] = part.split('\n');
      return [head.split(' ')[0], lines.filter((line) => line.trim() !== '')];
    }),
  );
  const rows = (name: string): string[][] =>
    (tables.get(name) ?? []).map((line) => line.trim().split(/\s+/));
  // Names in quotes, then the type's, and six numbers. The element is not read: for a type with several entries in the
  // force field, as `cl` and `br`, the engine writes a wrong one.
  const atoms = (tables.get('atoms') ?? []).map((line) =>
    /^ *"([^"]*)" +"([^"]*)"(.*)$/.exec(line),
  );
  const [positions, velocities] = [rows('positions'), rows('velocities')];
  const short = [positions, velocities].find(({ length }) => length !== atoms.length);
  if (atoms.length === 0 || short !== undefined) {
    const name = short === positions ? 'positions' : 'velocities';
    return `has ${short?.length ?? 0} ${name} for ${atoms.length} atoms`;
  }
  return {
    atoms: atoms.map((row, atom) => ({
      name: row?.[1] ?? '',
      type: row?.[2] ?? '',
      charge: Number(row?.[3]?.trim().split(' ').at(-1)),
      place: toPlace(positions[atom] ?? []),
    })),
    digit: 0.001,
    bonds: rows('connectivity').map(([one, other]) => [Number(one) - 1, Number(other) - 1]),
  };
}

function toPlace([x, y, z]: readonly unknown[]): Place {
  return [Number(x), Number(y), Number(z)];
}

/** A title, the number of atoms, then columns of twelve characters; velocities and a box may follow. */
export function readInpcrd(text: string): ReadAtoms {
  const [, head = '', ...lines] = text.trimEnd().split('\n');
  const count = Number(head.trim().split(/\s+/)[0]) || 0;
  const numbers = lines.flatMap((line) => line.match(/.{12}/g) ?? []).map(Number);
  if (count <= 0 || numbers.length < 3 * count) {
    return `has ${numbers.length} coordinates for ${count || 'no'} atoms`;
  }
  const atoms = Array.from({ length: count }, (_, atom) => {
    return { place: toPlace(numbers.slice(3 * atom, 3 * atom + 3)) };
  });
  return atoms.every(({ place }) => place.every(Number.isFinite))
    ? { atoms, digit: 0.001 }
    : 'has coordinates that are not numbers';
}
