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
import { transfer, type Transferred } from '../store/transfer.ts';
import { withTreeAlone } from './hold-tree.ts';
import {
  type ConfigurationOptions,
  ignoreNotices,
  type OnNotice,
  readSettings,
} from './session.ts';
import { type OutputTree, requireTree, type TreeItem } from './tree.ts';

/** What is copied, and where the local folder is. */
export interface CopyOptions extends ConfigurationOptions {
  /** The local folder that contains the trees; default: `./results`. */
  readonly out?: string;
  /** Which items are copied, then without the tables, which describe all items; default: the whole tree. */
  readonly wanted?: ((item: TreeItem) => boolean) | undefined;
  /** Called after each file, with what was copied so far. */
  readonly onFile?: (done: Transferred) => void;
  /** Gets each line for people. */
  readonly onNotice?: OnNotice;
}

/** What was copied. */
export interface TreeCopy extends Transferred {
  /** Where it was copied from: a folder or an s3:// address. */
  readonly from: string;
  /** Where it was copied to: a folder or an s3:// address. */
  readonly to: string;
}

/**
 * Copies a tree from the store of the configuration (`store.url`) to a local folder. Files that are there and correct
 * are not copied again.
 *
 * @param name - name of the campaign
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `PULL_REFUSED`, `CONFIG_*`, `STORE_*`
 */
export async function pull(name: string, options: CopyOptions = {}): Promise<TreeCopy> {
  const { out = './results', wanted, onFile, onNotice = ignoreNotices } = options;
  const { storeUrl } = readSettings(options, { tokens: 'optional' });
  if (resolveAddress(storeUrl) === resolveAddress(out))
    throw new HundredfoldError(
      'PULL_REFUSED',
      `store.url and --out are the same place: ${resolveAddress(out)}`,
      'Name the store in store.url (s3://bucket/prefix), and a folder of this machine with --out.',
    );
  const tree = await requireTree(buildCampaignAddress(storeUrl, name), name, false);
  const here = buildCampaignAddress(out, name);
  const to = await openStore(here);
  if ((await readTreeId(to)) !== null)
    throw new HundredfoldError(
      'PULL_REFUSED',
      `${here} is the output tree of a campaign, not a copy of one`,
      'Choose another folder with --out; nothing was changed.',
    );
  const from = tree.store;
  const selected = wanted && (await selectFiles(tree, wanted));
  const lease = { where: 'hundredfold pull', store: to, onNotice };
  const done = await withTreeAlone(lease, () =>
    transfer({ from, to, ...(onFile && { onFile }), ...(selected && { wanted: selected }) }),
  );
  return { from: from.location, to: to.location, ...done };
}

async function selectFiles(
  tree: OutputTree,
  wanted: (item: TreeItem) => boolean,
): Promise<(key: string) => boolean> {
  const folders = new Set<string>();
  for await (const item of tree.items())
    if (item.kind !== null && item.path !== null && wanted(item))
      folders.add(buildItemFolder(item.kind, item.id));
  return (key) => folders.has(parseItemKey(key)?.folder ?? '');
}
