/** A molecule's topology, `X_GMX.itp` (GROMACS manual, topology file formats). */

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
  for (const [number, type, , , name, , charge, mass] of section(itp, 'atoms')) {
    if (number === undefined || type === undefined || name === undefined) return null;
    if (!Number.isFinite(Number(charge))) return null;
    indices.set(number, atoms.length);
    atoms.push({ name, type, charge: Number(charge), mass: Number(mass) || 0 });
  }
  const bonds = section(itp, 'bonds').flatMap(([from, to]): (readonly [number, number])[] => {
    const pair = [indices.get(from ?? ''), indices.get(to ?? '')] as const;
    return pair[0] === undefined || pair[1] === undefined ? [] : [[pair[0], pair[1]]];
  });
  const name = section(itp, 'moleculetype')[0]?.[0] ?? '';
  return atoms.length === 0 ? null : { name, atoms, bonds };
}

/** Sum of the charges, without the rounding errors of binary fractions: files have six decimals. */
export function totalCharge(atoms: readonly Pick<TopologyAtom, 'charge'>[]): number {
  const sum = atoms.reduce((total, { charge }) => total + charge, 0);
  return Math.round(sum * 1e6) / 1e6 || 0;
}

/** The lines of a section, split at spaces; comments, empty lines and `#` directives are left out. */
function section(itp: string, name: string): string[][] {
  const head = new RegExp(`^\\s*\\[ *${name} *\\]`, 'm').exec(itp);
  if (head === null) return [];
  const rest = itp.slice(head.index + head[0].length);
  const end = rest.search(/^\s*\[/m);
  const lines = (end === -1 ? rest : rest.slice(0, end)).split('\n');
  return lines.flatMap((line) => {
    const text = line.replace(/;.*/, '').trim();
    return text === '' || text.startsWith('#') ? [] : [text.split(/\s+/)];
  });
}
