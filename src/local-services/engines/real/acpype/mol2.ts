/** Reads the atoms and bonds of ACPYPE's mol2 file, the only one with coordinates, types, charges and bonds. Pure. */

export interface Atom {
  readonly name: string;
  /** Å */
  readonly at: readonly [number, number, number];
  /** Of GAFF or AMBER. */
  readonly type: string;
  /** In units of the elementary charge. */
  readonly charge: number;
  /** Indexes in the list of atoms. */
  readonly neighbours: readonly number[];
}

function section(mol2: string, name: string): string[][] {
  const lines = mol2.split(/\r?\n/);
  const start = lines.indexOf(`@<TRIPOS>${name}`) + 1;
  if (start === 0) return [];
  const end = lines.findIndex((line, n) => n >= start && line.startsWith('@<TRIPOS>'));
  return lines
    .slice(start, end < 0 ? undefined : end)
    .filter((line) => line.trim() !== '')
    .map((line) => line.trim().split(/\s+/));
}

/** The atoms in file order; empty if it has none. */
export function mol2Atoms(mol2: string): Atom[] {
  const rows = section(mol2, 'ATOM');
  const places = new Map(rows.map(([id = ''], n) => [id, n]));
  const neighbours = rows.map(() => new Set<number>());
  for (const [, one = '', other = ''] of section(mol2, 'BOND')) {
    const [a, b] = [places.get(one), places.get(other)];
    if (a === undefined || b === undefined) continue;
    neighbours[a]?.add(b);
    neighbours[b]?.add(a);
  }
  return rows.map((row, n) => ({
    name: row[1] ?? '',
    at: [Number(row[2]), Number(row[3]), Number(row[4])],
    type: row[5] ?? '',
    charge: Number(row[8]),
    neighbours: [...(neighbours[n] ?? [])],
  }));
}
