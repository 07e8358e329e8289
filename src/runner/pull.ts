/**
 * Copies a tree from the store of the configuration, or a bucket, to a local folder (`pull`), comparing each file with its
 * digest: only files that match what was published arrive. A file that is already there and correct is left alone, so
 * that an interrupted copy continues.
 */
import { createHash } from 'node:crypto';
import { HundredfoldError, type ErrorCode } from '../domain/errors.ts';
import { runInParallel } from '../domain/process.ts';
import { readChecksums } from '../report/checksums.ts';
import {
  buildCampaignAddress,
  buildItemFolder,
  CHECKSUMS,
  isObjectAddress,
  LEASES,
  parseItemKey,
  resolveAddress,
  TREE_IDENTITY,
} from '../store/layout.ts';
import { readTreeId } from '../store/lease.ts';
import { openStore } from '../store/open-store.ts';
import { type Store, StoreError } from '../store/store.ts';
import { withTreeAlone } from './hold-tree.ts';
import {
  type ConfigurationOptions,
  ignoreNotices,
  type OnNotice,
  readSettings,
} from './session.ts';
import { openTree, type OutputTree, requireTree, type TreeItem } from './tree.ts';

/** What is copied, and where the local folder is. */
export interface CopyOptions extends ConfigurationOptions {
  /** The local folder that contains the trees; default: `./results`. */
  readonly out?: string;
  /** Which items are copied, then without the tables, which describe all items; default: the whole tree. */
  readonly selection?: ((item: TreeItem) => boolean) | undefined;
  /** Called after each file, with what was copied so far. */
  readonly onFile?: (done: Transferred) => void;
  /** Gets each line for people. */
  readonly onNotice?: OnNotice;
}

/** What was copied. */
export interface TreeCopy extends Transferred {
  /** Name of the campaign. */
  readonly name: string;
  /** Where it was copied from: a folder or an s3:// address. */
  readonly from: string;
  /** Where it was copied to: a folder or an s3:// address. */
  readonly to: string;
}

/**
 * Copies a tree to a local folder. Files that are there and correct are not copied again.
 *
 * @param nameOrAddress - name of a campaign in the store of the configuration (`store.url`), or the s3:// address of its
 * tree
 * @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `PULL_REFUSED`, `CONFIG_*`, `STORE_*`
 */
export async function pull(nameOrAddress: string, options: CopyOptions = {}): Promise<TreeCopy> {
  const { out = './results', selection, onFile, onNotice = ignoreNotices } = options;
  const tree = await openSource(nameOrAddress, options);
  const { name } = tree;
  const here = buildCampaignAddress(out, name);
  const to = await openStore(here);
  if ((await readTreeId(to)) !== null)
    throw new HundredfoldError(
      'PULL_REFUSED',
      `${here} is the output tree of a campaign, not a copy of one`,
      'Choose another folder with --out; nothing was changed.',
    );
  const from = tree.store;
  const isSelected = selection && (await selectFiles(tree, selection));
  const copying = { from, to, ...(onFile && { onFile }), ...(isSelected && { isSelected }) };
  const copyAll = () => transfer(copying);
  const done = await withTreeAlone('hundredfold pull', { store: to, onNotice }, copyAll);
  return { name, from: from.location, to: to.location, ...done };
}

/** @throws HundredfoldError `CAMPAIGN_UNKNOWN`, `PULL_REFUSED`, `CONFIG_*`, `STORE_*` */
export async function openSource(
  nameOrAddress: string,
  { out = './results', ...options }: CopyOptions,
): Promise<OutputTree> {
  if (isObjectAddress(nameOrAddress)) return openTree(nameOrAddress, options);
  const { storeUrl } = readSettings(options, { tokens: 'optional' });
  if (resolveAddress(storeUrl) === resolveAddress(out))
    throw new HundredfoldError(
      'PULL_REFUSED',
      `store.url and --out are the same place: ${resolveAddress(out)}`,
      'Name the store in store.url (s3://bucket/prefix), and a folder of this machine with --out.',
    );
  return requireTree(buildCampaignAddress(storeUrl, nameOrAddress), nameOrAddress, false);
}

