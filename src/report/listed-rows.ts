/** Promise 3, seen from the tree: the pages of a campaign list each of its rows exactly once. */
import { ITEM_RECORD, itemFolder } from '../store/layout.ts';
import { notPrepared, type PreparedCampaign, readPage } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import { allKinds } from '../kinds/registry.ts';

/** At most this many folders are named in a message. */
const NAMED = 5;

/**
 * Runs before the rows are used: a changed page would silently lose some.
 * @throws StoreError `STORE_NOT_PREPARED`: the pages do not list what was prepared; `STORE_RECORD_UNREADABLE`
 */
export async function checkListedRows(store: Store, campaign: PreparedCampaign): Promise<void> {
  const fault = await listedRowsFault(store, campaign);
  if (fault !== null) throw notPrepared(store, fault);
}

/** A sentence without a full stop; null if there is no fault. */
export async function listedRowsFault(
  store: Store,
  { pages, items }: PreparedCampaign,
): Promise<string | null> {
  const folders = new Set<string>();
  let rows = 0;
  for (let page = 0; page < pages; page += 1) {
    for (const { kind, id } of await readPage(store, page)) {
      folders.add(itemFolder(kind, id));
      rows += 1;
    }
  }
  if (folders.size !== rows) return `its pages list ${rows - folders.size} of its rows twice`;
  if (rows === items) return null;
  const unlisted = await unlistedFolders(store, folders);
  const named = unlisted.slice(0, NAMED).join(', ');
  const more = unlisted.length > NAMED ? ` and ${unlisted.length - NAMED} more` : '';
  const which = unlisted.length > 0 ? `; no page has ${named}${more}` : '';
  return `its pages list ${rows} of its ${items} rows${which}`;
}

/** Folders of items that are not in any page. */
async function unlistedFolders(store: Store, listed: ReadonlySet<string>): Promise<string[]> {
  const unlisted: string[] = [];
  for (const folder of allKinds().map(({ folder }) => folder)) {
    for await (const key of store.list(`${folder}/`)) {
      if (!key.endsWith(`/${ITEM_RECORD}`)) continue;
      const item = key.slice(0, -ITEM_RECORD.length - 1);
      if (!listed.has(item)) unlisted.push(item);
    }
  }
  return unlisted;
}
