/** When two runs of ACPYPE gave the same molecule. Pure. */
import { mol2Atoms } from '../../src/local-services/engines/real/acpype/mol2.ts';

/** Units of the elementary charge, an atom. */
const CHARGE_TOLERANCE = 0.01;

interface Comparison {
  readonly same: boolean;
  /** Atoms and types are the same, and only charges differ. */
  readonly chargesAlone: boolean;
  readonly detail: string;
}

/**
 * Same atoms, types and charges, atom by atom. Never the bytes: ACPYPE writes dates, and gives a SMILES other
 * coordinates each time.
 */
export function compareMolecules(recorded: string, now: string): Comparison {
  const [before, after] = [mol2Atoms(recorded), mol2Atoms(now)];
  if (before.length !== after.length || after.length === 0) {
    const detail = `${after.length} atoms, recorded ${before.length}`;
    return { same: false, chargesAlone: false, detail };
  }
  let furthest = 0;
  for (const [n, atom] of after.entries()) {
    const was = before[n];
    if (was?.name !== atom.name || was.type !== atom.type) {
      const detail = `atom ${n + 1} is ${atom.name} ${atom.type}, recorded ${was?.name} ${was?.type}`;
      return { same: false, chargesAlone: false, detail };
    }
    furthest = Math.max(furthest, Math.abs(atom.charge - was.charge));
  }
  const same = furthest <= CHARGE_TOLERANCE;
  const detail = `${after.length} atoms, charges within ${furthest.toFixed(4)}`;
  return { same, chargesAlone: !same, detail };
}

/** The step that failed, by the lines of the log; in this order, because a failed step makes later ones fail. */
const CLASSES: readonly (readonly [RegExp, string])[] = [
  [/Only ONE Residue is allowed/, 'residues'],
  [/Coordinates issues|Atoms TOO/, 'coordinates'],
  [/codec can't decode/, 'encoding'],
  [/Antechamber failed|Parmchk failed|Tleap failed/, 'antechamber'],
  // The newer ACPYPE, run as a command, ends with this message and not with those below.
  [/No parameters for atom/, 'input'],
  [/ACPYPE FAILED/, 'input'],
];

export function failureClass(log: string): string {
  return `failed: ${CLASSES.find(([line]) => line.test(log))?.[1] ?? 'unknown'}`;
}