async function selectFiles(
  tree: OutputTree,
  selection: (item: TreeItem) => boolean,
): Promise<(key: string) => boolean> {
  const folders = new Set<string>();
  for await (const item of tree.items())
    if (item.kind !== null && item.path !== null && selection(item))
      folders.add(buildItemFolder(item.kind, item.id));
  return (key) => folders.has(parseItemKey(key)?.folder ?? '');
}

const FILES_AT_ONCE = 16;

interface TransferOptions {
  readonly from: Store;
  readonly to: Store;
  /** Which keys; default: all. */
  readonly isSelected?: (key: string) => boolean;
  /** Called after each file. */
  readonly onFile?: (done: Transferred) => void;
}

export interface Transferred {
  /** Number of files, copied or already there. */
  readonly files: number;
  /** Number of files that were copied. */
  readonly copied: number;
  /** Already there and correct. */
  readonly kept: number;
  /** Of the copied files. */
  readonly bytes: number;
  /** Files that differ from their digest and were not copied: one sentence each. */
  readonly faults: readonly string[];
}

/** Leases and identity belong to a place, not to its content. */
function isTransferable(key: string): boolean {
  return !key.startsWith(LEASES) && key !== TREE_IDENTITY;
}

/** @throws StoreError what the stores throw; a file with a wrong digest is listed in the faults */
export async function transfer(options: TransferOptions): Promise<Transferred> {
  const { from, to, isSelected = () => true, onFile } = options;
  const published = new Map<string, string>();
  for await (const [key, sha256] of readChecksums(from)) published.set(key, sha256);
  const done = { files: 0, copied: 0, kept: 0, bytes: 0, faults: [] as string[] };
  const copyAll = (keys: readonly string[]): Promise<void> =>
    runInParallel(keys, FILES_AT_ONCE, async (key) => {
      const sha256 = published.get(key) ?? (await from.digest(key))?.sha256;
      const isThere = sha256 !== undefined && (await to.digest(key))?.sha256 === sha256;
      const outcome = isThere ? null : await copy(key, sha256, options);
      done.files += 1;
      if (outcome === null) done.kept += 1;
      else if (typeof outcome === 'string') done.faults.push(outcome);
      else {
        done.copied += 1;
        done.bytes += outcome;
      }
      onFile?.(done);
    });
  const keys: string[] = [];
  for await (const key of from.list('')) if (isTransferable(key) && isSelected(key)) keys.push(key);
  // Last: checksums are only written once their files are there.
  await copyAll(keys.filter((key) => key !== CHECKSUMS));
  await copyAll(keys.filter((key) => key === CHECKSUMS));
  return done;
}

/** The number of bytes, or what is wrong with the file. */
async function copy(
  key: string,
  sha256: string | undefined,
  { from, to }: TransferOptions,
): Promise<number | string> {
  if (sha256 === undefined) return `${key} is gone.`;
  try {
    return (await to.write(key, check(key, from.readStream(key), sha256))).bytes;
  } catch (error) {
    if (error instanceof StoreError && FAULTS.includes(error.code)) return error.message;
    throw error;
  }
}

/** Fails at the end, before the file gets its name. */
async function* check(
  key: string,
  data: AsyncIterable<Uint8Array>,
  sha256: string,
): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256');
  for await (const piece of data) {
    hash.update(piece);
    yield piece;
  }
  if (hash.digest('hex') === sha256) return;
  throw new StoreError(
    'STORE_DIGEST_MISMATCH',
    `${key} is not what was published: its SHA-256 differs. It was not copied.`,
    'Restore it in the tree, or run its item again with "hundredfold retry".',
  );
}

const FAULTS: readonly string[] = ['STORE_DIGEST_MISMATCH', 'STORE_MISSING'] satisfies ErrorCode[];
