/** `SHA256SUMS`: every published file, for `sha256sum -c SHA256SUMS` in the campaign's folder. */
import type { Kind } from '../domain/item.ts';
import { digestOf, type FileDigest } from '../store/digest.ts';
import { inOrder } from '../store/in-parallel.ts';
import { recordIn } from '../store/item-store.ts';
import {
  CHECKSUMS,
  ITEM_RECORD,
  WORK_AREA,
  isSendingNote,
  itemKey,
  itemOf,
} from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { recordedFiles } from './audit.ts';

/** Of files, by key or name. */
type Digests = ReadonlyMap<string, FileDigest>;

const NONE: Digests = new Map();

/** Bytes collected per write to the store. */
const CHUNK_BYTES = 64 * 1024;

/**
 * The lines of SHA256SUMS: of all files except itself, internal ones and notes of submissions. A file with a digest in a
 * record gets that digest, so that sha256sum too reports a damaged file. `onFile` is called for each line.
 *
 * @param written digests of files that this publication has just written: they are not read again
 */
export async function* checksums(
  store: Store,
  onFile: () => void,
  written: Digests = NONE,
): AsyncGenerator<Uint8Array> {
  let lines = '';
  const folders = inOrder(foldersIn(store), store.atOnce, (folder) =>
    linesOf(store, folder, written),
  );
  for await (const added of folders) {
    for (const line of added) {
      lines += line;
      onFile();
    }
    if (lines.length < CHUNK_BYTES) continue;
    yield Buffer.from(lines, 'utf8');
    lines = '';
  }
  yield Buffer.from(lines, 'utf8');
}

/** The files of an item, or a file outside of items. */
interface Folder {
  readonly item: { readonly kind: Kind; readonly id: string } | null;
  /** `molecules/aspirin/`; empty outside an item's folder. */
  readonly prefix: string;
  readonly keys: string[];
}

/** Keys are sorted: the files of a folder are consecutive, and its record is read once. */
async function* foldersIn(store: Store): AsyncGenerator<Folder> {
  let folder: Folder | null = null;
  for await (const key of store.list('')) {
    if (key === CHECKSUMS || key.startsWith(WORK_AREA) || isSendingNote(key)) continue;
    if (folder !== null && folder.prefix !== '' && key.startsWith(folder.prefix)) {
      folder.keys.push(key);
      continue;
    }
    if (folder !== null) yield folder;
    const item = itemOf(key);
    folder = { item, prefix: item === null ? '' : `${item.folder}/`, keys: [key] };
  }
  if (folder !== null) yield folder;
}

async function linesOf(
  store: Store,
  { item, prefix, keys }: Folder,
  written: Digests,
): Promise<readonly string[]> {
  const digests = item === null ? written : await digestsOf(store, item.kind, item.id);
  const lines: string[] = [];
  for (const key of keys) {
    const digest = digests.get(key.slice(prefix.length)) ?? (await store.digest(key));
    if (digest !== null) lines.push(`${digest.sha256}  ${key}\n`);
  }
  return lines;
}

/** By file name: of the files in the record, and of the record itself. */
async function digestsOf(store: Store, kind: Kind, id: string): Promise<Digests> {
  try {
    const bytes = await store.read(itemKey(kind, id, ITEM_RECORD));
    if (bytes === null) return NONE;
    const record = recordIn(Buffer.from(bytes).toString('utf8'), kind, id);
    const files = record === null ? [] : recordedFiles(record);
    return new Map([[ITEM_RECORD, digestOf(bytes)], ...files]);
  } catch (error) {
    // Not an item's folder, or its record is damaged (items.csv reports that): its files are listed with the digests
    // they have.
    if (error instanceof StoreError && !error.retryable) return NONE;
    throw error;
  }
}
