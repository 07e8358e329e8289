/** Stops the GETs to a service that refuses us, except for one probe with a growing delay. */
import { FIRST_REFUSED_MS, LONGEST_DELAY_MS } from '../budget/block.ts';
import { growingDelay } from '../domain/growing-delay.ts';
import type { Unavailable } from '../domain/outcomes.ts';

interface Refusal {
  readonly message: string;
  readonly times: number;
  /** ms */
  readonly until: number;
}

/** A probe without an answer is abandoned after this long (ms). */
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

  /** null: the request may be sent; if the brake is on, it is the probe. */
  stop(): { readonly message: string; readonly delayMs: number } | null {
    if (this.#refusal === null) return null;
    const now = this.#now();
    const { until, message } = this.#refusal;
    const isOut = this.#probedAt !== null && now - this.#probedAt < PROBE_MS;
    if (now >= until && !isOut) {
      this.#probedAt = now;
      return null;
    }
    // Spread, so that they do not all come back at once.
    const delayMs = Math.max(1_000, until - now) * (1 + Math.random() / 2);
    return { message: `the service refuses requests: ${message}`, delayMs };
  }

  /** The probe was not sent after all. */
  unused(): void {
    this.#probedAt = null;
  }

  /** The outcome of a request that was stopped. */
  refused(): Unavailable & { readonly uniform: true } {
    const { message = '', until = 0 } = this.#refusal ?? {};
    const retryAfterMs = Math.max(1_000, until - this.#now());
    return { type: 'unavailable', message, retryAfterMs, refusesUs: true, uniform: true };
  }

  /** Evaluates an answer. If the service refused us before and still does, the answer gets `uniform`. */
  judged<T extends { readonly type: string }>(outcome: T): T {
    if (outcome.type !== 'unavailable') {
      this.#release();
      return outcome;
    }
    const { message, retryAfterMs, refusesUs } = outcome as unknown as Unavailable;
    if (refusesUs !== true) {
      // Down, not refusing: the next request finds out whether it refuses us.
      this.#probedAt = null;
      return outcome;
    }
    const before = this.#refusal;
    const now = this.#now();
    // Concurrent requests count as one refusal.
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
