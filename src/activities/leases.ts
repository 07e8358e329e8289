/**
 * The leases of this worker's Temporal: of the output trees that it works on, and of its tokens for trees in a bucket.
 *
 * Before an activity uses a tree its lease is checked; as long as a campaign is open there the lease is renewed, and when
 * none is it is released. Workers find the open campaigns with a list query, because a campaign may wait an hour for its
 * window without an activity. Rejected: a heartbeat activity, an event in the history each time.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { Periodic } from '../domain/process.ts';
import { checkPlugins } from '../store/prepared-campaign.ts';
import {
  RENEW_INTERVAL_MS,
  checkTreeId,
  isHeldBy,
  readNewestLease,
  releaseLease,
  renewLease,
  takeLease,
  createTreeLeasedError,
  type Lease,
  type LeaseHolder,
} from '../store/lease.ts';
import type { FileStoreOptions } from '../store/file-store.ts';
import { log } from '@temporalio/activity';
import type { ServiceReference } from '../domain/campaign.ts';
import { buildCredentialLeaseAddress, useCredential } from '../store/credential-lease.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
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
}

/** A lease that was checked this long ago (ms) is checked again before an activity relies on it. */
const TREE_HOLDS_MS = 3_000;
/** A campaign that is briefly missing from the list keeps its tree. */
const CHECKS_BEFORE_RELEASE = 2;
const LAST_CHECK_TIMEOUT_MS = 3_000;

interface Kept {
  readonly address: TreeAddress;
  /** When the lease was last found to be ours, by two clocks: one stops while the machine sleeps. */
  seen: Moment | null;
  renewedAt: number;
  /** Checks in a row that found no open campaign. */
  closed: number;
  checking: Promise<void> | null;
}

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export class TreeLeases {
  readonly #options: TreeLeasesOptions;
  readonly #kept = new Map<string, Kept>();
  readonly #renewals: Periodic;

  constructor(options: TreeLeasesOptions) {
    this.#options = options;
    const work = () => this.renew();
    // `renew` throws nothing: see `#attempt`.
    this.#renewals = new Periodic({ everyMs: RENEW_INTERVAL_MS, work, onError: () => undefined });
  }

  /**
   * Returns if the tree is the requested one, and this Temporal's.
   * @throws StoreError `TREE_NOT_HERE`, `TREE_LEASED`, `TREE_OTHER_PLUGIN`
   */
  async check(store: Store, address: TreeAddress): Promise<void> {
    const kept = this.#keptOf(address);
    kept.closed = 0;
    if (isRecent(kept.seen)) return;
    // Many activities begin at the same time: one check is enough for all.
    kept.checking ??= this.#checkLease(store, kept).finally(() => {
      kept.checking = null;
    });
    await kept.checking;
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
    for (const kept of [...this.#kept.values()]) {
      if (!open.has(buildKey(kept.address))) await this.#attempt(() => this.#release(kept));
    }
  }

  /** One round: what is open is renewed, what is not is released. */
  async renew(): Promise<void> {
    const open = await this.#openTrees();
    for (const address of open?.values() ?? []) this.#keptOf(address);
    for (const kept of [...this.#kept.values()]) {
      // Temporal does not answer: the known trees are kept.
      kept.closed = open?.has(buildKey(kept.address)) === false ? kept.closed + 1 : 0;
      if (kept.closed === 0) await this.#attempt(() => this.#keep(kept));
      else if (kept.closed >= CHECKS_BEFORE_RELEASE) await this.#attempt(() => this.#release(kept));
    }
  }

  async #keep(kept: Kept): Promise<void> {
    kept.renewedAt = -Infinity;
    await this.#checkLease(await this.#options.openStore(kept.address.store), kept);
  }

  async #release(kept: Kept): Promise<void> {
    this.#kept.delete(buildKey(kept.address));
    const store = await this.#options.openStore(kept.address.store);
    await releaseLease(store, await this.#options.holder());
  }

  /** Errors are not reported: activities report a folder that is missing or belongs to another Temporal. */
  async #attempt(step: () => Promise<void>): Promise<void> {
    await step().catch(() => undefined);
  }

  async #checkLease(store: Store, kept: Kept): Promise<void> {
    kept.seen = null;
    const holder = await this.#options.holder();
    const lease = await readNewestLease(store);
    const isFree = lease === null || lease.released !== null;
    if (!isFree && !isHeldBy(lease, holder)) throw createTreeLeasedError(store, lease.record);
    await checkTreeId(store, kept.address.tree);
    const seen = readClocks();
    const ours = isFree
      ? await takeLease(store, holder, lease)
      : await this.#renewIfDue(store, holder, lease, kept);
    if (!ours) throw createTreeLeasedError(store, (await readNewestLease(store))?.record ?? null);
    if (isFree) kept.renewedAt = seen.monotonic;
    // Last: a worker without the plugin renews the lease for those that have it.
    await checkPlugins(store);
    kept.seen = seen;
  }

  async #renewIfDue(
    store: Store,
    holder: LeaseHolder,
    lease: Lease,
    kept: Kept,
  ): Promise<Lease | null> {
    const at = performance.now();
    if (at - kept.renewedAt < RENEW_INTERVAL_MS) return lease;
    const renewed = await renewLease(store, holder, lease);
    if (renewed) kept.renewedAt = at;
    return renewed;
  }

  #keptOf(address: TreeAddress): Kept {
    const key = buildKey(address);
    const known = this.#kept.get(key);
    if (known) return known;
    const { store, tree } = address;
    const kept: Kept = {
      address: { store, tree },
      seen: null,
      renewedAt: -Infinity,
      closed: 0,
      checking: null,
    };
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

function readClocks(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

function isRecent(moment: Moment | null): boolean {
  if (moment === null) return false;
  const { monotonic, wall } = readClocks();
  return (
    monotonic - moment.monotonic < TREE_HOLDS_MS && Math.abs(wall - moment.wall) < TREE_HOLDS_MS
  );
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

interface CredentialLeasesOptions {
  readonly holder: () => Promise<LeaseHolder>;
  readonly openStore: (address: string) => Promise<Store>;
}

/** A check is valid for this long (ms): far less than the allowance in the lease. */
const TOKEN_HOLDS_MS = 10_000;

/** Whether another Temporal uses the tokens of this worker, for trees in a bucket. */
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
    if (performance.now() - (this.#seen.get(address) ?? -Infinity) < TOKEN_HOLDS_MS) return;
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
