/** `SHA256SUMS`: every published file, for `sha256sum -c SHA256SUMS` in the campaign's folder. */
import { KINDS, type Kind } from '../domain/item.ts';
import type { FileDigest } from '../store/digest.ts';
import { readItem } from '../store/item-store.ts';
import { CHECKSUMS, FOLDER_OF_KIND, WORK_AREA } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import { recordedFiles } from './audit.ts';

/** Bytes gathered before they go to the store. */
const CHUNK_BYTES = 64 * 1024;

/** The keys that SHA256SUMS covers: all but itself and what the runner keeps for itself. */
export async function* publishedKeys(store: Store): AsyncGenerator<string> {
  for await (const key of store.list('')) {
    if (key !== CHECKSUMS && !key.startsWith(WORK_AREA)) yield key;
  }
}

/**
 * The lines of SHA256SUMS. A file that a record vouches for gets the digest of what was received: a
 * damaged one is then reported by sha256sum too. `onFile` is called for each line.
 */
export async function* checksums(store: Store, onFile: () => void): AsyncGenerator<Uint8Array> {
  let folder: ItemFolder = { prefix: '', digests: new Map() };
  let lines = '';
  for await (const key of publishedKeys(store)) {
    // Keys come in order: one folder's files follow each other and its record is read once.
    if (folder.prefix === '' || !key.startsWith(folder.prefix)) folder = await folderOf(store, key);
    const digest = folder.digests.get(key.slice(folder.prefix.length));
    const sha256 = digest?.sha256 ?? (await store.digest(key))?.sha256;
    if (sha256 !== undefined) lines += `${sha256}  ${key}\n`;
    onFile();
    if (lines.length >= CHUNK_BYTES) {
      yield Buffer.from(lines, 'utf8');
      lines = '';
    }
  }
  yield Buffer.from(lines, 'utf8');
}

interface ItemFolder {
  /** `molecules/aspirin/`; empty outside an item's folder. */
  readonly prefix: string;
  readonly digests: ReadonlyMap<string, FileDigest>;
}

async function folderOf(store: Store, key: string): Promise<ItemFolder> {
  const [top, id, ...rest] = key.split('/');
  const kind = KINDS.find((one) => FOLDER_OF_KIND[one] === top);
  if (kind === undefined || id === undefined || rest.length === 0) {
    return { prefix: '', digests: new Map() };
  }
  return { prefix: `${top}/${id}/`, digests: await digestsOf(store, kind, id) };
}

async function digestsOf(
  store: Store,
  kind: Kind,
  id: string,
): Promise<ReadonlyMap<string, FileDigest>> {
  try {
    const record = await readItem(store, kind, id);
    return new Map(record === null ? [] : recordedFiles(record));
  } catch (error) {
    // A folder that is not an item's, or whose record is damaged (items.csv tells): its files are
    // there all the same, with the digests they have.
    if (error instanceof StoreError && !error.retryable) return new Map();
    throw error;
  }
}
