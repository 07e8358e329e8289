/** Publishing for workers and commands. */
import { moduleBeside } from '../program/files.ts';
import { releaseFreePages, withLateCollections } from '../program/heap.ts';
import { objectStoreAccess, openStore } from '../store/open-store.ts';
import { readPreparedCampaign } from '../store/prepared-campaign.ts';
import type { CampaignEnd, CampaignSummary } from './campaign-summary.ts';
import type { ProgressOptions } from './progress.ts';
import { publishCampaign } from './publish.ts';
import { callThread } from './threads/call.ts';
import type { PublishWork } from './threads/publish.ts';
import { WORTH_THREADS } from './threads/worth-threads.ts';

interface TreeOptions extends ProgressOptions {
  /** Whether the report can search for substructures. */
  readonly substructure?: boolean;
}

/**
 * `publishCampaign` for the tree in `folder`: a large one in threads, to keep this one free.
 * @throws StoreError `STORE_NOT_PREPARED` and what the store throws
 * @throws HundredfoldError `SETUP_REPORT_PAGE_MISSING`
 */
export async function publishTree(
  folder: string,
  end: CampaignEnd,
  options: TreeOptions = {},
): Promise<CampaignSummary> {
  const store = await openStore(folder);
  const { items = 0 } = (await readPreparedCampaign(store)) ?? {};
  if (items < WORTH_THREADS) return publishCampaign(store, end, options);
  return publishInThreads(folder, end, options);
}

const PUBLISH = moduleBeside('threads/publish', import.meta.url);

/** The same, of any size. */
export async function publishInThreads(
  folder: string,
  end: CampaignEnd,
  options: TreeOptions = {},
): Promise<CampaignSummary> {
  const { substructure = false, ...progress } = options;
  const work: PublishWork = { folder, access: objectStoreAccess(), end, substructure };
  // The threads need 150 MB and more. The worker has little to do meanwhile: its items have ended.
  await releaseFreePages();
  const summary = await withLateCollections(() => callThread(PUBLISH, work, progress));
  return summary as CampaignSummary;
}
