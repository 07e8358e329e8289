/** What the models of the budget share: a broken promise, true time, and a block; as simple as possible. */

/** A promise of the budget that a history has broken. */
export class Broken extends Error {
  constructor(promise: string, found: string) {
    super(`${promise}: ${found}`);
    this.name = 'Broken';
  }
}

/** A point of true time, in ms, and how far our clock had been set forward by then. */
export interface Moment {
  readonly time: number;
  readonly forward: number;
}

/**
 * The longest time (ms) that our clock can show between two moments. Without steps of the clock it is the elapsed time.
 * A step forward cannot be distinguished from elapsed time with one clock, so no more can be promised.
 */
export function passed(from: Moment, to: Moment): number {
  return to.time - from.time + to.forward - from.forward;
}

/** A refusal by the service. `limited`: with 429, the token is refused and not the row. */
export interface Refusal {
  readonly retryAfterMs: number | null;
  readonly limited: boolean;
}

/** What a refusal by the service means for the next request. */
export class NaiveBlock {
  /** Since the last good answer. */
  #orders: { readonly at: Moment; readonly forMs: number }[] = [];
  #rounds = 0;
  #sentBefore = 0;
  #limited = false;

  /** `number`: which request was refused, counted from 1 in the order of sending; `sent`: how many were sent so far. */
  refused(number: number, sent: number, refusal: Refusal, at: Moment): void {
    const { retryAfterMs, limited } = refusal;
    this.#limited = limited;
    if (this.#orders.length === 0 || number > this.#sentBefore) this.#rounds += 1;
    const grown = Math.min(60_000, 1_000 * 2 ** (this.#rounds - 1));
    this.#orders.push({
      at,
      forMs: retryAfterMs !== null && retryAfterMs >= 1_000 ? retryAfterMs : grown,
    });
    this.#sentBefore = sent;
  }

  /** `accepted`: not that its row was refused, which says nothing of the limit. */
  answered(number: number, accepted: boolean): void {
    if (number <= this.#sentBefore || (this.#limited && !accepted)) return;
    this.#orders = [];
    this.#rounds = 0;
  }

  /** Between a refusal and the next good answer one request at a time is sent. */
  get probing(): boolean {
    return this.#orders.length > 0;
  }

  isOver(now: Moment): boolean {
    return this.#orders.every(({ at, forMs }) => passed(at, now) >= forMs);
  }

  /** ms until it is over, in true time. */
  leftMs(now: Moment): number {
    const left = this.#orders.map(({ at, forMs }) => forMs - (now.time - at.time));
    return Math.max(0, ...left);
  }
}
