/** A molecule's files for GROMACS (its manual, file formats): the topology, `X_GMX.itp`, and coordinates, `X_GMX.gro`. */
import { readPlace } from './pdb.ts';

interface TopologyAtom {
  readonly name: string;
  /** Of the force field. */
  readonly type: string;
  /** Elementary charges. */
  readonly charge: number;
  /** Atomic mass units. */
  readonly mass: number;
}

export interface Topology {
  readonly name: string;
  readonly atoms: readonly TopologyAtom[];
  /** Pairs of indices into `atoms`, from 0. */
  readonly bonds: readonly (readonly [number, number])[];
}

/** Null if the text lists no atoms. */
export function readTopology(itp: string): Topology | null {
  const atoms: TopologyAtom[] = [];
  const indices = new Map<string, number>();
  for (const [number, type, , , name, , charge, mass] of readSection(itp, 'atoms')) {
    if (number === undefined || type === undefined || name === undefined) return null;
    if (!Number.isFinite(Number(charge))) return null;
    indices.set(number, atoms.length);
    atoms.push({ name, type, charge: Number(charge), mass: Number(mass) || 0 });
  }
  const bonds = readSection(itp, 'bonds').flatMap(([from, to]): (readonly [number, number])[] => {
    const pair = [indices.get(from ?? ''), indices.get(to ?? '')] as const;
    return pair[0] === undefined || pair[1] === undefined ? [] : [[pair[0], pair[1]]];
  });
  const name = readSection(itp, 'moleculetype')[0]?.[0] ?? '';
  return atoms.length === 0 ? null : { name, atoms, bonds };
}

/** Sum of the charges, without the rounding errors of binary fractions: files have six decimals. */
export function sumCharges(atoms: readonly Pick<TopologyAtom, 'charge'>[]): number {
  const sum = atoms.reduce((total, { charge }) => total + charge, 0);
  return Math.round(sum * 1e6) / 1e6 || 0;
}

/**
 * The lines of all sections of this name, split at spaces: proper and improper dihedral angles have one each. Comments,
 * empty lines and `#` directives are left out.
 */
function readSection(itp: string, name: string): string[][] {
  const [, ...parts] = itp.split(/^[ \t]*\[ */m);
  const own = parts.filter((part) => part.slice(0, part.indexOf(']')).trim() === name);
  return own.flatMap((part) =>
    part
      .split('\n')
      .slice(1)
      .flatMap((line) => {
        const text = line.replace(/;.*/, '').trim();
        return text === '' || text.startsWith('#') ? [] : [text.split(/\s+/)];
      }),
  );
}

/** A title, the number of atoms, one line per atom, the box. The file has nanometres. */
export function readGro(text: string) {
  const [, number = '', ...lines] = text.trimEnd().split('\n');
  const rows = lines.slice(0, Number(number) || 0);
  // Residue, names and number take the first 20 columns; the number of decimals varies.
  const atoms = rows.flatMap((row) => {
    const [x, y, z] = readPlace(row.slice(20), /-?\d{1,9}\.\d{1,9}/g) ?? [];
    if (x === undefined || y === undefined || z === undefined) return [];
    return [{ name: row.slice(10, 15).trim(), place: [10 * x, 10 * y, 10 * z] as const }];
  });
  if (rows.length === 0 || atoms.length < Number(number)) {
    return `places ${atoms.length} of ${number.trim() || 'no'} atoms`;
  }
  const box = lines[rows.length]?.trim().split(/\s+/) ?? [];
  if (box.length < 3) return 'ends before its box';
  return { atoms, digit: 0.01 };
}
