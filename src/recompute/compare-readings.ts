/** Compares two results: the one in the tree, and the recomputed one. Pure. */
import type {
  MoleculeReading,
  ProteinReading,
  ResultReading,
  ShiftsReading,
  Track,
} from '../results/reading.ts';

/** Maximum differences of values. */
export const TOLERANCES = {
  /** Per atom, in elementary charges. ACPYPE's charges depend slightly on the conformation. */
  charge: 0.01,
  /** For every value of a prediction. Services may round to three decimals. */
  prediction: 0.001,
} as const;

export interface Agreement {
  readonly agrees: boolean;
  /** The largest difference of two values; null if the results differ in more than values. */
  readonly furthest: number | null;
  readonly detail: string;
}

export function compareReadings(recorded: ResultReading, now: ResultReading): Agreement {
  if (recorded.kind === 'molecule' && now.kind === 'molecule')
    return compareMolecules(recorded, now);
  if (recorded.kind === 'shifts' && now.kind === 'shifts') return compareShifts(recorded, now);
  if ('proteins' in recorded && 'proteins' in now)
    return compareProteins(recorded.proteins, now.proteins);
  return differs(`the result is of the kind ${now.kind}, not ${recorded.kind}`);
}

function compareMolecules(recorded: MoleculeReading, now: MoleculeReading): Agreement {
  if (recorded.atoms.length !== now.atoms.length) {
    return differs(`${now.atoms.length} atoms, not ${recorded.atoms.length}`);
  }
  const values = new Distance(TOLERANCES.charge);
  for (const [n, atom] of now.atoms.entries()) {
    const before = recorded.atoms[n];
    if (before?.name !== atom.name || before.type !== atom.type) {
      const was = `${before?.name ?? ''} ${before?.type ?? ''}`;
      return differs(`atom ${n + 1} is ${atom.name} ${atom.type}, not ${was}`);
    }
    values.add(before.charge, atom.charge, `charge of atom ${n + 1}, ${atom.name}`);
  }
  return values.agreement(`${now.atoms.length} atoms`);
}

function compareShifts(recorded: ShiftsReading, now: ShiftsReading): Agreement {
  if (recorded.chains.length !== now.chains.length) {
    return differs(`${now.chains.length} chains, not ${recorded.chains.length}`);
  }
  const values = new Distance(TOLERANCES.prediction);
  for (const [n, { shiftCrypt, residues }] of recorded.chains.entries()) {
    const chain = now.chains[n];
    if (chain?.residues !== residues) return differs(`chain ${n + 1} has other residues`);
    values.addTrack(shiftCrypt, chain.shiftCrypt, `ShiftCrypt of chain ${n + 1}`);
  }
  return values.agreement('shifts');
}

/** Sorted by name, because the engine may sort them. An extra predictor may have run for another row. */
function compareProteins(
  recorded: readonly ProteinReading[],
  now: readonly ProteinReading[],
): Agreement {
  if (recorded.length !== now.length)
    return differs(`${now.length} sequences, not ${recorded.length}`);
  const values = new Distance(TOLERANCES.prediction);
  const [before, after] = [byName(recorded), byName(now)];
  for (const [n, { name, residues, tracks }] of before.entries()) {
    const protein = after[n];
    if (protein?.residues !== residues) return differs(`${name} has other residues`);
    for (const [key, track] of Object.entries(protein.tracks)) {
      const was = tracks[key];
      if (was === undefined) return differs(`${name} has no ${key} in the tree`);
      values.addTrack(was, track, `${key} of ${name}`);
    }
  }
  return values.agreement(now.length === 1 ? '1 sequence' : `${now.length} sequences`);
}

function byName(proteins: readonly ProteinReading[]): readonly ProteinReading[] {
  return proteins.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

function differs(detail: string): Agreement {
  return { agrees: false, furthest: null, detail };
}

class Distance {
  readonly #tolerance: number;
  #furthest = 0;
  #values = 0;
  #where = '';

  constructor(tolerance: number) {
    this.#tolerance = tolerance;
  }

  add(one: number, other: number, where: string): void {
    this.#values += 1;
    const distance = Math.abs(one - other);
    // Also NaN: one of them is not a number.
    if (distance <= this.#furthest) return;
    this.#furthest = distance;
    this.#where = where;
  }

  addTrack(one: Track, other: Track, where: string): void {
    const length = Math.max(one.length, other.length);
    for (let n = 0; n < length; n += 1) {
      const [before, after] = [one[n] ?? null, other[n] ?? null];
      const both = typeof before === 'number' && typeof after === 'number';
      const distance = before === after ? 0 : Infinity;
      this.add(0, both ? after - before : distance, `${where}, place ${n + 1}`);
    }
  }

  agreement(what: string): Agreement {
    const agrees = this.#furthest <= this.#tolerance;
    const furthest = Number.isFinite(this.#furthest) ? this.#furthest : null;
    const values = `${what}, ${this.#values} values within ${this.#furthest.toExponential(1)}`;
    const detail = `${what}: ${this.#where} differs by ${this.#furthest.toPrecision(2)}, more than ${this.#tolerance}`;
    return { agrees, furthest, detail: agrees ? values : detail };
  }
}
