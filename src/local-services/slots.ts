/**
 * Limits the number of running jobs. The workers of the two services have one set of slots each, or share one if the
 * engines really compute: then there are as many slots as cores, and freed ones alternate between the services.
 */
export class Slots {
  /** 0 = unlimited. */
  readonly #limit: number;
  #taken = 0;
  /** Callers that found no free slot, in order. */
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Takes a slot. If none is free, `again` is called when one may be: the caller then tries again. */
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
