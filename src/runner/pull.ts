/** Copies a campaign's tree, or a part of it, from its store to a local folder. */
import { HundredfoldError } from '../domain/errors.ts';
import {
  resolveAddress,
  buildCampaignAddress,
  buildItemFolder,
  parseItemKey,
} from '../store/layout.ts';
import { readTreeId } from '../store/lease.ts';
import { openStore } from '../store/open-store.ts';
import type { Store } from '../store/store.ts';
import { transfer, type Transferred } from '../store/transfer.ts';
import { type CampaignTree, requireTree } from './find.ts';
import { withTreeAlone } from './hold-tree.ts';
import { type ItemLine, listItemLines } from './items.ts';
import {
  type ConfigurationOptions,
  ignoreNotices,
  type OnNotice,
  readSettings,
} from './session.ts';

interface TreeTransfer {
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
interface TransferredTree {
  readonly from: string;
  readonly to: string;
  readonly done: Awaited<ReturnType<typeof transfer>>;
}

/**
 * From the store to the local folder.
 * @throws HundredfoldError `PULL_REFUSED`
 */
export async function pullTree(wanted: TreeTransfer): Promise<TransferredTree> {
  const { name, storeUrl, out } = wanted;
  if (resolveAddress(storeUrl) === resolveAddress(out)) {
    throw new HundredfoldError(
      'PULL_REFUSED',
      `store.url and --out are the same place: ${resolveAddress(out)}`,
      'Name the store in store.url (s3://bucket/prefix), and a folder of this machine with --out.',
    );
  }
  const source = await requireTree(buildCampaignAddress(storeUrl, name), name, false);
  const here = buildCampaignAddress(out, name);
  const to = await openStore(here);
  if ((await readTreeId(to)) !== null)
    throw new HundredfoldError(
      'PULL_REFUSED',
      `${here} is the output tree of a campaign, not a copy of one`,
      'Choose another folder with --out; nothing was changed.',
    );
  const filter = await createFilter(source, wanted);
  const lease = { where: 'hundredfold pull', store: to, onNotice: wanted.onNotice };
  return withTreeAlone(lease, () => copy(wanted, source.store, to, filter));
}

/** For `transfer`: empty without a selection. */
interface Filter {
  readonly wanted?: (key: string) => boolean;
}

/** The files of the selected items, without the tables, which describe all items. */
async function createFilter(tree: CampaignTree, { where }: TreeTransfer): Promise<Filter> {
  if (where === undefined) return {};
  const folders = new Set<string>();
  for await (const line of listItemLines(tree, new Map(), {})) {
    if (line.kind !== null && line.path !== null && where(line)) {
      folders.add(buildItemFolder(line.kind, line.id));
    }
  }
  return {
    wanted: (key) => folders.has(parseItemKey(key)?.folder ?? ''),
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

/** What is copied, and where the local folder is. */
export interface CopyOptions extends ConfigurationOptions {
  /** The local folder that contains the trees; default: `./results`. */
  readonly out?: string;
  /** Ids of the items to copy, without the tables; default: the whole tree. */
  readonly items?: readonly string[];
  /** Called after each file, with the number of files and bytes copied so far. */
  readonly onFile?: (copied: { readonly files: number; readonly bytes: number }) => void;
}

/** What was copied. */
export interface TreeCopy {
  /** Where it was copied from: a folder or an s3:// address. */
  readonly from: string;
  /** Where it was copied to: a folder or an s3:// address. */
  readonly to: string;
  /** Number of files, copied or already there. */
  readonly files: number;
  /** Number of files that were copied. */
  readonly copied: number;
  /** Number of files that were already there and correct. */
  readonly kept: number;
  /** Bytes copied. */
  readonly bytes: number;
  /** Files that differ from their record, one sentence each; empty for an intact tree. */
  readonly faults: readonly string[];
}

/**
 * Copies a tree from the store of the configuration (`store.url`) to a local folder. Files that are there and correct
 * are not copied again.
 *
 * @param name - name of the campaign
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `PULL_REFUSED`, `PULL_REFUSED`, `CONFIG_*`, `STORE_*`
 */
export async function pull(name: string, options: CopyOptions = {}): Promise<TreeCopy> {
  const { out = './results', items, onFile = () => undefined } = options;
  const { storeUrl } = readSettings(options, { tokens: 'optional' });
  const ids = items && new Set(items);
  const where = ids && (({ id }: { readonly id: string }) => ids.has(id));
  const wanted = { name, storeUrl, out, where, onNotice: ignoreNotices, onFile };
  const { from, to, done } = await pullTree(wanted);
  const { files, copied, kept, bytes, faults } = done;
  return { from, to, files, copied, kept, bytes, faults };
}
