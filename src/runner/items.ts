/**
 * The items of a campaign, in the order of the manifest. Ended items are read from the tree; the state of open items
 * comes from Temporal and is passed in. Read page by page, so that memory stays constant.
 */
import { type Kind, isFinal, type ItemState } from '../domain/item.ts';
import {
  readError,
  type Listed,
  readListedItems,
  readOwnCells,
  buildPath,
  readState,
} from '../report/campaign-items.ts';
import type { PreparedCampaign } from '../store/prepared-campaign.ts';
import type { Store } from '../store/store.ts';
import type { OpenItem } from './obstacles.ts';

/** An item, as `items` and the output tree show it. */
export interface ItemLine {
  /** Unique in the campaign. */
  readonly id: string;
  /** What its input is; null for a refused row whose kind is unknown. */
  readonly kind: Kind | null;
  /** How it ended, or what it waits for. */
  readonly state: ItemState;
  /** Code of the error; null if there is none. */
  readonly code: string | null;
  /** The same in words, or why an open item waits. */
  readonly message: string | null;
  /** The job's id at the service, once it has one. */
  readonly remoteId: string | null;
  /** Its folder in the campaign's; null of a row that was refused. */
  readonly path: string | null;
  /** ISO 8601, UTC: since when it is in this state, where that is known. */
  readonly since: string | null;
}

/** What a selection of rows looks at; `user`: the user's own columns. */
type SelectedItem = ItemLine & { readonly user: Readonly<Record<string, string>> };

export async function* listItemLines(
  { store, campaign }: { readonly store: Store; readonly campaign: PreparedCampaign },
  open: ReadonlyMap<string, OpenItem>,
  isMeant: (item: SelectedItem) => boolean = () => true,
): AsyncGenerator<ItemLine> {
  for await (const item of readListedItems(store, campaign)) {
    const line = readItemLine(item, open.get(item.id));
    if (isMeant({ ...line, user: readOwnCells(item) })) yield line;
  }
}

/** @param open what Temporal knows of it, if it was queried */
export function readItemLine(item: Listed, open: OpenItem | undefined): ItemLine {
  const { id, kind, record } = item;
  const error = readError(item);
  const onDisk = readState(item);
  // An end is written before the item's workflow is closed: what is on disk is never older.
  const runs = isFinal(onDisk) ? undefined : open;
  const state = runs?.state ?? onDisk;
  return {
    id,
    kind,
    state,
    code: error?.code ?? null,
    message: error?.message ?? runs?.message ?? null,
    remoteId: runs?.remoteId ?? record?.remoteId ?? null,
    path: buildPath(item) || null,
    since: findSince(state, record, runs),
  };
}

function findSince(
  state: ItemState,
  record: Listed['record'],
  runs: OpenItem | undefined,
): string | null {
  if (isFinal(state)) return record?.finishedAt ?? null;
  if (state === 'waiting') return runs?.startedAt ?? null;
  return record?.submittedAt ?? runs?.startedAt ?? null;
}
