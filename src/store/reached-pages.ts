/**
 * Marks the pages of a campaign whose items a workflow may have begun. The items of every other page are as their page
 * says, so that a campaign of a million rows of which a few thousand were run is read from a few thousand records. A
 * mark is set before the items of a page can change, and never removed.
 *
 * Rejected: the position of the feeds in the memo of the workflow, which cannot be read without a server.
 */
import { REACHED, reachedKey } from './layout.ts';
import type { PreparedCampaign } from './prepared-campaign.ts';
import type { Store } from './store.ts';

/** Before items of the page can change. */
export async function markReached(store: Store, page: number): Promise<void> {
  await mark(store, reachedKey(page));
}

/** Before items of any page can change: when the campaign is published. */
export async function markAllReached(store: Store): Promise<void> {
  await mark(store, ALL);
}

const ALL = `${REACHED}all`;

async function mark(store: Store, key: string): Promise<void> {
  if (!(await store.exists(key))) await store.create(key, '');
}

/** By the number of the page, from 0. */
export type PageFilter = (page: number) => boolean;

/** The pages whose items may differ from their content: all of them in trees without marks. */
export async function reachedPages(
  store: Store,
  { marksPages }: Pick<PreparedCampaign, 'marksPages'>,
): Promise<PageFilter> {
  if (marksPages !== true) return () => true;
  const marks = new Set<string>();
  for await (const key of store.list(REACHED)) marks.add(key);
  return (page) => marks.has(ALL) || marks.has(reachedKey(page));
}
