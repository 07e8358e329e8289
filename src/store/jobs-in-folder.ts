/** Jobs of a service that are recorded in the item.json files of an output folder's campaigns. Only reads. */
import type { ServiceName } from '../domain/item.ts';
import type { ItemState } from '../domain/states.ts';
import { addressOf } from './address.ts';
import { openStore, openStoreIfAny } from './open-store.ts';
import { inParallel } from './in-parallel.ts';
import { readItem } from './item-store.ts';
import { itemFolder, PREPARED_CAMPAIGN } from './layout.ts';
import { readPage, readPreparedCampaign, type PageEntry } from './prepared-campaign.ts';
import type { Store } from './store.ts';
import { damagedRecordIsNone, StoreError } from './store-error.ts';

/** The item that has a job. */
export interface HolderOfJob {
  readonly campaign: string;
  readonly id: string;
  readonly state: ItemState;
  /** The item's folder, below the output folder. */
  readonly path: string;
}

export interface JobsInFolder {
  /** Remote id → the item that has the job. */
  readonly jobs: ReadonlyMap<string, HolderOfJob>;
  /** Campaigns that could not be read, a sentence each. */
  readonly unreadable: readonly string[];
}

/** Items read at once, as elsewhere. */
const READ_LIMIT = 16;

/** @param folder that contains the campaigns; it may not exist */
export async function jobsInFolder(folder: string, service: ServiceName): Promise<JobsInFolder> {
  const jobs = new Map<string, HolderOfJob>();
  const unreadable: string[] = [];
  for (const name of await campaignsIn(folder)) {
    try {
      await readCampaign(await openStore(addressOf(folder, name)), name, service, jobs);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      unreadable.push(error.message);
    }
  }
  return { jobs, unreadable };
}

/** Names of the folders that contain a prepared campaign, in order. */
async function campaignsIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const name of await namesIn(folder)) {
    const tree = await openStoreIfAny(addressOf(folder, name));
    if (tree !== null && (await tree.exists(PREPARED_CAMPAIGN))) names.push(name);
  }
  return names;
}

/** Names of the folders in it, in order; none if it is missing. */
export async function namesIn(folder: string): Promise<readonly string[]> {
  const store = await openStoreIfAny(folder);
  const names: string[] = [];
  if (store !== null) for await (const name of store.folders()) names.push(name);
  return names;
}

async function readCampaign(
  store: Store,
  name: string,
  service: ServiceName,
  jobs: Map<string, HolderOfJob>,
): Promise<void> {
  const campaign = await readPreparedCampaign(store);
  for (let page = 0; page < (campaign?.pages ?? 0); page += 1) {
    await inParallel(await readPage(store, page), READ_LIMIT, async (entry) => {
      await readEntry(store, name, service, entry, jobs);
    });
  }
}

async function readEntry(
  store: Store,
  campaign: string,
  service: ServiceName,
  { kind, id }: PageEntry,
  jobs: Map<string, HolderOfJob>,
): Promise<void> {
  const record = await readItem(store, kind, id).catch(damagedRecordIsNone);
  // A result from another row or from the cache is listed at the item that has the job.
  if (record?.service !== service || record.resultFrom) return;
  const { state, remoteId, earlier } = record;
  const holder = { campaign, id, state, path: `${campaign}/${itemFolder(kind, id)}` };
  for (const job of [remoteId, ...earlier.map((end) => end.remoteId)]) {
    if (job !== null && !jobs.has(job)) jobs.set(job, holder);
  }
}
