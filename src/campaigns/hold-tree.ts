/** A command holds the lease of the tree that it writes to: no other Temporal, and no `report`, uses it meanwhile. */
import { randomUUID } from 'node:crypto';
import { Periodic } from '../domain/periodic.ts';
import { embeddedServer } from '../host/host.ts';
import type { Session } from '../host/session.ts';
import {
  type Former,
  holderInWords,
  holdTree,
  type Lease,
  type LeaseHolder,
  newestLease,
  releaseLease,
  RENEW_EVERY_MS,
  renewLease,
  treeLeased,
} from '../store/lease.ts';
import type { Store } from '../store/store.ts';
import { isGone, thisProcess, treeHolder } from '../temporal/tree-holder.ts';
import type { OnNotice } from './notice.ts';

interface Holding {
  readonly session: Pick<Session, 'client' | 'embeddedDir' | 'stateFolder'>;
  readonly store: Store;
  readonly onNotice: OnNotice;
}

interface HoldingAlone {
  /** The command, for the error of others that need the tree. */
  readonly where: string;
  readonly store: Store;
  readonly onNotice: OnNotice;
}

export interface HeldTree {
  readonly store: Store;
  /** When this Temporal took it. */
  readonly since: string;
  /** Null once all that it may have sent counts here, and `settle` was called. */
  readonly former: Former | null;
  settle(): Promise<void>;
  /** @throws StoreError `TREE_LEASED`: this command was suspended for so long that another one took over the tree */
  check(): Promise<void>;
}

/** `goesOn`: a campaign works on the tree from now on, and its workers renew the lease. */
interface Done<T> {
  readonly result: T;
  readonly goesOn: boolean;
}

/** @throws StoreError `TREE_LEASED` */
export async function whileHolding<T>(
  { session, store, onNotice }: Holding,
  work: (held: HeldTree) => Promise<Done<T>>,
): Promise<T> {
  const { client, embeddedDir, stateFolder } = session;
  const embedded = embeddedDir === undefined ? null : embeddedServer(embeddedDir);
  const holder = await treeHolder(client, embedded, stateFolder);
  return holdingAs(holder, { store, onNotice }, work);
}

/**
 * For commands that need no Temporal: they hold the tree in their own name.
 * @throws StoreError `TREE_LEASED`
 */
export async function whileHoldingAlone<T>(
  { where, store, onNotice }: HoldingAlone,
  work: () => Promise<T>,
): Promise<T> {
  // Its own process is the holder: the lease ends with it.
  const holder = {
    temporal: `${where} ${randomUUID()}`,
    where,
    ...thisProcess(),
    server: process.pid,
    // It sends nothing.
    ledger: '',
  };
  return holdingAs(holder, { store, onNotice }, async () => ({
    result: await work(),
    goesOn: false,
  }));
}

async function holdingAs<T>(
  holder: LeaseHolder,
  { store, onNotice }: Pick<Holding, 'store' | 'onNotice'>,
  work: (held: HeldTree) => Promise<Done<T>>,
): Promise<T> {
  const { lease, already, takenOver } = await holdTree(store, holder, {
    isGone,
    onWatch: (former) => {
      const who = former ? holderInWords(former) : 'another holder, whose lease cannot be read';
      onNotice(
        `${store.location} was in use by ${who}: checking whether it still is (at most 30 s).`,
      );
    },
  });
  if (takenOver) {
    const former = takenOver.former ? ` from ${holderInWords(takenOver.former)}` : '';
    onNotice(`${store.location} is taken over${former}, which ended without releasing it.`);
  }
  const tree = new RenewedTree(store, holder, lease);
  let goesOn = already;
  try {
    const done = await work(tree);
    goesOn = done.goesOn;
    return done.result;
  } finally {
    await tree.end();
    if (!goesOn) await releaseLease(store, holder).catch(leftToGoStale);
  }
}

/** The lease is a file like any other: if the disk fails, it stays, is not renewed and expires. */
function leftToGoStale(): void {
  // The command reports its own error.
}

class RenewedTree implements HeldTree {
  readonly store: Store;
  readonly #holder: LeaseHolder;
  readonly #renewals: Periodic;
  #lease: Lease | null;
  #isSettled = false;

  constructor(store: Store, holder: LeaseHolder, lease: Lease) {
    this.store = store;
    this.#holder = holder;
    this.#lease = lease;
    this.#renewals = new Periodic({
      everyMs: RENEW_EVERY_MS,
      work: () => this.#renew(),
      // A write that fails is retried next time; other holders wait for three renewals.
      onError: () => undefined,
    });
    this.#renewals.start();
  }

  get since(): string {
    return this.#lease?.record?.since ?? '';
  }

  get former(): Former | null {
    return this.#lease?.record?.former ?? null;
  }

  async settle(): Promise<void> {
    this.#isSettled = true;
    await this.check();
  }

  async check(): Promise<void> {
    await this.#renewals.runNow();
    if (this.#lease === null) {
      throw treeLeased(this.store, (await newestLease(this.store))?.record ?? null);
    }
  }

  async end(): Promise<void> {
    await this.#renewals.stop();
  }

  async #renew(): Promise<void> {
    if (this.#lease === null) return;
    const former = this.#isSettled ? null : this.former;
    this.#lease = await renewLease(this.store, this.#holder, this.#lease, former);
  }
}
