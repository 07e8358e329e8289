/**
 * Bond orders and formal charges of a result, whose topology has none. If those of the input fit, they are used (RDKit's
 * thread lays them over the result). Otherwise such are derived here as fit the atoms, the bonds and the net charge.
 *
 * Rejected: the bond types of ACPYPE's mol2 file, in which acetate and nitrobenzene have only single bonds.
 */
import {
  type BondOrders,
  computeDistance,
  type MolecularGraph,
  type Place,
} from '../../domain/chemistry.ts';
import type { AtomReading, MoleculeReading } from './reading.ts';
import { readMaxBonds } from './element.ts';
import { sumCharges } from './formats.ts';

type Bonded = Pick<MoleculeReading, 'atoms' | 'bonds'>;

/** For ACPYPE's rounding errors: six decimals per atom, and sums that are corrected at one atom. */
const CHARGE_TOLERANCE = 0.05;

export function isNetCharge(formalCharge: number, partialCharges: number): boolean {
  return Math.abs(formalCharge - partialCharges) <= CHARGE_TOLERANCE;
}

/** Null if none fit, or if hydrogens are missing: what fits is then another molecule. */
export function deriveBondOrders({ atoms, bonds }: Bonded): BondOrders | null {
  const charge = sumCharges(atoms);
  const netCharge = Math.round(charge) || 0;
  if (!isNetCharge(netCharge, charge) || findMissingHydrogens({ atoms, bonds }) !== null)
    return null;
  return assignBondOrders({ elements: atoms.map(({ element }) => element), bonds }, netCharge);
}

/** A state of an atom: the sum of its bond orders, its formal charge, and how unusual that is. */
interface Valence {
  readonly sum: number;
  readonly charge: number;
  readonly cost: number;
}

function createValence(sum: number, charge = 0, cost = 0): Valence {
  return { sum, charge, cost };
}

/** In the order of the search; all others have one bond. Charges on carbon only if nothing else is possible. */
const VALENCES: Readonly<Record<string, readonly Valence[]>> = {
  C: [createValence(4), createValence(3, -1, 5), createValence(3, 1, 7)],
  Si: [createValence(4)],
  N: [createValence(3), createValence(4, 1, 2), createValence(2, -1, 3)],
  P: [createValence(5), createValence(3), createValence(4, 1, 2)],
  O: [createValence(2), createValence(1, -1, 2), createValence(3, 1, 5)],
  S: [
    createValence(2),
    createValence(4, 0, 1),
    createValence(6, 0, 1),
    createValence(1, -1, 2),
    createValence(3, 1, 4),
  ],
};

/** Two nitro groups and a phosphate cost about 10; beyond this the molecule is unusual. */
const MAX_COST = 24;
/** A drug takes a few hundred steps. */
const MAX_STEPS = 300_000;

interface Node {
  options: readonly Valence[];
  readonly near: { readonly node: Node; readonly bond: number }[];
  /** In the order of the search: connected, so that a wrong choice fails early. */
  rank: number;
  charge: number;
  /** Sum of bond orders above 1, so far. */
  extra: number;
}

/**
 * Every atom gets one of its usual valences; the first assignment with the lowest cost is used. It is one resonance form:
 * which of two equal oxygens of a carboxylate is charged is arbitrary. Null if none gives the net charge, or the search
 * takes too long.
 */
export function assignBondOrders(
  { elements, bonds }: MolecularGraph,
  netCharge: number,
): BondOrders | null {
  const nodes = elements.map((element): Node => {
    const options = VALENCES[element] ?? (readMaxBonds(element) === 0 ? [] : [createValence(1)]);
    return { options, near: [], rank: -1, charge: 0, extra: 0 };
  });
  for (const [bond, [first, second]] of bonds.entries()) {
    const [one, other] = [nodes[first], nodes[second]];
    if (one === undefined || other === undefined) continue;
    one.near.push({ node: other, bond });
    other.near.push({ node: one, bond });
  }
  for (const node of nodes)
    node.options = node.options.filter(({ sum }) => sum >= node.near.length);
  const search = new Search(orderNodes(nodes), bonds.length);
  for (let cost = search.costFrom[0] ?? 0; cost <= MAX_COST; cost += 1) {
    if (!search.assign(0, cost, netCharge)) continue;
    return { orders: search.orders, charges: nodes.map(({ charge }) => charge) };
  }
  return null;
}

