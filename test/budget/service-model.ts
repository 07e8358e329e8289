/**
 * An independent, naive model of the rate limits of the service: it keeps every stamp and counts them. Nothing of
 * `src/budget` is used here but a type, so that both cannot have the same error.
 */
import type { Window } from '../../src/budget/policy.ts';

export class ServiceModel {
  windows: readonly Window[];
  /** Our jobs and those of others, in ms of true time. */
  readonly #stamps: { readonly at: number; readonly ours: boolean }[] = [];

  constructor(windows: readonly Window[]) {
    this.windows = windows;
  }

  /** Stamps an accepted job. */
  accept(at: number, ours: boolean): void {
    this.#stamps.push({ at, ours });
  }

  hasRoomAt(at: number): boolean {
    return this.#full(at).length === 0;
  }

  /** X-RateLimit headers after a job stamped at `at`; null: without a limit. They speak of the last of its windows. */
  headerAt(at: number): { readonly window: Window; readonly remaining: number } | null {
    const last = this.windows.at(-1);
    const alike = this.windows.filter(({ limit }) => limit === last?.limit);
    const [window] = alike.toSorted((a, b) => b.windowMs - a.windowMs);
    return window
      ? { window, remaining: Math.max(0, window.limit - this.#countAt(at, window)) }
      : null;
  }

  /** When the oldest jobs in the full windows have left them: the Retry-After of a 429; null: never. */
  roomAt(at: number): number | null {
    const full = this.#full(at);
    if (full.some(({ limit }) => limit === 0)) return null;
    const times = full.map(({ windowMs }) => {
      const inWindow = this.#stamps.filter((stamp) => stamp.at > at - windowMs);
      return Math.min(...inWindow.map((stamp) => stamp.at)) + windowMs;
    });
    return Math.max(...times);
  }

  /** Jobs of others that were accepted after `at`. */
  foreignSince(at: number): number {
    return this.#stamps.filter((stamp) => !stamp.ours && stamp.at > at).length;
  }

  #full(at: number): readonly Window[] {
    return this.windows.filter((window) => this.#countAt(at, window) >= window.limit);
  }

  /** Accepted jobs in the half-open window (at - windowMs, at]. */
  #countAt(at: number, { windowMs }: Window): number {
    return this.#stamps.filter((stamp) => stamp.at > at - windowMs && stamp.at <= at).length;
  }
}
