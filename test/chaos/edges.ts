/** When slots become free, derived from the submissions that pass through the proxy. */
import { setTimeout as delay } from 'node:timers/promises';

/** If none is sent, events that wait for an edge still happen. */
const MAX_WAIT_MS = 8_000;
/** On a busy machine it takes half a minute until everything has started. */
const START_TIMEOUT_MS = 60_000;
const POLL_INTERVAL_MS = 10;

export class Edges {
  readonly #windowMs: number;
  /** When submissions passed, ms since the epoch. */
  readonly #sentAt: number[] = [];

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** Records what a client sends: each request of undici begins with a separate chunk. */
  readonly see = (bytes: Buffer): void => {
    if (bytes.toString('latin1', 0, 5) === 'POST ') this.#sentAt.push(Date.now());
  };

  /** Waits for the first submission. */
  async begun(): Promise<void> {
    const giveUpAt = Date.now() + START_TIMEOUT_MS;
    while (this.#sentAt.length === 0 && Date.now() < giveUpAt) await delay(POLL_INTERVAL_MS);
  }

  /** Waits until `shiftMs` after the next time at which a slot becomes free. */
  async next(shiftMs: number): Promise<void> {
    const giveUpAt = Date.now() + MAX_WAIT_MS;
    const from = Date.now();
    for (;;) {
      const edge = this.#sentAt.map((at) => at + this.#windowMs + shiftMs).find((at) => at >= from);
      const now = Date.now();
      if (edge !== undefined && edge <= now) return;
      if (now >= giveUpAt) return;
      await delay(edge === undefined ? POLL_INTERVAL_MS : Math.min(edge - now, giveUpAt - now));
    }
  }
}