function orderNodes(nodes: readonly Node[]): readonly Node[] {
  const order: Node[] = [];
  for (const root of nodes) {
    const queue = [root];
    for (const node of queue) {
      if (node.rank >= 0) continue;
      node.rank = order.push(node) - 1;
      queue.push(...node.near.map((next) => next.node));
    }
  }
  return order;
}

class Search {
  readonly orders: number[];
  /** Minimum cost of the nodes from a rank on. */
  readonly costFrom: number[] = [0];
  readonly #order: readonly Node[];
  #steps = 0;

  constructor(order: readonly Node[], bonds: number) {
    this.#order = order;
    this.orders = Array.from({ length: bonds }, () => 1);
    for (const { options } of order.toReversed()) {
      const least = Math.min(...options.map(({ cost }) => cost));
      this.costFrom.unshift((this.costFrom[0] ?? 0) + least);
    }
  }

  /** @param charge required total of the nodes from this rank on */
  assign(rank: number, budget: number, charge: number): boolean {
    const node = this.#order[rank];
    if (node === undefined) return charge === 0;
    if ((this.costFrom[rank] ?? 0) > budget || this.#steps > MAX_STEPS) return false;
    this.#steps += 1;
    const later = node.near.filter((next) => next.node.rank > rank);
    return node.options.some((option) => {
      const more = option.sum - node.near.length - node.extra;
      if (more < 0 || option.cost > budget) return false;
      node.charge = option.charge;
      const goOn = () => this.assign(rank + 1, budget - option.cost, charge - option.charge);
      return this.#distribute(later, more, goOn);
    });
  }

  /** Distributes the orders to bonds with later nodes. */
  #distribute([first, ...others]: Node['near'], missing: number, goOn: () => boolean): boolean {
    if (missing === 0) return goOn();
    if (first === undefined) return false;
    const { node, bond } = first;
    const room = Math.max(0, ...node.options.map(({ sum }) => sum)) - node.near.length - node.extra;
    const raise = (by: number): void => {
      this.orders[bond] = (this.orders[bond] ?? 1) + by;
      node.extra += by;
    };
    for (let more = Math.min(2, missing, room); more >= 0; more -= 1) {
      raise(more);
      if (this.#distribute(others, missing - more, goOn)) return true;
      raise(-more);
    }
    return false;
  }
}

/** Degrees. A carbon with two neighbours is sp and linear, or lacks a hydrogen. */
const STRAIGHT_FROM = 150;
/** Ångström. A carbon with one neighbour has a triple bond (1.16 to 1.20), or lacks hydrogens. */
const MAX_TRIPLE = 1.26;

/**
 * The first carbon that lacks hydrogens, and how that is seen; null if none does. The engine accepts such a ligand silently
 * (benzene without hydrogens becomes six carbons with good parameters for another molecule), so it must not be simulated.
 */
export function findMissingHydrogens({
  atoms,
  bonds,
}: Bonded): { readonly carbon: string; readonly sign: string } | null {
  const place = (atom: AtomReading | undefined): Place => atom?.position ?? [0, 0, 0];
  for (const [index, carbon] of atoms.entries()) {
    if (carbon.element !== 'C') continue;
    const own = bonds.filter((pair) => pair.includes(index));
    const [first, second, ...more] = own.map(([one, other]) => atoms[one === index ? other : one]);
    if (more.length > 0) continue;
    const [a, b] = [first, second].map((next) => computeDistance(place(carbon), place(next)));
    if (second === undefined) {
      if (first === undefined || (a ?? 0) > MAX_TRIPLE) {
        return { carbon: carbon.name, sign: 'one neighbour and no triple bond' };
      }
    } else if (
      computeAngle(a ?? 0, b ?? 0, computeDistance(place(first), place(second))) < STRAIGHT_FROM
    ) {
      return { carbon: carbon.name, sign: 'two neighbours and is bent' };
    }
  }
  return null;
}

/** In degrees, between two sides of a triangle. */
function computeAngle(a: number, b: number, opposite: number): number {
  return (Math.acos((a * a + b * b - opposite * opposite) / (2 * a * b)) * 180) / Math.PI;
}
