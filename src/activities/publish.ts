/** Makes the tables, the summary and the checksums of a campaign that has ended. */
import { Context } from '@temporalio/activity';
import type { ItemEndCode } from '../domain/item-ends.ts';
import { isFinal } from '../domain/item.ts';
import { readItemPages } from '../report/campaign-items.ts';
import { deliverDuplicates, buildResultCacheFolder, ResultCache } from '../store/deliver.ts';
import { runInParallel } from '../domain/in-parallel.ts';
import { writeItem } from '../store/item-store.ts';
import type { ItemRecord } from '../store/item-record.ts';
import { readPreparedCampaign, type PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { Published, PublishRequest } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { storeFailure } from './retry.ts';
import { settleNotes } from './sending-note.ts';
import { openHeldTree } from './leases.ts';

export async function publish(deps: Dependencies, request: PublishRequest): Promise<Published> {
  const { store: address, state, startedAt, retried, cache } = request;
  const context = Context.current();
  try {
    const store = await openHeldTree(deps, request);
    const endedAt = new Date().toISOString();
    const campaign = await readPreparedCampaign(store);
    if (campaign) {
      await deliverDuplicates(store, campaign);
      if (state === 'cancelled') await cancelRest(store, campaign, endedAt);
    }
    const end = { state, startedAt, endedAt, retried, versions: deps.versions };
    const { items } = await deps.publishCampaign(store.location, end, {
      heartbeat: (progress) => context.heartbeat(progress),
      signal: context.cancellationSignal,
    });
    if (campaign && cache) await keepResults(deps, address, campaign).catch(logUnkept);
    const { succeeded, failed, held, cancelled, invalid, open } = items;
    return { ended: { succeeded, failed, held, cancelled, invalid }, open };
  } catch (error) {
    throw storeFailure(error);
  }
}

/** Rows that had not started when the campaign was cancelled: they need an end as well (promise 3). */
async function cancelRest(
  store: Store,
  campaign: PreparedCampaign,
  finishedAt: string,
): Promise<void> {
  const code = 'CANCELLED' satisfies ItemEndCode;
  const error = { code, message: 'cancelled before it was submitted' };
  for await (const page of readItemPages(store, campaign)) {
    // One after the other, a million rows would wait for the disk for half an hour.
    await runInParallel(page, store.atOnce, async ({ record }) => {
      if (!record) return;
      if (isFinal(record.state)) {
        // By an attempt of this activity that was cut off, perhaps.
        if (record.state === 'cancelled' && record.remoteId === null)
          await repairEnd(store, record);
        return;
      }
      const cancelled: ItemRecord = { ...record, state: 'cancelled', error, finishedAt };
      await writeItem(store, cancelled);
      await repairEnd(store, cancelled);
    });
  }
}

/** A submission that was being sent when its row was cancelled: the job is not lost, and not paid for again. */
async function repairEnd(store: Store, cancelled: ItemRecord): Promise<void> {
  const { notes, outcome } = await settleNotes(store, cancelled);
  if (outcome?.type === 'accepted') {
    const { type: _, ...job } = outcome;
    await writeItem(store, { ...cancelled, ...job });
  } else if (outcome?.type === 'unsure') {
    const code = 'SUBMIT_UNSURE' satisfies ItemEndCode;
    const { message } = outcome;
    await writeItem(store, { ...cancelled, state: 'held', error: { code, message } });
  }
  for (const note of notes) await store.remove(note);
}

/** Optional: the campaign has ended, and a later one can compute the results again. */
function logUnkept(error: unknown): void {
  if (!(error instanceof StoreError)) throw error;
  const { code, message } = error;
  Context.current().log.warn('results are not kept for later campaigns', { code, message });
}

/** For later campaigns into the same store. */
async function keepResults(
  deps: Dependencies,
  address: string,
  campaign: PreparedCampaign,
): Promise<void> {
  const tree = await deps.openStore(address);
  const folder = await deps.openStore(buildResultCacheFolder(address), { create: true });
  const cache = new ResultCache(folder, address);
  for await (const page of readItemPages(tree, campaign)) {
    await runInParallel(page, tree.atOnce, async ({ record }) => {
      if (record) await cache.keep(campaign.name, record);
    });
  }
  await cache.keepSettings();
}
