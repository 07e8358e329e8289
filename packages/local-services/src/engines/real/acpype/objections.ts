/**
 * Detects wrong results that ACPYPE reports as successes. The service checks each result again, because its user would
 * simulate the wrong molecule. Pure.
 *
 * Rejected: refusing such inputs at submission, which needs the chemistry of the client here; with shared code, both
 * could be wrong in the same way.
 */
import type { MoleculeJob } from '../../engine.ts';
import type { FileSet } from './command.ts';

/** Units of the elementary charge; the charges of atoms are rounded to 1e-6. */
const CHARGE_TOLERANCE = 0.1;
/** Angle between two bonds of a carbon without a third, in degrees: 180, in strained rings with a triple bond 155. */
const LINEAR = 150;
/**
 * Sum of the angles at a carbon without a fourth bond: 360 degrees, in fullerenes 348. With a missing hydrogen, it has
 * 328 to 340.
 */
const FLAT = 342;

/** Why the result is not the requested one; null if there is no objection. */
export function objectionTo(job: MoleculeJob, files: FileSet): string | null {
  const atoms = mol2Atoms(files.mol2);
  if (atoms.length === 0) return 'The mol2 file of the result has no atoms.';
  // Open Babel adds all hydrogens to a SMILES, but its coordinates in small rings are too inaccurate for this check.
  const bare = job.inputFile === null ? null : missingHydrogens(atoms);
  return severalMolecules(atoms) ?? bare ?? wrongCharge(atoms, job.netCharge);
}

/** A salt or a mixture: ACPYPE writes one topology for all. */
function severalMolecules(atoms: readonly Atom[]): string | null {
  const left = new Set(atoms.keys());
  let molecules = 0;
  for (const first of left) {
    molecules += 1;
    const reached = [first];
    for (let at = reached.pop(); at !== undefined; at = reached.pop()) {
      if (left.delete(at)) reached.push(...(atoms[at]?.neighbours ?? []));
    }
  }
  return molecules === 1
    ? null
    : `The input has ${String(molecules)} molecules that are not bonded to each other; give one.`;
}

const isCarbon = ({ type }: Atom): boolean => /^c(?!l)/i.test(type);

/** ACPYPE assumes that a file's atoms are complete, and assigns types to six carbons without hydrogens. */
function missingHydrogens(atoms: readonly Atom[]): string | null {
  const bare = atoms.filter((atom) => isCarbon(atom) && lacksHydrogen(atom, atoms));
  if (bare.length === 0) return null;
  const names = bare.slice(0, 5).map(({ name }) => name);
  const more = bare.length > names.length ? ', …' : '';
  return `Hydrogens are missing at ${names.join(', ')}${more}; add them to the input.`;
}

/** From the positions of its neighbours: bond orders are the engine's guess, and the geometry is the input's. */
function lacksHydrogen(carbon: Atom, atoms: readonly Atom[]): boolean {
  const around = carbon.neighbours.flatMap((n) => atoms[n] ?? []);
  switch (around.length) {
    case 0:
      return true;
    case 1:
      // Carbon monoxide, cyanide, isocyanides.
      return around.every(isCarbon);
    case 2:
      return angles(carbon, around) < LINEAR;
    case 3:
      return angles(carbon, around) < FLAT;
    default:
      return false;
  }
}

/** Sum of the angles between all pairs of neighbours, in degrees. */
function angles(centre: Atom, around: readonly Atom[]): number {
  const arms = around.map(({ at }) => at.map((value, axis) => value - (centre.at[axis] ?? 0)));
  let sum = 0;
  for (const [n, one] of arms.entries()) {
    for (const other of arms.slice(n + 1)) sum += angle(one, other);
  }
  return sum;
}

function angle(one: readonly number[], other: readonly number[]): number {
  const dot = one.reduce((sum, value, axis) => sum + value * (other[axis] ?? 0), 0);
  const cosine = dot / (Math.hypot(...one) * Math.hypot(...other));
  return (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI;
}

/** With `gas` the engine ignores the requested net charge. */
function wrongCharge(atoms: readonly Atom[], asked: number | null): string | null {
  const charge = atoms.reduce((sum, atom) => sum + atom.charge, 0);
  if (Math.abs(charge - (asked ?? Math.round(charge))) <= CHARGE_TOLERANCE) return null;
  // Otherwise -0.0004 would be printed as "-0.000".
  const rounded = (Math.round(charge * 1000) / 1000 || 0).toFixed(3);
  const wanted = asked === null ? 'no whole number' : `not to the net charge of ${String(asked)}`;
  return `The charges of the atoms add up to ${rounded}, ${wanted}.`;
}

/** Reads the atoms and bonds of ACPYPE's mol2 file, the only one with coordinates, types, charges and bonds. Pure. */

interface Atom {
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
