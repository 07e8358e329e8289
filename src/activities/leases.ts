/**
 * The leases of this worker's Temporal: of the output trees that it works on, and of its tokens for trees in a bucket.
 *
 * Before an activity uses a tree its lease is checked; as long as a campaign is open there the lease is renewed, and when
 * none is it is released. Workers find the open campaigns with a list query, because a campaign may wait an hour for its
 * window without an activity. Rejected: a heartbeat activity, an event in the history each time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import type { ServiceReference } from '../domain/campaign.ts';
import { Periodic } from '../domain/process.ts';
import { createSystemClock, type SteadyClock } from '../ledger/steady-clock.ts';
import { buildCredentialLeaseAddress, useCredential } from '../store/credential-lease.ts';
import type { FileStoreOptions } from '../store/file-store.ts';
import {
  RENEW_INTERVAL_MS,
  checkTreeId,
  isHeldBy,
  readNewestLease,
  releaseLease,
  renewLease,
  takeLease,
  createTreeLeasedError,
  type LeaseHolder,
} from '../store/lease.ts';
import { readPreparedCampaign, requirePlugins } from '../store/prepared-campaign.ts';
import { type Store, StoreError } from '../store/store.ts';

/** A lease that was checked this long ago (ms) is checked again before an activity relies on it. */
const TREE_HOLDS_MS = 3_000;
/** Far less than the allowance in the lease of a token (ms). */
const TOKEN_HOLDS_MS = 10_000;
/** A campaign that is briefly missing from the list keeps its tree. */
const CHECKS_BEFORE_RELEASE = 2;
const LAST_CHECK_TIMEOUT_MS = 3_000;

/** A check that holds for a while. Many activities begin at the same time: one is enough for all. */
class LastingCheck {
  readonly #clock: SteadyClock;
  readonly #holdsMs: number;
  #passedAt = -Infinity;
  #running: Promise<void> | null = null;

  /** @param clock counts the time for which the machine sleeps */
  constructor(clock: SteadyClock, holdsMs: number) {
    this.#clock = clock;
    this.#holdsMs = holdsMs;
  }

  /** Returns at once if it has passed just now. */
  async pass(work: () => Promise<void>): Promise<void> {
    if (this.#clock.now().steadyMs - this.#passedAt < this.#holdsMs) return;
    await this.repeat(work);
  }

  async repeat(work: () => Promise<void>): Promise<void> {
    this.#running ??= this.#run(work).finally(() => (this.#running = null));
    await this.#running;
  }

  async #run(work: () => Promise<void>): Promise<void> {
    const at = this.#clock.now().steadyMs;
    this.#passedAt = -Infinity;
    await work();
    this.#passedAt = at;
  }
}

/** A tree by its address and its id. */
export interface TreeAddress {
  readonly store: string;
  readonly tree: string;
}

interface TreeLeasesOptions {
  /** Read for each renewal: the embedded server may have been restarted. */
  readonly holder: () => Promise<LeaseHolder>;
  /** Opens a tree that is there. */
  readonly openStore: (address: string) => Promise<Store>;
  /** The trees of the campaigns that are open in this Temporal, for workers of this task queue. */
  readonly openTrees: () => Promise<readonly TreeAddress[]>;
  readonly clock?: SteadyClock;
}

interface Kept {
  readonly address: TreeAddress;
  readonly check: LastingCheck;
  renewedAt: number;
  /** Checks in a row that found no open campaign. */
  closed: number;
}

export class TreeLeases {
  readonly #options: TreeLeasesOptions;
  readonly #clock: SteadyClock;
  readonly #kept = new Map<string, Kept>();
  readonly #renewals: Periodic;

  constructor(options: TreeLeasesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? createSystemClock();
    const work = () => this.renew();
    // `renew` throws nothing.
    this.#renewals = new Periodic({ everyMs: RENEW_INTERVAL_MS, work, onError: () => undefined });
  }

