/** Copies the output tree of a campaign, or a part of it, from its store to a local folder. */
import { pullTree } from '../campaigns/pull-tree.ts';
import { ignoreNotices } from '../campaigns/notice.ts';
import { settingsOf, type ConfigurationOptions } from './configuration.ts';

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
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `TRANSFER_SAME_PLACE`, `PULL_INTO_TREE`, `CONFIG_*`, `STORE_*`
 */
export async function pull(name: string, options: CopyOptions = {}): Promise<TreeCopy> {
  const { out = './results', items, onFile = () => undefined } = options;
  const { storeUrl } = settingsOf(options, { tokens: 'optional' });
  const ids = items && new Set(items);
  const where = ids && (({ id }: { readonly id: string }) => ids.has(id));
  const wanted = { name, storeUrl, out, where, onNotice: ignoreNotices, onFile };
  const { from, to, done } = await pullTree(wanted);
  const { files, copied, kept, bytes, faults } = done;
  return { from, to, files, copied, kept, bytes, faults };
}
