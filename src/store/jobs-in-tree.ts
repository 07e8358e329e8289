/**
 * Jobs that are recorded in the item.json files of output trees: those of a folder's campaigns by their ids, and those of
 * one tree that may still count against a token, which a new budget needs after its Temporal database was lost.
 */
import { type ServiceName, isFinal, type ItemState } from '../domain/campaign.ts';
import { runInParallel } from '../domain/process.ts';
import type { ItemRecord } from './item-record.ts';
import { readItem, readNotes } from './item-store.ts';
import { buildAddress, buildItemFolder } from './layout.ts';
import { openStoreIfAny } from './open-store.ts';
import { readPage, readPreparedCampaign } from './prepared-campaign.ts';
import { nullIfDamaged, StoreError, nullIfUnreadable, type Store } from './store.ts';

const READS_AT_ONCE = 16;

/** An accepted job, or one that may have been accepted: the latest time from which it counts. */
interface JobInTree {
  /** The service's id; for a submission of unknown outcome, a substitute name. */
  readonly remoteId: string;
  /** ms since the epoch */
  readonly closedAt: number;
}

/** The credential that the tree's campaign uses; null when unknown. */
export async function readTreeCredential(
  store: Store,
  service: ServiceName,
): Promise<string | null> {
  const campaign = await readPreparedCampaign(store).catch(nullIfUnreadable);
  const services = campaign?.settings['services'] as
    Readonly<Record<string, { readonly credential?: unknown } | undefined>> | undefined;
  const credential = services?.[service]?.credential;
  return typeof credential === 'string' ? credential : null;
}

/** Clocks of two hosts differ by less than this (ms). */
const CLOCKS_DIFFER_MS = 10 * 60_000;

/**
 * Jobs that the service at `address` accepted within the last `windowMs`. A time in the future counts as well: it was
 * written before the clock was set back. What is unreadable is ignored here: it is reported and repaired when the tree is next prepared.
 * @param elsewhere sent by another Temporal, perhaps on another host: each job counts from its latest possible time, and
 *   what only a note tells counts as well. Otherwise the ledger of this machine has all that was sent from it
 */
export async function listTreeCharges(
  store: Store,
  address: string,
  windowMs: number,
  elsewhere = false,
  now = Date.now(),
): Promise<readonly JobInTree[]> {
  const campaign = await readPreparedCampaign(store).catch(nullIfUnreadable);
  if (!campaign || windowMs <= 0) return [];
  const jobs: JobInTree[] = [];
  const later = elsewhere ? CLOCKS_DIFFER_MS : 0;
  const since = now - windowMs - later;
  for (let page = 0; page < campaign.pages; page += 1) {
    const entries = (await readPage(store, page).catch(nullIfUnreadable)) ?? [];
    await runInParallel(entries, READS_AT_ONCE, async (entry) => {
      if (entry.follows !== undefined) return;
      const record = await readItem(store, entry.kind, entry.id).catch(() => null);
      if (!record) return;
      const found = listRecordJobs(record, address);
      if (elsewhere && !isFinal(record.state))
        found.push(...(await readNotedJobs(store, record, address)));
      const counted = found.filter(({ closedAt }) => closedAt > since);
      jobs.push(...counted.map((job) => ({ ...job, closedAt: job.closedAt + later })));
    });
  }
  return jobs;
}

/** Accepted a moment before the end of its worker, or in progress then. */
async function readNotedJobs(
  store: Store,
  record: ItemRecord,
  address: string,
): Promise<JobInTree[]> {
  const jobs: JobInTree[] = [];
  for await (const { note } of readNotes(store, record)) {
    if (note?.address !== address || note.refused) continue;
    const { at, remoteId = `unsure ${record.id} ${at}`, answeredAt = at } = note;
    if (remoteId !== record.remoteId) jobs.push({ remoteId, closedAt: Date.parse(answeredAt) });
  }
  return jobs;
}

/** Its own jobs only: results from the cache, from another row or from another program needed no submission. */
function listRecordJobs(record: ItemRecord, address: string): JobInTree[] {
  if (record.address !== address || record.resultFrom || record.adopted) return [];
  const sent = [record, ...record.earlier].flatMap(({ remoteId, submittedAt }) =>
    remoteId !== null && submittedAt !== null
      ? [{ remoteId, closedAt: Date.parse(submittedAt) }]
      : [],
  );
  const unsure = record.remoteId === null ? record.attempts : [];
  return [
    ...sent,
    ...unsure
      .filter(({ outcome }) => outcome === 'unsure')
      .map(({ at }) => ({
        remoteId: `unsure ${record.id} ${at}`,
        closedAt: Date.parse(at),
      })),
  ];
}

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

/**
 * Jobs of a service that are recorded in the item.json files of a folder's campaigns.
 * @param folder that contains the campaigns; it may not exist
 */
export async function listFolderJobs(folder: string, service: ServiceName): Promise<JobsInFolder> {
  const jobs = new Map<string, HolderOfJob>();
  const unreadable: string[] = [];
  const campaigns = await openStoreIfAny(folder);
  if (campaigns === null) return { jobs, unreadable };
  for await (const name of campaigns.folders()) {
    try {
      const tree = await openStoreIfAny(buildAddress(folder, name));
      if (tree !== null) await addCampaignJobs(tree, name, service, jobs);
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      unreadable.push(error.message);
    }
  }
  return { jobs, unreadable };
}

/** None in a folder that is no campaign. */
async function addCampaignJobs(
  store: Store,
  campaign: string,
  service: ServiceName,
  jobs: Map<string, HolderOfJob>,
): Promise<void> {
  const { pages = 0 } = (await readPreparedCampaign(store)) ?? {};
  for (let page = 0; page < pages; page += 1) {
    await runInParallel(await readPage(store, page), READS_AT_ONCE, async ({ kind, id }) => {
      const record = await readItem(store, kind, id).catch(nullIfDamaged);
      // A result from another row or from the cache is listed at the item that has the job.
      if (record?.service !== service || record.resultFrom) return;
      const { state, remoteId, earlier } = record;
      const holder = { campaign, id, state, path: `${campaign}/${buildItemFolder(kind, id)}` };
      for (const job of [remoteId, ...earlier.map((end) => end.remoteId)])
        if (job !== null && !jobs.has(job)) jobs.set(job, holder);
    });
  }
}
