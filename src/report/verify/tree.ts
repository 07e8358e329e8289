/**
 * Checks the promises about the output tree (docs/architecture.md, 3 and 5) for a whole tree: every file against its
 * record, and everything derived from the items against what they give now. Reads every byte and writes none. Memory
 * grows with the names of the items, not with their results.
 */
import {
  CAMPAIGN_SUMMARY,
  CHECKSUMS,
  CRATE,
  isSendingNote,
  itemFolder,
  itemOf,
  ITEMS_TABLE,
  PREPARED_CAMPAIGN,
} from '../../store/layout.ts';
import { type PreparedCampaign, readPreparedCampaign } from '../../store/prepared-campaign.ts';
import type { Store } from '../../store/store.ts';
import { StoreError } from '../../store/store-error.ts';
import { itemPages, type Listed, refusedRows } from '../campaign-items.ts';
import { type CampaignSummary, SummaryTally } from '../campaign-summary.ts';
import { TableColumns } from '../campaign-tables.ts';
import { listedRowsFault } from '../listed-rows.ts';
import { checkEnded, lastPublication } from '../published-campaign.ts';
import {
  checkChecksums,
  checkCrate,
  checkSummary,
  checkTables,
  type Derivation,
} from './derived.ts';
import { type Check, type Fault, type FoundFault, REMEDIES } from './fault.ts';
import { checkItems } from './items.ts';
import { allKinds } from '../../kinds/registry.ts';

interface VerifyOptions {
  /** Called after each item, with their number. */
  readonly onItem?: (items: number) => void;
  /** Aborts; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

export interface Verification {
  /** Empty if there are none. */
  readonly faults: readonly Fault[];
  /** Items of the campaign, without the refused rows. */
  readonly items: number;
  /** Files of items that were compared with their digests. */
  readonly files: number;
}

/** @throws HundredfoldError `CAMPAIGN_NOT_ENDED`; store errors that do not concern a single file */
export async function verifyTree(store: Store, options: VerifyOptions = {}): Promise<Verification> {
  const verifying = new Verifying(store, options);
  await verifying.run();
  return verifying;
}

/** The faults of a tree, one sentence each; empty if there are none. */
export async function treeFaults(store: Store): Promise<readonly string[]> {
  return (await verifyTree(store)).faults.map(({ message }) => message);
}

class Verifying implements Verification {
  readonly faults: Fault[] = [];
  items = 0;
  files = 0;
  readonly #store: Store;
  readonly #options: VerifyOptions;
  readonly #tally = new SummaryTally();
  readonly #columns = new TableColumns();
  readonly #folders = new Set<string>();
  /** Ids and folders of items with a fault, and reported files. */
  readonly #faulty = new Set<string>();
  #recordsMissing = false;

  constructor(store: Store, options: VerifyOptions) {
    this.#store = store;
    this.#options = options;
  }

