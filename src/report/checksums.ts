/** `SHA256SUMS`: every published file, for `sha256sum -c SHA256SUMS` in the campaign's folder. */
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { runInOrder } from '../domain/process.ts';
import { CHECKSUMS, ITEM_RECORD, WORK_AREA, isSendingNote, parseItemKey } from '../store/layout.ts';
import type { FileDigest, Store } from '../store/store.ts';
import { listRecordedFiles } from './audit.ts';
import { buildPath } from '../store/campaign-items.ts';
import type { DerivedFiles, OpenFile, PublishedItem, Writer } from './writer.ts';

/** The lines of SHA256SUMS; none if the tree has no such file. */
export async function* readChecksums(
  store: Store,
): AsyncGenerator<readonly [key: string, sha256: string], undefined> {
  if (!(await store.exists(CHECKSUMS))) return;
  for await (const line of createInterface({ input: Readable.from(store.readStream(CHECKSUMS)) })) {
    const [, sha256 = '', key = ''] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (key !== '') yield [key, sha256];
  }
}

/** The files of the items in their order, then all others: no file is read again for its line. */
export class Checksums implements Writer {
  readonly #store: Store;
  readonly #digests: ReadonlyMap<string, FileDigest>;
  readonly #count: () => () => void;
  readonly #file: OpenFile;
  /** The folders of the items so far. */
  readonly #folders = new Set<string>();

  /** @param count called when the files that belong to no item begin; what it returns, after each of them */
  constructor(store: Store, files: DerivedFiles, count: () => () => void) {
    this.#store = store;
    this.#digests = files.digests;
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
