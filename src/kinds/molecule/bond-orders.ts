/**
 * Bond orders and formal charges of a molecule with known atoms, bonds and net charge: a force field has none. Found by
 * search: every atom gets one of its usual valences, charges have a cost, and the first assignment with the lowest cost
 * is used. It is one resonance form; which of two equal oxygens of a carboxylate is charged is arbitrary.
 *
 * Rejected: the bond types of ACPYPE's mol2 file (acetate and nitrobenzene have single bonds only), and RDKit on the
 * SMILES (molecules given as PDB have none), which checks this in the tests.
 */
import type { BondOrders, MolecularGraph } from '../../domain/molecular-graph.ts';

/** A state of an atom: sum of bond orders, formal charge, cost. */
type Valence = readonly [valence: number, charge: number, cost: number];

const HALOGEN: readonly Valence[] = [[1, 0, 0]];

/** In the order of the search. Charges on carbon only if nothing else is possible. */
const VALENCES: Readonly<Record<string, readonly Valence[]>> = {
  H: [[1, 0, 0]],
  F: HALOGEN,
  Cl: HALOGEN,
  Br: HALOGEN,
  I: HALOGEN,
  C: [
    [4, 0, 0],
    [3, -1, 5],
    [3, 1, 7],
  ],
  Si: [[4, 0, 0]],
  N: [
    [3, 0, 0],
    [4, 1, 2],
    [2, -1, 3],
  ],
  P: [
    [5, 0, 0],
    [3, 0, 0],
    [4, 1, 2],
  ],
  O: [
    [2, 0, 0],
    [1, -1, 2],
    [3, 1, 5],
  ],
  S: [
    [2, 0, 0],
    [4, 0, 1],
    [6, 0, 1],
    [1, -1, 2],
    [3, 1, 4],
  ],
};

/** Two nitro groups and a phosphate cost about 10; beyond this the molecule is unusual. */
const HIGHEST_COST = 24;
/** A drug takes a few hundred steps. */
const MOST_STEPS = 300_000;

/** Null if no assignment of usual valences gives the net charge, or the search takes too long. */
export function assignBondOrders(graph: MolecularGraph, netCharge: number): BondOrders | null {
  const search = new Search(graph, netCharge);
  for (let cost = search.lowestCost; cost <= HIGHEST_COST; cost += 1) {
    const found = search.within(cost);
    if (found !== null || search.givenUp) return found;
  }
  return null;
}

interface Neighbour {
  readonly atom: number;
  readonly bond: number;
}

class Search {
  readonly lowestCost: number;
  givenUp = false;
  readonly #options: readonly (readonly Valence[])[];
  readonly #neighbours: readonly (readonly Neighbour[])[];
  /** Heavy atoms in connected order, so that a wrong choice fails early. */
  readonly #order: readonly number[];
  readonly #placeOf: readonly number[];
  /** Minimum cost of the atoms from a position on. */
  readonly #costFrom: readonly number[];
  readonly #netCharge: number;
  readonly #orders: number[];
  readonly #charges: number[];
  /** Sum of bond orders above 1 per atom, so far. */
  readonly #extra: number[];
  #steps = 0;

  constructor({ elements, bonds }: MolecularGraph, netCharge: number) {
    this.#netCharge = netCharge;
    this.#neighbours = neighboursOf(elements.length, bonds);
    this.#options = elements.map((element, atom) =>
      (VALENCES[element] ?? []).filter(
        ([valence]) => valence >= (this.#neighbours[atom]?.length ?? 0),
      ),
    );
    this.#order = breadthFirst(this.#neighbours);
    const placeOf = new Array<number>(elements.length).fill(0);
    for (const [place, atom] of this.#order.entries()) placeOf[atom] = place;
    this.#placeOf = placeOf;
    this.#costFrom = costsFrom(this.#order.map((atom) => cheapest(this.#options[atom] ?? [])));
    this.lowestCost = this.#costFrom[0] ?? 0;
    this.#orders = bonds.map(() => 1);
    this.#charges = elements.map(() => 0);
    this.#extra = elements.map(() => 0);
  }

  within(cost: number): BondOrders | null {
    if (!this.#place(0, cost, this.#netCharge)) return null;
    return { orders: [...this.#orders], charges: [...this.#charges] };
  }

  /** @param charge required total of the atoms from this position on */
  #place(place: number, budget: number, charge: number): boolean {
    const atom = this.#order[place];
    if (atom === undefined) return charge === 0;
    if ((this.#costFrom[place] ?? 0) > budget || this.givenUp) return false;
    this.#steps += 1;
    if (this.#steps > MOST_STEPS) this.givenUp = true;
    const around = this.#neighbours[atom] ?? [];
    const later = around.filter((one) => (this.#placeOf[one.atom] ?? 0) > place);
    for (const [valence, own, cost] of this.#options[atom] ?? []) {
      const wanted = valence - around.length - (this.#extra[atom] ?? 0);
      if (wanted < 0 || cost > budget) continue;
      this.#charges[atom] = own;
      const next = (): boolean => this.#place(place + 1, budget - cost, charge - own);
      if (this.#distribute(later, wanted, next)) return true;
    }
    return false;
  }

  /** Distributes `wanted` orders to bonds with later atoms. */
  #distribute(later: readonly Neighbour[], wanted: number, next: () => boolean): boolean {
    const [first, ...others] = later;
    if (wanted === 0) return next();
    if (first === undefined) return false;
    for (let more = Math.min(2, wanted, this.#room(first.atom)); more >= 0; more -= 1) {
      this.#raise(first, more);
      if (this.#distribute(others, wanted - more, next)) return true;
      this.#raise(first, -more);
    }
    return false;
  }

  #raise({ atom, bond }: Neighbour, by: number): void {
    this.#orders[bond] = (this.#orders[bond] ?? 1) + by;
    this.#extra[atom] = (this.#extra[atom] ?? 0) + by;
  }

  #room(atom: number): number {
    const most = Math.max(0, ...(this.#options[atom] ?? []).map(([valence]) => valence));
    return most - (this.#neighbours[atom]?.length ?? 0) - (this.#extra[atom] ?? 0);
  }
}

function cheapest(options: readonly Valence[]): number {
  return Math.min(...options.map(([, , cost]) => cost));
}

function costsFrom(costs: readonly number[]): number[] {
  const sums = [...costs];
  for (let place = sums.length - 2; place >= 0; place -= 1) {
    sums[place] = (sums[place] ?? 0) + (sums[place + 1] ?? 0);
  }
  return sums;
}

function neighboursOf(atoms: number, bonds: MolecularGraph['bonds']): Neighbour[][] {
  const neighbours = Array.from({ length: atoms }, (): Neighbour[] => []);
  for (const [bond, [one, other]] of bonds.entries()) {
    neighbours[one]?.push({ atom: other, bond });
    neighbours[other]?.push({ atom: one, bond });
  }
  return neighbours;
}

function breadthFirst(neighbours: readonly (readonly Neighbour[])[]): number[] {
  const order: number[] = [];
  const seen = new Set<number>();
  for (const root of neighbours.keys()) {
    const queue = [root];
    for (const atom of queue) {
      if (seen.has(atom)) continue;
      seen.add(atom);
      order.push(atom);
      queue.push(...(neighbours[atom] ?? []).map((one) => one.atom));
    }
  }
  return order;
}
