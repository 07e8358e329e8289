/** `SHA256SUMS`: every published file, for `sha256sum -c SHA256SUMS` in the campaign's folder. */
import { runInOrder } from '../domain/in-parallel.ts';
import { CHECKSUMS, ITEM_RECORD, WORK_AREA, isSendingNote, parseItemKey } from '../store/layout.ts';
import type { FileDigest, Store } from '../store/store.ts';
import { listRecordedFiles } from './audit.ts';
import { buildPath } from './campaign-items.ts';
import type { DerivedFiles, OpenFile, PublishedItem, Writer } from './writer.ts';

/** What the text of the file says: digests by key. */
export function parseChecksums(text: string): ReadonlyMap<string, string> {
  const lines = text.split('\n').filter((line) => line !== '');
  return new Map(lines.map((line) => [line.slice(66), line.slice(0, 64)]));
}

interface Known {
  /** Of files that need not be read, by key. */
  readonly digests: ReadonlyMap<string, FileDigest>;
  /** Called when the files that belong to no item begin; what it returns, after each of them. */
  readonly count: () => () => void;
}

/** The files of the items in their order, then all others: no file is read again for its line. */
export class Checksums implements Writer {
  readonly #store: Store;
  readonly #digests: Known['digests'];
  readonly #count: () => () => void;
  readonly #file: OpenFile;
  /** The folders of the items so far. */
  readonly #folders = new Set<string>();

  constructor(store: Store, files: DerivedFiles, { digests, count }: Known) {
    this.#store = store;
    this.#digests = digests;
    this.#count = count;
    this.#file = files.open(CHECKSUMS);
  }

  /**
   * A file has the digest of the item's record, so that sha256sum too reports a damaged file. Without a record, the files
   * are listed with the others.
   */
  async add({ item }: Pick<PublishedItem, 'item'>): Promise<void> {
    if ('refused' in item || item.record === null) return;
    const folder = buildPath(item);
    this.#folders.add(folder);
    for (const [name, { sha256 }] of [
      [ITEM_RECORD, item.digest] as const,
      ...listRecordedFiles(item.record),
    ])
      await this.#file.write(`${sha256}  ${folder}/${name}\n`);
  }

  /** All other files except itself, internal ones and notes of submissions. */
  async end(): Promise<void> {
    const done = this.#count();
    const lines = runInOrder(this.#listOthers(), this.#store.atOnce, async (key) => {
      const digest = this.#digests.get(key) ?? (await this.#store.digest(key));
      return digest === null ? '' : `${digest.sha256}  ${key}\n`;
    });
    for await (const line of lines) {
      await this.#file.write(line);
      done();
    }
    await this.#file.end();
  }

  async *#listOthers(): AsyncGenerator<string> {
    for await (const key of this.#store.list('')) {
      const isOfItem = this.#folders.has(parseItemKey(key)?.folder ?? '');
      if (isOfItem || key === CHECKSUMS || key.startsWith(WORK_AREA) || isSendingNote(key))
        continue;
      yield key;
    }
  }
}
