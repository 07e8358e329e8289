/** Reads a page of a campaign's items from the store: those of one service, in the manifest's order. */
import { SERVICE_OF_KIND, type ServiceName } from '../domain/item.ts';
import { readPage } from '../store/prepared-campaign.ts';
import type { PageEntry } from '../workflows/verbs.ts';
import type { Dependencies } from './dependencies.ts';
import { storeFailure } from './retry.ts';

export async function loadPage(
  deps: Dependencies,
  address: string,
  service: ServiceName,
  page: number,
): Promise<PageEntry[]> {
  try {
    const entries = await readPage(await deps.openStore(address), page);
    return entries
      .filter(({ kind }) => SERVICE_OF_KIND[kind] === service)
      .map(({ id, kind, done }) => ({
        id,
        kind,
        generation: 0,
        ...(done && { ended: { state: done, code: null } }),
      }));
  } catch (error) {
    throw storeFailure(error);
  }
}
