/** `SHA256SUMS`: every published file, for `sha256sum -c SHA256SUMS` in the campaign's folder. */
import type { FileDigest } from '../store/store.ts';
import { runInOrder } from '../store/in-parallel.ts';
import { CHECKSUMS, ITEM_RECORD, WORK_AREA, isSendingNote, parseItemKey } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { listRecordedFiles } from './audit.ts';
import { type Listed, buildPath } from './campaign-items.ts';
import type { FileWriter } from './writer.ts';

/** Of files, by name. */
type Digests = readonly (readonly [string, FileDigest])[];

/** Bytes collected per write to the store. */
const CHUNK_BYTES = 64 * 1024;

/** The digests that are known when a tree was read or written: no file is read again for its line. */
export class Checksums {
  /** By folder. */
  readonly #items = new Map<string, Digests>();
  readonly #written = new Map<string, FileDigest>();

  /**
   * A file with a digest in the item's record gets that digest, so that sha256sum too reports a damaged file. Without a
   * record, the files have the digests that they have.
   */
  add(item: Listed): void {
    if ('refused' in item || item.record === null) return;
    const { record, digest } = item;
    this.#items.set(buildPath(item), [[ITEM_RECORD, digest], ...listRecordedFiles(record)]);
  }

  /** Writes to the store, and adds what is written. */
  noting(store: Store): FileWriter {
    return {
      write: async (key, data) => {
        const { bytes, sha256 } = await store.write(key, data);
        this.#written.set(key, { bytes, sha256 });
      },
    };
  }

  /** The lines of all files except itself, internal ones and notes of submissions. `onFile` is called for each. */
  async *lines(store: Store, onFile: () => void = () => undefined): AsyncGenerator<Uint8Array> {
    let lines = '';
    const all = runInOrder(listSignedKeys(store), store.atOnce, async (key) => {
      const digest = this.#known(key) ?? (await store.digest(key));
      return digest === null ? '' : `${digest.sha256}  ${key}\n`;
    });
    for await (const line of all) {
      lines += line;
      onFile();
      if (lines.length < CHUNK_BYTES) continue;
      yield Buffer.from(lines, 'utf8');
      lines = '';
    }
    yield Buffer.from(lines, 'utf8');
  }

  #known(key: string): FileDigest | undefined {
    const folder = parseItemKey(key)?.folder;
    if (folder === undefined) return this.#written.get(key);
    const name = key.slice(folder.length + 1);
    return this.#items.get(folder)?.find(([file]) => file === name)?.[1];
  }
}

async function* listSignedKeys(store: Store): AsyncGenerator<string> {
  for await (const key of store.list(''))
    if (key !== CHECKSUMS && !key.startsWith(WORK_AREA) && !isSendingNote(key)) yield key;
}
