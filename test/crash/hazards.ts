/** What goes wrong in a worker: where it dies, and what its disk refuses. */
import { toStoreError } from '../../src/store/store.ts';

/**
 * A named point says what has happened and, after the comma, what has not. Two kinds: effects of activities on the
 * outside world, detected in their dependencies (`at-dependencies.ts`), and messages of workflows to the Temporal
 * server, detected between the SDK and its core (`at-core.ts`).
 */
export interface Crash {
  readonly point: string;
  /** At which arrival there, from 1. */
  readonly nth: number;
}

/** By errno(3): full, read-only. */
export type DiskState = 'ok' | 'ENOSPC' | 'EROFS';

export class Hazards {
  readonly #crash: Crash | null;
  #arrivals = 0;
  disk: DiskState = 'ok';
  /** Number of refused writes. */
  refused = 0;

  constructor(crash: Crash | null) {
    this.#crash = crash;
  }

  /** Must be called on each arrival at a point: at the right one this process is killed, as by `kill -9`. */
  at(point: string): void {
    if (point !== this.#crash?.point) return;
    this.#arrivals += 1;
    if (this.#arrivals === this.#crash.nth) process.kill(process.pid, 'SIGKILL');
  }

  /** Throws while the disk refuses. A full disk permits deletions, a read-only one does not. */
  changes(action: 'write' | 'remove', key: string): void {
    if (this.disk === 'ok' || (this.disk === 'ENOSPC' && action === 'remove')) return;
    this.refused += 1;
    const error = Object.assign(new Error(`${this.disk}: simulated`), { code: this.disk });
    throw toStoreError(error, `${action} ${key}`);
  }
}
