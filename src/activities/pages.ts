/**
 * Reads a page of a campaign's items from the store: those of one service, in the manifest's order.
 *
 * A page is always read whole and in the same order, and items that have ended are marked, so that an offset is
 * still right after continue-as-new.
 */
import type { ServiceReference } from '../domain/campaign.ts';
import { readPage } from '../store/prepared-campaign.ts';
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
        }))
    );
  } catch (error) {
    throw storeFailure(error);
  }
}
