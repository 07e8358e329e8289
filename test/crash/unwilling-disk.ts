/** A disk that refuses writes for a while, with the errors of the system. */
import type { Store } from '../../src/store/store.ts';
import { storeErrorOf } from '../../src/store/store-error.ts';
import { over } from './delegates.ts';

/** By errno(3): full, read-only, over quota, failing. */
export type DiskState = 'ok' | 'ENOSPC' | 'EROFS' | 'EDQUOT' | 'EIO';

export class UnwillingDisk {
  state: DiskState = 'ok';
  /** Number of refused writes. */
  refused = 0;

  over(real: Store): Store {
    return over<Store>(real, {
      write: async (key, data, options) => {
        await this.#take(`write ${key}`);
        return real.write(key, data, options);
      },
      remove: async (key) => {
        // A full disk permits deletions, a read-only one does not.
        if (this.state !== 'ENOSPC') await this.#take(`remove ${key}`);
        return real.remove(key);
      },
    });
  }

  async #take(action: string): Promise<void> {
    if (this.state === 'ok') return;
    this.refused += 1;
    const error = Object.assign(new Error(`${this.state}: simulated`), { code: this.state });
    await Promise.reject(storeErrorOf(error, action));
  }
}
