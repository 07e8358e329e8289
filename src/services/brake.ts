/** Stops the GETs to a service that refuses us, but for one probe at a growing delay. */
import { FIRST_REFUSED_MS, LONGEST_DELAY_MS } from '../budget/block.ts';
import { growingDelay } from '../domain/growing-delay.ts';
import type { Unavailable } from './availability.ts';

interface Refusal {
  readonly message: string;
  readonly times: number;
  /** ms */
  readonly until: number;
}

/** A probe that was given up is not waited for any longer (ms). */
const PROBE_MS = 45_000;

export class Brake {
  readonly #now: () => number;
  readonly #onChange: (refusal: { readonly message: string } | null) => void;
  #refusal: Refusal | null = null;
  #probedAt: number | null = null;

  constructor(
    now: () => number,
    onChange: (refusal: { readonly message: string } | null) => void = () => undefined,
  ) {
    this.#now = now;
    this.#onChange = onChange;
  }

  get isOn(): boolean {
    return this.#refusal !== null;
  }

  /** null: the request may be sent; where the brake is on, it is the probe. */
  stop(): { readonly message: string; readonly delayMs: number } | null {
    if (this.#refusal === null) return null;
    const now = this.#now();
    const { until, message } = this.#refusal;
    const isOut = this.#probedAt !== null && now - this.#probedAt < PROBE_MS;
    if (now >= until && !isOut) {
      this.#probedAt = now;
      return null;
    }
    // Spread, so that not all of them come back at once.
    const delayMs = Math.max(1_000, until - now) * (1 + Math.random() / 2);
    return { message: `the service refuses requests: ${message}`, delayMs };
  }

  /** The probe was not sent after all. */
  unused(): void {
    this.#probedAt = null;
  }

  /** What a request is told that was stopped. */
  refused(): Unavailable & { readonly uniform: true } {
    const { message = '', until = 0 } = this.#refusal ?? {};
    const retryAfterMs = Math.max(1_000, until - this.#now());
    return { type: 'unavailable', message, retryAfterMs, refusesUs: true, uniform: true };
  }

  /** Takes in an answer. Where the service had refused us before, and does so still, the answer says so: `uniform`. */
  judged<T extends { readonly type: string }>(outcome: T): T {
    if (outcome.type !== 'unavailable') {
      this.#release();
      return outcome;
    }
    const { message, retryAfterMs, refusesUs } = outcome as unknown as Unavailable;
    if (refusesUs !== true) {
      // Down, and not refusing: whether it refuses us is found out by the next one.
      this.#probedAt = null;
      return outcome;
    }
    const before = this.#refusal;
    const now = this.#now();
    // Requests that were under way together are refused once.
    const isNew = before === null || now >= before.until;
    const times = (before?.times ?? 0) + (isNew ? 1 : 0);
    const grown = growingDelay({ first: FIRST_REFUSED_MS, longest: LONGEST_DELAY_MS }, times);
    const until = isNew ? now + Math.max(grown, retryAfterMs ?? 0) : before.until;
    this.#refusal = { message, times, until };
    this.#probedAt = null;
    if (isNew) this.#onChange({ message });
    return before === null ? outcome : { ...outcome, uniform: true };
  }

  #release(): void {
    this.#probedAt = null;
    if (this.#refusal === null) return;
    this.#refusal = null;
    this.#onChange(null);
  }
}
