/**
 * What the activities need from outside, provided by a worker or a test; and the leases that they check before they use a
 * tree or a token.
 */
import type { Client } from '@temporalio/client';
import type { BudgetConfiguration } from '../budget/state.ts';
import type { NotifySettings } from '../config/settings.ts';
import type { ServiceReference } from '../domain/campaign.ts';
import type { ArtefactName, Timing } from '../domain/outcomes.ts';
import { findKind } from '../kinds/registry.ts';
import type { RemoteJob } from '../workflows/activity-types.ts';
import type { publishCampaign } from '../report/publish.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { type SteadyClock, createSystemClock } from '../ledger/steady-clock.ts';
import type { ServiceClient } from '../services/client.ts';
import type { PollPace } from '../services/polling.ts';
import type { Fence } from './gates.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { log } from '@temporalio/activity';
import { Periodic } from '../domain/process.ts';
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

/** A service as this worker knows it. */
export interface KnownService {
  readonly reference: ServiceReference;
  readonly client: ServiceClient;
  readonly pace: PollPace;
  readonly budget: BudgetConfiguration;
  /** Its address in the ledger of this machine. */
  readonly ledgerAddress: string;
}

export interface Dependencies extends Trees {
  /** null when this worker has no such service or credential: another worker may. */
  readonly serviceOf: (reference: ServiceReference) => KnownService | null;
  /**
   * The same service with the token that is configured now, for jobs of the one before, and for rows that wait for that
   * one. Only if no two users share a Temporal.
   */
  readonly successorOf: (reference: ServiceReference) => KnownService | null;
  /** Whether another Temporal uses a token; without it nothing is checked. */
  readonly tokens?: Pick<CredentialLeases, 'check'>;
  readonly publishCampaign: typeof publishCampaign;
  readonly jobsSeen: JobsSeen;
  readonly fence: Pick<Fence, 'pass' | 'isAwaited'>;
  readonly steadyClock: SteadyClock;
  /** The last gate before a POST (gates.ts). */
  readonly ledger: Ledger;
  /** Who is notified of the end of a campaign. */
  readonly notify: NotifySettings | null;
  readonly temporal: Client;
  /**
   * The same over the connection of this worker: the server may hand the first task of a workflow that is started with it
   * to this worker at once.
   */
  readonly starter: Client;
  readonly taskQueue: string;
  /** Versions for campaign.json: `hundredfold`, `node`, … */
  readonly versions: Readonly<Record<string, string>>;
}

/** A job may be shorter than those before, or may have ended long ago: it is not made to wait longer (ms). */
const MAX_LIKELY_MS = 60_000;
/** Jobs of one kind rarely take exactly the same time: one that takes longer raises what is expected by this, at most. */
const GROWTH = 1.1;
/** A job that took no time at all must not be the measure of all that follow (ms). */
const MIN_LIKELY_MS = 1_000;

/**
 * How long the jobs of its services ran and which files they had, in memory: it only decides when and how often a service
 * is asked, so the first jobs of a new worker are asked for a few times more.
 */
export class JobsSeen {
  /** From the log of their service (ms). */
  readonly #likely = new Map<string, number>();
  readonly #had = new Map<string, boolean>();

  /** Adds the times in the log of an ended job. */
  noteTiming(job: RemoteJob, { queuedAt, startedAt, finishedAt }: Timing): void {
    // A job that found a worker free has no time in the queue.
    const tookMs = Date.parse(finishedAt ?? '') - Date.parse(queuedAt ?? startedAt ?? '');
    if (!(tookMs >= 0)) return;
    const key = buildJobKey(job);
    const most = GROWTH * (this.#likely.get(key) ?? tookMs);
    this.#likely.set(key, Math.min(tookMs, Math.max(MIN_LIKELY_MS, most)));
  }

  /**
   * After how long the next job may have ended, in ms; 0 when nothing is known. Its first poll waits that long: one that is
   * too early costs a request, and then the service's whole Retry-After until the next one is allowed.
   */
  likelyMs(job: RemoteJob): number {
    return Math.min(MAX_LIKELY_MS, this.#likely.get(buildJobKey(job)) ?? 0);
  }

  /**
   * Whether other jobs had a file; null if nothing is known. The contract does not say which job has which file, so a 404
   * may pass, or be final: what another job of the kind had is asked for with the patience of other 404s; what the last
   * job did not have, and none before it, only once.
   */
  hadFile(job: RemoteJob, artefact: ArtefactName): boolean | null {
    const isOptional = findKind(job.item.kind).artefacts[artefact]?.presence === 'optional';
    return this.#had.get(`${buildJobKey(job)} ${artefact}`) ?? (isOptional ? false : null);
  }

  noteFile(job: RemoteJob, artefact: ArtefactName, isThere: boolean): void {
    const key = `${buildJobKey(job)} ${artefact}`;
    // Once a job had it, a job without it is an exception.
    if (isThere || !this.#had.has(key)) this.#had.set(key, isThere);
  }
}

function buildJobKey({ item, reference }: RemoteJob): string {
  return `${reference.service} ${reference.address} ${item.kind}`;
}

/* Leases */

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

/**
 * The leases of the output trees that this worker's Temporal works on. Before an activity uses a tree its lease is
 * checked; as long as a campaign is open there the lease is renewed, and when none is it is released. Workers find the
 * open campaigns with a list query, because a campaign may wait an hour for its window without an activity. Rejected: a
 * heartbeat activity, an event in the history each time.
 */
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
    this.#kept.delete(buildTreeKey(address));
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
    const key = buildTreeKey({ store, tree });
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
      return new Map(trees.map((address) => [buildTreeKey(address), address]));
    } catch {
      return null;
    }
  }
}

/** A folder that is missing or belongs to another Temporal is reported by the activities that need it. */
function ignoreMissing(): void {
  return undefined;
}

function buildTreeKey({ store, tree }: TreeAddress): string {
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