  /**
   * Returns if the tree is the requested one, and this Temporal's.
   * @throws StoreError `TREE_NOT_HERE`, `TREE_LEASED`, `TREE_OTHER_PLUGIN`
   */
  async check(store: Store, address: TreeAddress): Promise<void> {
    const kept = this.#keptOf(address);
    kept.closed = 0;
    await kept.check.pass(() => this.#checkLease(store, kept));
  }

  start(): void {
    this.#renewals.start();
  }

  /** After the last activity: trees on which no campaign is open are released. */
  async stop(): Promise<void> {
    await this.#renewals.stop();
    // Should Temporal have died as well: the lease goes stale.
    const open = await Promise.race([
      this.#openTrees(),
      delay(LAST_CHECK_TIMEOUT_MS, null, { ref: false }),
    ]);
    if (open === null) return;
    for (const [key, kept] of [...this.#kept]) if (!open.has(key)) await this.#release(kept);
  }

  /** One round: what is open is renewed, what is not is released. */
  async renew(): Promise<void> {
    const open = await this.#openTrees();
    for (const address of open?.values() ?? []) this.#keptOf(address);
    for (const [key, kept] of [...this.#kept]) {
      // Temporal does not answer: the known trees are kept.
      kept.closed = open?.has(key) === false ? kept.closed + 1 : 0;
      if (kept.closed === 0) await this.#keep(kept);
      else if (kept.closed >= CHECKS_BEFORE_RELEASE) await this.#release(kept);
    }
  }

  async #keep(kept: Kept): Promise<void> {
    kept.renewedAt = -Infinity;
    const work = async () =>
      this.#checkLease(await this.#options.openStore(kept.address.store), kept);
    await kept.check.repeat(work).catch(ignoreMissing);
  }

  async #release({ address }: Kept): Promise<void> {
    const { holder, openStore } = this.#options;
    this.#kept.delete(buildKey(address));
    const release = async () => releaseLease(await openStore(address.store), await holder());
    await release().catch(ignoreMissing);
  }

  async #checkLease(store: Store, kept: Kept): Promise<void> {
    const holder = await this.#options.holder();
    const lease = await readNewestLease(store);
    const isFree = lease === null || lease.released !== null;
    if (!isFree && !isHeldBy(lease, holder)) throw createTreeLeasedError(store, lease.record);
    await checkTreeId(store, kept.address.tree);
    const at = this.#clock.now().steadyMs;
    const isDue = isFree || at - kept.renewedAt >= RENEW_INTERVAL_MS;
    if (isDue) {
      const ours = isFree
        ? await takeLease(store, holder, lease)
        : await renewLease(store, holder, lease);
      if (!ours) throw createTreeLeasedError(store, (await readNewestLease(store))?.record ?? null);
      kept.renewedAt = at;
    }
    // Last: a worker without the plugin renews the lease for those that have it.
    const campaign = await readPreparedCampaign(store);
    if (campaign !== null) requirePlugins(store, campaign, 'same');
  }

  #keptOf({ store, tree }: TreeAddress): Kept {
    const key = buildKey({ store, tree });
    const known = this.#kept.get(key);
    if (known) return known;
    const check = new LastingCheck(this.#clock, TREE_HOLDS_MS);
    const kept: Kept = { address: { store, tree }, check, renewedAt: -Infinity, closed: 0 };
    this.#kept.set(key, kept);
    return kept;
  }

  /** By their keys; null if Temporal does not answer. */
  async #openTrees(): Promise<ReadonlyMap<string, TreeAddress> | null> {
    try {
      const trees = await this.#options.openTrees();
      return new Map(trees.map((address) => [buildKey(address), address]));
    } catch {
      return null;
    }
  }
}

/** A folder that is missing or belongs to another Temporal is reported by the activities that need it. */
function ignoreMissing(): void {
  return undefined;
}

function buildKey({ store, tree }: TreeAddress): string {
  return `${store}\n${tree}`;
}

/** The trees that a worker has access to. */
export interface Trees {
  /** Creates a missing folder only with `create`: for the cache, which is not a campaign's tree. */
  readonly openStore: (
    address: string,
    options?: Pick<FileStoreOptions, 'create'>,
  ) => Promise<Store>;
  readonly leases: Pick<TreeLeases, 'check'>;
}

/**
 * Opens the tree of a campaign, never creates its folder. Both errors are retryable: another worker may have the tree,
 * and the other Temporal may release it. Nothing was changed when they are thrown.
 * @throws StoreError `TREE_NOT_HERE`: there is no such folder here, or it is another tree; `TREE_LEASED`: another
 * Temporal works on it; `TREE_OTHER_PLUGIN`
 */
export async function openHeldTree(
  { openStore, leases }: Trees,
  address: TreeAddress,
): Promise<Store> {
  const store = await openStore(address.store, { create: false });
  await leases.check(store, address);
  return store;
}

type CredentialLeasesOptions = Pick<TreeLeasesOptions, 'holder' | 'openStore' | 'clock'>;

/** Whether another Temporal uses the tokens of this worker, for trees in a bucket. */
export class CredentialLeases {
  readonly #options: CredentialLeasesOptions;
  readonly #clock: SteadyClock;
  /** By the address of the lease. */
  readonly #checks = new Map<string, LastingCheck>();
  readonly #used = new Set<string>();

  constructor(options: CredentialLeasesOptions) {
    this.#options = options;
    this.#clock = options.clock ?? createSystemClock();
  }

  /**
   * Returns when this Temporal may send with the token.
   * @param tree address of the campaign's tree
   * @throws StoreError `TOKEN_LEASED`, and retryable errors of the store
   */
  async check(tree: string, reference: ServiceReference, windowMs: number): Promise<void> {
    const address = buildCredentialLeaseAddress(tree, reference);
    if (address === null) return;
    const check = this.#checks.get(address) ?? new LastingCheck(this.#clock, TOKEN_HOLDS_MS);
    this.#checks.set(address, check);
    await check.pass(() => this.#use(address, windowMs));
  }

  async #use(address: string, windowMs: number): Promise<void> {
    const { openStore, holder } = this.#options;
    try {
      const store = await openStore(address);
      await useCredential(store, await holder(), windowMs, this.#used.has(address));
    } catch (error) {
      if (!(error instanceof StoreError) || error.retryable) throw error;
      // The worker may only write below a prefix of the bucket. Without the lease, other users of the token show only in
      // the answers of the service.
      log.warn('the lease of a token cannot be kept', { address, code: error.code });
    }
    this.#used.add(address);
  }
}
