/**
 * Jobs of an output tree that may still count against a token: a new budget needs them after its Temporal database was
 * lost. Read from item.json, which outlives the database.
 */
import type { ServiceName } from '../domain/item.ts';
import { inParallel } from './in-parallel.ts';
import { readItem } from './item-store.ts';
import type { ItemRecord } from './item-record.ts';
import { ITEM_RECORD, itemKey } from './layout.ts';
import { readPage, readPreparedCampaign, type PageEntry } from './prepared-campaign.ts';
import type { Store } from './store.ts';
import { unreadableIsNone } from './store-error.ts';

/** An accepted job, or one that may have been accepted: the latest time from which it counts. */
interface JobInTree {
  /** The service's id; for a submission of unknown fate, a substitute name. */
  readonly remoteId: string;
  /** ms since the epoch */
  readonly closedAt: number;
}

/** The credential that the tree's campaign uses; null when unknown. */
export async function credentialOfTree(store: Store, service: ServiceName): Promise<string | null> {
  const campaign = await readPreparedCampaign(store).catch(unreadableIsNone);
  const services = campaign?.settings['services'] as
    Readonly<Record<string, { readonly credential?: unknown } | undefined>> | undefined;
  const credential = services?.[service]?.credential;
  return typeof credential === 'string' ? credential : null;
}

/**
 * Jobs that the service at `address` accepted within the last `windowMs`. A time in the future counts as well: it was
 * written before the clock was set back. What is unreadable is ignored here: it is reported and repaired when the tree is next prepared.
 */
export async function chargesInTree(
  store: Store,
  address: string,
  windowMs: number,
  now = Date.now(),
): Promise<readonly JobInTree[]> {
  const campaign = await readPreparedCampaign(store).catch(unreadableIsNone);
  if (!campaign || windowMs <= 0) return [];
  const jobs: JobInTree[] = [];
  for (let page = 0; page < campaign.pages; page += 1) {
    const entries = (await readPage(store, page).catch(unreadableIsNone)) ?? [];
    await inParallel(entries, READS_AT_ONCE, async (entry) => {
      if (!(await mayCount(store, entry, now - windowMs))) return;
      const record = await readItem(store, entry.kind, entry.id).catch(() => null);
      if (record)
        jobs.push(...jobsOf(record, address).filter((job) => job.closedAt > now - windowMs));
    });
  }
  return jobs;
}

const READS_AT_ONCE = 32;

/** A time in a record after which something may have been sent. Cheaper than checking the whole record. */
const TIMES = /"(?:submitted_at|at)": "([^"]+)"/g;

async function mayCount(store: Store, { kind, id, follows }: PageEntry, since: number) {
  if (follows !== undefined) return false;
  const text = await store.readText(itemKey(kind, id, ITEM_RECORD));
  if (text === null) return false;
  for (const [, time = ''] of text.matchAll(TIMES)) if (Date.parse(time) > since) return true;
  return false;
}

/** Its own jobs only: results from the cache, from another row or from another program needed no submission. */
function jobsOf(record: ItemRecord, address: string): JobInTree[] {
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
