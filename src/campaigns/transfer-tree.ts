/** Copies a campaign's tree, or a part of it, between its store and a local folder. */
import { codedError } from '../domain/errors.ts';
import { absoluteAddress, campaignAddress } from '../store/address.ts';
import { SHARDED, itemFolder, itemOf } from '../store/layout.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { differences, transfer, type Transferred } from '../store/transfer.ts';
import { readTreeId } from '../store/tree-identity.ts';
import { requireTree, type CampaignTree } from './campaign-tree.ts';
import { whileHoldingAlone } from './hold-tree.ts';
import { itemLines, type ItemLine } from './item-lines.ts';
import type { OnNotice } from './notice.ts';

export interface TreeTransfer {
  readonly name: string;
  /** The folder or bucket of all trees in the store. */
  readonly storeUrl: string;
  /** The local folder of all trees. */
  readonly out: string;
  /** Selects items; without it, the whole tree is copied. */
  readonly where: ((line: ItemLine) => boolean) | undefined;
  readonly onNotice: OnNotice;
  /** Called after each file. */
  readonly onFile: (done: Transferred) => void;
}

/** What was copied, and between which places. */
export interface TransferredTree {
  readonly from: string;
  readonly to: string;
  readonly done: Awaited<ReturnType<typeof transfer>>;
}

/**
 * From the store to the local folder.
 * @throws HundredfoldError `TRANSFER_SAME_PLACE`, `PULL_INTO_TREE`
 */
export async function pullTree(wanted: TreeTransfer): Promise<TransferredTree> {
  const { stored, here } = placesOf(wanted);
  const source = await requireTree(stored, wanted.name, false);
  const to = await openStore(here);
  if ((await readTreeId(to)) !== null) throw codedError('PULL_INTO_TREE', { folder: here });
  const filter = await filterOf(source, wanted);
  const lease = { where: 'hundredfold pull', store: to, onNotice: wanted.onNotice };
  return whileHoldingAlone(lease, () => copy(wanted, source.store, to, filter));
}

/**
 * From the local folder to the store.
 * @param replace whether files of the store that differ are overwritten
 * @throws HundredfoldError `TRANSFER_SAME_PLACE`, `PUSH_WOULD_REPLACE`
 */
export async function pushTree(wanted: TreeTransfer, replace: boolean): Promise<TransferredTree> {
  const { stored, here } = placesOf(wanted);
  const source = await requireTree(here, wanted.name, false);
  const to = await openStore(stored);
  const filter = await filterOf(source, wanted);
  const lease = { where: 'hundredfold push', store: to, onNotice: wanted.onNotice };
  return whileHoldingAlone(lease, async () => {
    if (!replace) await checkNothingReplaced(source.store, to, filter);
    return copy(wanted, source.store, to, filter);
  });
}

function placesOf({ name, storeUrl, out }: TreeTransfer): {
  readonly stored: string;
  readonly here: string;
} {
  if (absoluteAddress(storeUrl) === absoluteAddress(out)) {
    throw codedError('TRANSFER_SAME_PLACE', { address: absoluteAddress(out) });
  }
  return { stored: campaignAddress(storeUrl, name), here: campaignAddress(out, name) };
}

/** For `transfer`: empty without a selection. */
interface Filter {
  readonly wanted?: (key: string) => boolean;
}

/** The files of the selected items, without the tables, which describe all items. */
async function filterOf(tree: CampaignTree, { where }: TreeTransfer): Promise<Filter> {
  if (where === undefined) return {};
  const folders = new Set<string>();
  for await (const line of itemLines(tree, new Map(), {})) {
    if (line.kind !== null && line.path !== null && where(line)) {
      folders.add(itemFolder(tree.store, line.kind, line.id));
    }
  }
  const { store } = tree;
  // With the mark of a tree in shards, so that a part of it is one, too.
  return {
    wanted: (key) => key === SHARDED || folders.has(itemOf(store, key)?.folder ?? ''),
  };
}

async function copy(
  { onFile }: TreeTransfer,
  from: Store,
  to: Store,
  filter: Filter,
): Promise<TransferredTree> {
  const done = await transfer({ from, to, onFile, ...filter });
  return { from: from.location, to: to.location, done };
}

/** The store may have newer files: they are not overwritten unless the user asks for it. */
async function checkNothingReplaced(from: Store, to: Store, filter: Filter): Promise<void> {
  const different = await differences({ from, to, ...filter });
  if (different.length === 0) return;
  const shown = different.slice(0, 3).join(', ') + (different.length > 3 ? ', …' : '');
  throw codedError('PUSH_WOULD_REPLACE', { location: to.location, files: different.length, shown });
}
