/** Whether another Temporal uses the tokens of this worker, for trees in a bucket. */
import { log } from '@temporalio/activity';
import type { ServiceReference } from '../domain/campaign.ts';
import { buildCredentialLeaseAddress, useCredential } from '../store/credential-lease.ts';
import type { LeaseHolder } from '../store/lease.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';

interface CredentialLeasesOptions {
  readonly holder: () => Promise<LeaseHolder>;
  readonly openStore: (address: string) => Promise<Store>;
}

/** A check is valid for this long (ms): far less than the allowance in the lease. */
const CHECK_HOLDS_MS = 10_000;

export class CredentialLeases {
  readonly #options: CredentialLeasesOptions;
  /** When a token was found to be ours, by the address of its lease (ms of a steady clock). */
  readonly #seen = new Map<string, number>();
  readonly #looking = new Map<string, Promise<void>>();

  constructor(options: CredentialLeasesOptions) {
    this.#options = options;
  }

  /**
   * Returns when this Temporal may send with the token.
   * @param tree address of the campaign's tree
   * @throws StoreError `TOKEN_LEASED`, and retryable errors of the store
   */
  async check(tree: string, reference: ServiceReference, windowMs: number): Promise<void> {
    const address = buildCredentialLeaseAddress(tree, reference);
    if (address === null) return;
    if (performance.now() - (this.#seen.get(address) ?? -Infinity) < CHECK_HOLDS_MS) return;
    // Many submissions begin at the same time: one check is enough for all.
    const look =
      this.#looking.get(address) ??
      this.#look(address, windowMs).finally(() => this.#looking.delete(address));
    this.#looking.set(address, look);
    await look;
  }

  async #look(address: string, windowMs: number): Promise<void> {
    const at = performance.now();
    try {
      const store = await this.#options.openStore(address);
      const usedBefore = this.#seen.has(address);
      await useCredential(store, await this.#options.holder(), windowMs, usedBefore);
    } catch (error) {
      if (!(error instanceof StoreError) || error.retryable) throw error;
      // The worker may only write below a prefix of the bucket. Without the lease, other users of the token show only in
      // the answers of the service.
      log.warn('the lease of a token cannot be kept', { address, code: error.code });
    }
    this.#seen.set(address, at);
  }
}
