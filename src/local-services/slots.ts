/**
 * How many jobs run at once. The workers of the two services have a set each, or share one where the engines compute
 * for themselves: then there are as many slots as cores, and freed ones go round the services.
 */
export class Slots {
  /** 0 = unlimited. */
  readonly #limit: number;
  #taken = 0;
  /** Whoever found none, in the order in which they asked. */
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes a slot. When there is none, `again` is called once there may be: the caller then asks anew. */
  take(again: () => void): boolean {
    if (this.#limit !== 0 && this.#taken >= this.#limit) {
      this.#waiting.add(again);
      return false;
    }
    this.#taken += 1;
    return true;
  }

  free(): void {
    this.#taken -= 1;
    const [next] = this.#waiting;
    if (next === undefined) return;
    this.#waiting.delete(next);
    next();
  }
}
