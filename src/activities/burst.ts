/**
 * What a burst is for comes first, and what can wait comes after it: the results of jobs that end together are
 * downloaded before their campaign is notified.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

/** The parts of a burst begin one after another, with gaps shorter than this (ms). */
const GAP_MS = 30;

/** A burst that does not end holds nothing up for longer (ms). */
const LONGEST_MS = 1_000;

export class Burst {
  readonly #inProgress = new Set<unknown>();
  #lastAt = Number.NEGATIVE_INFINITY;
  #end: Promise<void> | null = null;

  /** `part` is in progress. */
  enter(part: unknown): void {
    this.#inProgress.add(part);
    this.#lastAt = performance.now();
  }

  /** It is done. Does nothing for a part that has not entered. */
  leave(part: unknown): void {
    if (this.#inProgress.delete(part)) this.#lastAt = performance.now();
  }

  /** Resolves when the burst is over, and at the latest after a second. */
  over(): Promise<void> {
    return (this.#end ??= this.#over().finally(() => (this.#end = null)));
  }

  async #over(): Promise<void> {
    const since = performance.now();
    while (!this.#isOver && performance.now() - since < LONGEST_MS) await delay(GAP_MS);
  }

  /** Nothing is in progress, and nothing was a moment ago. */
  get #isOver(): boolean {
    return this.#inProgress.size === 0 && performance.now() - this.#lastAt >= GAP_MS;
  }
}
