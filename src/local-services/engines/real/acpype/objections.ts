/**
 * What ACPYPE gets wrong and calls a success. The service looks at each result once more, because whoever fetched it
 * would simulate a molecule that is not theirs. Pure.
 *
 * Rejected: refusing such inputs at submission, which needs the chemistry of the client here; sharing its code
 * would let both be wrong together.
 */
import type { MoleculeJob } from '../../engine.ts';
import type { FileSet } from './file-set.ts';
import { mol2Atoms, type Atom } from './mol2.ts';

/** Units of the elementary charge; the charges of atoms are rounded to 1e-6. */
const CHARGE_TOLERANCE = 0.1;
/** Between two bonds of a carbon that needs no third, in degrees: 180, and in strained rings with a triple bond 155. */
const LINEAR = 150;
/** Sum of the angles at a carbon that needs no fourth bond: 360 degrees, in fullerenes 348. One that lacks a hydrogen has 328 to 340. */
const FLAT = 342;

/** Why the result is not the one that was asked for; null when nothing speaks against it. */
export function objectionTo(job: MoleculeJob, files: FileSet): string | null {
  const atoms = mol2Atoms(files.mol2);
  if (atoms.length === 0) return 'The mol2 file of the result has no atoms.';
  // Open Babel gives a SMILES all its hydrogens, and places them too roughly in small rings to be judged by.
  const bare = job.inputFile === null ? null : missingHydrogens(atoms);
  return severalMolecules(atoms) ?? bare ?? wrongCharge(atoms, job.netCharge);
}

/** A salt or a mixture: ACPYPE gives one topology for all. */
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

/** ACPYPE takes a file's atoms as all there are, and finds types for a benzene of six. */
function missingHydrogens(atoms: readonly Atom[]): string | null {
  const bare = atoms.filter((atom) => isCarbon(atom) && lacksHydrogen(atom, atoms));
  if (bare.length === 0) return null;
  const names = bare.slice(0, 5).map(({ name }) => name);
  const more = bare.length > names.length ? ', …' : '';
  return `Hydrogens are missing at ${names.join(', ')}${more}; add them to the input.`;
}

/** By the place of its neighbours: bond orders are the engine's guess, and the geometry is the input's. */
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

/** With `gas` the engine does not look at the net charge that was asked for. */
function wrongCharge(atoms: readonly Atom[], asked: number | null): string | null {
  const charge = atoms.reduce((sum, atom) => sum + atom.charge, 0);
  if (Math.abs(charge - (asked ?? Math.round(charge))) <= CHARGE_TOLERANCE) return null;
  // Without it, -0.0004 would be called "-0.000".
  const rounded = (Math.round(charge * 1000) / 1000 || 0).toFixed(3);
  const wanted = asked === null ? 'no whole number' : `not to the net charge of ${String(asked)}`;
  return `The charges of the atoms add up to ${rounded}, ${wanted}.`;
}
