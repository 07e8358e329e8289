/** Random choices from a seed: the same seed gives the same storm. */
import { createRandom } from '../../packages/local-services/src/faults.ts';

export class Random {
  /** From 0 up to, and not including, 1. */
  readonly next: () => number;

  constructor(seed: number) {
    this.next = createRandom(seed);
  }

  /** A whole number, both ends included. */
  int(from: number, to: number): number {
    return from + Math.floor(this.next() * (to - from + 1));
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(of: readonly T[]): T {
    const chosen = of[this.int(0, of.length - 1)];
    if (chosen === undefined) throw new RangeError('nothing to choose from');
    return chosen;
  }

  /** One of the names, with frequencies by weight. */
  weighted<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of entries) {
      left -= weight;
      if (left < 0) return name;
    }
    throw new RangeError('nothing to choose from');
  }
}

/** The seed of a round: far from its neighbours', and always the same for that round. */
export function seedOf(seed: number, round: number): number {
  return Math.floor(new Random(Math.imul(seed, 0x9e3779b1) ^ round).next() * 2 ** 32);
}
