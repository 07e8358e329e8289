/**
 * Reads a page of a campaign's items from the store: those of one service, in the manifest's order.
 *
 * A page is always read whole and in the same order, and items that have ended are marked, so that an offset is
 * still right after continue-as-new.
 */
import { log } from '@temporalio/activity';
import type { Sent, ServiceReference } from '../domain/campaign.ts';
import { readPage, type PageEntry } from '../store/prepared-campaign.ts';
import { resultCacheIfAny } from '../store/result-cache.ts';
import { StoreError } from '../store/store-error.ts';
import type { ItemOfPage } from '../workflows/activity-types.ts';
import type { Dependencies } from './dependencies.ts';
import { storeFailure } from './retry.ts';
import { openHeldTree } from './tree.ts';
import { kindOf } from '../kinds/registry.ts';
import { kindsOf, serviceOf } from '../services/registry.ts';

export async function loadPage(
  deps: Dependencies,
  folder: string,
  { service, address }: ServiceReference,
  page: number,
  tree: string,
): Promise<ItemOfPage[]> {
  try {
    const opened = await openHeldTree(deps, { store: folder, tree });
    const kinds = kindsOf(serviceOf(service));
    const entries = await readPage(opened, page);
    const worked = await workedSettings(opened.location, address, entries);
    return (
      entries
        // A row that gets the result of another one needs no job: `publish` delivers it.
        .filter(({ kind, follows }) => kinds.includes(kind) && follows === undefined)
        .map(({ id, kind, done, generation = 0, job, adopts, sends }) => ({
          id,
          kind,
          generation,
          ...(done && { ended: { state: done, code: null } }),
          // A job of another service, from before the configuration was changed, does not belong to this one.
          ...(job?.address === address && {
            remoteId: job.remoteId,
            ...(job.formerEnd !== undefined && { formerEnd: job.formerEnd }),
          }),
          // Even if the configured service has changed: an adopted job is polled there, and never submitted.
          ...(adopts !== undefined && { remoteId: adopts, adopted: true as const }),
          ...(sends && { sends: { ...sends, folder: kindOf(kind).folder } }),
          ...(sends && worked.has(settingsOf(sends)) && { proven: true as const }),
        }))
    );
  } catch (error) {
    throw storeFailure(error);
  }
}

/** Those of the settings in a page with which a job has succeeded lately. Without the cache, none is known. */
async function workedSettings(
  folder: string,
  address: string,
  entries: readonly PageEntry[],
): Promise<ReadonlySet<string>> {
  const worked = new Set<string>();
  const settings = new Map(
    entries.flatMap(({ sends }) => (sends ? [[settingsOf(sends), sends.options]] : [])),
  );
  try {
    const cache = await resultCacheIfAny(folder);
    for (const [name, options] of settings)
      if (await cache?.haveWorked(address, options, Date.now())) worked.add(name);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log.warn('settings that have worked lately are unknown', { reason: error.message });
  }
  return worked;
}

function settingsOf({ options }: Sent): string {
  return JSON.stringify(options);
}
