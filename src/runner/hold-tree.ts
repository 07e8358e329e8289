/** A command holds the lease of the tree that it writes to: no other Temporal, and no `report`, uses it meanwhile. */
import { randomUUID } from 'node:crypto';
import { startOrFindBudget } from '../activities/budget-run.ts';
import { computeLongestMs, withRemoteGuard } from '../budget/policy.ts';
import type { ServiceSettings } from '../config/services.ts';
import { formatClock, formatDuration } from '../domain/units.ts';
import { LATEST_ACCEPTANCE_MS } from '../domain/limits.ts';
import { Periodic } from '../domain/process.ts';
import { describeEmbeddedServer } from '../temporal/host/folder.ts';
import { findLocalName } from '../temporal/host/local.ts';
import type { Session } from '../temporal/host/session.ts';
import { Ledger } from '../ledger/ledger.ts';
import { warn } from '../program.ts';
import { listTreeCharges, readTreeCredential } from '../store/jobs-in-tree.ts';
import {
  type Former,
  describeHolder,
  holdTree,
  type Lease,
  type LeaseHolder,
  readNewestLease,
  releaseLease,
  RENEW_INTERVAL_MS,
  renewLease,
  createTreeLeasedError,
} from '../store/lease.ts';
import type { Store } from '../store/store.ts';
import { isGone, describeProcess, createTreeHolder } from '../temporal/tree-holder.ts';
import { restoreSignal } from '../workflows/messages.ts';
import { buildBudgetWorkflowId, submitTaskQueue } from '../workflows/names.ts';
import type { OnNotice } from './session.ts';

interface Holding {
  readonly store: Store;
  readonly onNotice: OnNotice;
}

/** @throws StoreError `TREE_LEASED` */
export async function withTree<T>(
  { client, embeddedDir, stateFolder }: Pick<Session, 'client' | 'embeddedDir' | 'stateFolder'>,
  holding: Holding,
  work: (held: HeldTree) => Promise<T>,
): Promise<T> {
  const embedded = embeddedDir === undefined ? null : describeEmbeddedServer(embeddedDir);
  return holdAs(await createTreeHolder(client, embedded, stateFolder), holding, work);
}

/**
 * For commands that need no Temporal: they hold the tree in their own name.
 * @param where the command, for the error of others that need the tree
 * @throws StoreError `TREE_LEASED`
 */
export async function withTreeAlone<T>(
  where: string,
  holding: Holding,
  work: () => Promise<T>,
): Promise<T> {
  // Its own process is the holder: the lease ends with it.
  const holder = {
    temporal: `${where} ${randomUUID()}`,
    where,
    ...describeProcess(),
    server: process.pid,
    // It sends nothing.
    ledger: '',
  };
  return holdAs(holder, holding, work);
}

async function holdAs<T>(
  holder: LeaseHolder,
  { store, onNotice }: Holding,
  work: (held: HeldTree) => Promise<T>,
): Promise<T> {
  const { lease, already, takenOver } = await holdTree(store, holder, {
    isGone,
    onWatch: (former) => {
      const who = former ? describeHolder(former) : 'another holder, whose lease cannot be read';
      onNotice(
        `${store.location} was in use by ${who}: checking whether it still is (at most 30 s).`,
      );
    },
  });
  if (takenOver) {
    const former = takenOver.former ? ` from ${describeHolder(takenOver.former)}` : '';
    onNotice(`${store.location} is taken over${former}, which ended without releasing it.`);
  }
  const tree = new HeldTree(store, holder, lease);
  let isKept = already;
  try {
    const result = await work(tree);
    isKept = tree.isLeft;
    return result;
  } finally {
    await tree.end();
    // The lease is a file like any other: if the disk fails, it stays, is not renewed and expires.
    if (!isKept) await releaseLease(store, holder).catch(() => undefined);
  }
}

/** Renews the lease as long as the command holds it. */
export class HeldTree {
  readonly store: Store;
  /** Set when a campaign works on the tree from now on: its workers renew the lease. */
  isLeft = false;
  readonly #holder: LeaseHolder;
  readonly #renewals: Periodic;
  #lease: Lease | null;
  #isSettled = false;