  async run(): Promise<void> {
    const campaign = await this.#prepared();
    if (campaign !== null) {
      const listed = await this.#reported('records', '.hundredfold', async () => {
        await checkEnded(this.#store, campaign);
        await this.#rows(campaign);
      });
      if (listed) await this.#derivedFrom(campaign);
    }
    for await (const path of this.#store.leftovers()) {
      const message = `${path} is an unfinished file.`;
      this.#add({ check: 'files', path, message, remedy: REMEDIES.leftover });
    }
  }

  async #prepared(): Promise<PreparedCampaign | null> {
    const found: PreparedCampaign[] = [];
    const read = await this.#reported('records', PREPARED_CAMPAIGN, async () => {
      const campaign = await readPreparedCampaign(this.#store);
      if (campaign !== null) found.push(campaign);
    });
    if (read && found.length === 0) {
      const message = `${this.#store.location} contains no prepared campaign.`;
      const remedy = REMEDIES.campaign;
      this.#add({ check: 'records', path: PREPARED_CAMPAIGN, message, remedy });
    }
    return found[0] ?? null;
  }

  async #rows(campaign: PreparedCampaign): Promise<void> {
    const { signal, onItem } = this.#options;
    for await (const page of itemPages(this.#store, campaign)) {
      for (const { item, faults, files } of await checkItems(this.#store, page)) {
        signal?.throwIfAborted();
        this.items += 1;
        this.files += files;
        this.#take(item);
        const folder = itemFolder(item.kind, item.id);
        if (item.record === null) this.#recordsMissing = true;
        if (this.#folders.has(folder)) this.#twice(item.id, folder);
        this.#folders.add(folder);
        if (faults.length > 0) for (const about of [item.id, folder]) this.#faulty.add(about);
        for (const fault of faults) this.#add(fault);
        onItem?.(this.items);
      }
    }
    for await (const row of refusedRows(this.#store)) this.#take(row);
    await this.#unlisted(campaign);
  }

  #take(item: Listed): void {
    this.#tally.add(item);
    this.#columns.add(item);
  }

  #twice(id: string, path: string): void {
    const message = `Item ${id} is listed twice.`;
    this.#add({ check: 'records', path, message, remedy: REMEDIES.campaign });
  }

  /** Folders of items that the campaign does not have, and rows missing from its pages. */
  async #unlisted(campaign: PreparedCampaign): Promise<void> {
    const words = await listedRowsFault(this.#store, campaign);
    if (words !== null) {
      const message = `${this.#store.location}: ${words}.`;
      this.#add({ check: 'records', path: '.hundredfold', message, remedy: REMEDIES.campaign });
    }
    for (const top of allKinds().map(({ folder }) => folder)) {
      for await (const path of this.#store.list(`${top}/`)) {
        if (isSendingNote(path) || this.#folders.has(itemOf(path)?.folder ?? '')) continue;
        const message = `${path} belongs to no item's record.`;
        this.#add({ check: 'files', path, message, remedy: REMEDIES.stray });
      }
    }
  }

  async #derivedFrom(campaign: PreparedCampaign): Promise<void> {
    const derivation: Derivation = {
      store: this.#store,
      campaign,
      columns: this.#columns,
      isReported: (about) => this.#isFaulty(about),
      ...(this.#options.signal && { signal: this.#options.signal }),
    };
    const take = async (
      check: Check,
      path: string,
      work: () => Promise<readonly FoundFault[]>,
    ): Promise<void> => {
      await this.#reported(check, path, async () => {
        for (const fault of await work()) this.#add(fault);
      });
    };
    await take('tables', ITEMS_TABLE, () => checkTables(derivation));
    const summary = await this.#summary(campaign);
    if (!this.#recordsMissing) {
      await take('summary', CAMPAIGN_SUMMARY, () => checkSummary(this.#store, summary));
      await take('crate', CRATE, () => checkCrate(derivation, summary));
    }
    await take('checksums', CHECKSUMS, () => checkChecksums(derivation));
  }

  /** As it would be published now, with the values that only the last publication has. */
  async #summary(campaign: PreparedCampaign): Promise<CampaignSummary> {
    const last = await lastPublication(this.#store);
    const { end, runs, ...published } = last ?? NOT_PUBLISHED;
    return { ...this.#tally.summary(campaign, end, [], runs), ...published };
  }

  /** A store error that concerns a single file is a fault like the others. */
  async #reported(check: Check, path: string, work: () => Promise<void>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof StoreError) || error.retryable) throw error;
      const { message, remedy } = error;
      this.#add({ check, path, message, remedy });
      return false;
    }
  }

  #add({ isMissing = false, ...fault }: FoundFault): void {
    this.faults.push(fault);
    this.#faulty.add(fault.path);
    // The crate lists the existing files.
    if (isMissing) this.#faulty.add('./');
  }

  /** `about`: an id, a key, or an entity of the crate. */
  #isFaulty(about: string): boolean {
    if (this.#faulty.has(about)) return true;
    const folder = about.split('/', 2).join('/');
    return this.#folders.has(folder) && this.#faulty.has(folder);
  }
}

const NOT_PUBLISHED = {
  end: { state: 'completed', startedAt: '', endedAt: null, versions: {} },
  runs: [],
} as const;