  constructor(store: Store, holder: LeaseHolder, lease: Lease) {
    this.store = store;
    this.#holder = holder;
    this.#lease = lease;
    this.#renewals = new Periodic({
      everyMs: RENEW_INTERVAL_MS,
      work: () => this.#renew(),
      // A write that fails is retried next time; other holders wait for three renewals.
      onError: () => undefined,
    });
    this.#renewals.start();
  }

  /** When this Temporal took it. */
  get since(): string {
    return this.#lease?.record?.since ?? '';
  }

  /** Null once all that it may have sent counts here, and `settle` was called. */
  get former(): Former | null {
    return this.#lease?.record?.former ?? null;
  }

  async settle(): Promise<void> {
    this.#isSettled = true;
    await this.check();
  }

  /** @throws StoreError `TREE_LEASED`: this command was suspended for so long that another one took over the tree */
  async check(): Promise<void> {
    await this.#renewals.runNow();
    if (this.#lease === null) {
      throw createTreeLeasedError(this.store, (await readNewestLease(this.store))?.record ?? null);
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

/*
 * What a tree shows of jobs that may still count, before its rows are sent from here: a budget whose database was lost
 * does not know them, and that of another Temporal never did. Each step can be repeated: after a crash in the middle,
 * the same command continues.
 */

export interface TakingOver {
  readonly session: Session;
  readonly held: HeldTree;
  /** The services that the campaign uses. */
  readonly feeds: readonly ServiceSettings[];
  readonly onNotice: OnNotice;
}

/**
 * The tree's jobs are charged in the ledger of this machine, each once. If another Temporal had the tree, this one's
 * budgets also count what that one may have sent: what the ledger shows, or if it is not the one that was used there,
 * a whole window. Local services are skipped: their own counts are lost with the same folder.
 * @throws HundredfoldError LEDGER_UNUSABLE, STATE_FOLDER_UNUSABLE, and StoreErrors
 */
export async function takeOver(taking: TakingOver): Promise<void> {
  const { session, held, feeds } = taking;
  const { former } = held;
  const ledger = new Ledger({ folder: session.stateFolder, warn });
  try {
    for (const feed of feeds) {
      const { reference, policy } = feed;
      if (findLocalName(reference.address) !== null || policy.windows.length === 0) continue;
      await seed(ledger, taking, feed);
      if (former?.known === false) await restore(taking, feed, null);
      else if (former && session.role === 'remote') {
        // Elsewhere, other machines may send as well.
        const ages = ledger.listAges(toAccount(feed), computeLongestMs(policy.windows));
        await restore(taking, feed, ages);
      }
    }
  } finally {
    ledger.stop();
  }
  if (former) await held.settle();
}

async function seed(ledger: Ledger, { held }: TakingOver, feed: ServiceSettings): Promise<void> {
  const { reference, policy } = feed;
  const windowMs = computeLongestMs(policy.windows);
  const { former } = held;
  // Of a server that died on this machine, the ledger has all.
  const isElsewhere = former !== null && (former.released || !former.known);
  const jobs = await listTreeCharges(held.store, reference.address, windowMs, isElsewhere);
  if (jobs.length === 0) return;
  const credential = await readTreeCredential(held.store, reference.service);
  const account = toAccount(feed);
  ledger.note({ ...account, credential: credential ?? account.credential }, jobs, windowMs);
}

function toAccount({ reference, ledgerAddress }: ServiceSettings) {
  return { ...reference, address: ledgerAddress };
}

/** @param ages how long ago each job counts from (ms); null: what was sent is unknown */
async function restore(
  { session, held, onNotice }: TakingOver,
  { reference, policy }: ServiceSettings,
  ages: readonly number[] | null,
): Promise<void> {
  const { client, taskQueue, role } = session;
  const { service } = reference;
  const { location } = held.store;
  const reason = `${location} was taken over from another Temporal server`;
  const configuration =
    role === 'remote'
      ? { policy: withRemoteGuard(policy), submitQueue: submitTaskQueue(reference) }
      : { policy };
  await startOrFindBudget(client, taskQueue, reference, { configuration, reason });
  const from = `${location} ${held.since}`;
  await client.workflow
    .getHandle(buildBudgetWorkflowId(reference))
    .signal(restoreSignal, { from, reason, ages });
  if (ages !== null) return;
  const windowMs = computeLongestMs(policy.windows);
  const until = formatClock(Date.now() + LATEST_ACCEPTANCE_MS + windowMs, Date.now());
  onNotice(
    `What the server before has sent to ${service} with this token cannot be seen here, and counts as the whole limit ` +
      `of ${formatDuration(windowMs)}: the first job is sent at ${until}.`,
  );
}
