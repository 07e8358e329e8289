/**
 * Where one campaign's output tree lies. The same few verbs fit a folder and an object store:
 * a key is a path with `/` below the campaign, and a file is written whole or not at all.
 */

import type { FileDigest } from './digest.ts';

/** A file as it was written; the digest is that of the bytes that went through. */
export interface StoredFile extends FileDigest {
  readonly key: string;
}

export type StoreData = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface WriteOptions {
  /** Length in bytes that the sender announced; any other length is refused as `STORE_TRUNCATED`. */
  readonly expectedBytes?: number;
  /**
   * Bytes of the disk that are to stay free, so that records can still be written: a write that would leave less is
   * refused as `STORE_FULL`, before its first byte where the length is known. A store without a disk ignores it.
   */
  readonly keepFree?: number;
  /** Breaks the write off; the promise rejects with the signal's reason and nothing is left. */
  readonly signal?: AbortSignal;
  /**
   * `true` (default): when the promise is fulfilled the file outlives a power cut.
   * `false`: it does so only after `flush`; for thousands of small files in a row.
   */
  readonly durable?: boolean;
}

/**
 * Every method throws `StoreError` (`store-error.ts`) for what the store cannot do, and passes on
 * unchanged what the sender of the data or the signal threw.
 */
export interface Store {
  /** Where the tree lies, in the user's words: a folder or an address. */
  readonly location: string;
  /** Calls side by side that this store takes best: a disk seeks, a network waits. */
  readonly atOnce: number;
  /** Writes a whole file, in place of the one that may be there. Nobody sees it before it is complete. */
  write(key: string, data: StoreData, options?: WriteOptions): Promise<StoredFile>;
  /**
   * Writes a whole file unless one of this name is there: then it is left as it is, and the answer is false. Of several
   * that create the same key at once, on any number of machines, exactly one gets true (object stores: a conditional
   * write, `If-None-Match: *`). It outlives a power cut.
   */
  create(key: string, data: string): Promise<boolean>;
  /** Makes files that were written with `durable: false` outlive a power cut. */
  flush(keys: Iterable<string>): Promise<void>;
  /** The whole file; null when there is none. */
  read(key: string): Promise<Uint8Array | null>;
  /** The whole file as UTF-8 text; null when there is none. */
  readText(key: string): Promise<string | null>;
  /** Length and SHA-256 of a file as it lies there now; null when there is none. */
  digest(key: string): Promise<FileDigest | null>;
  /** The file piece by piece; throws `STORE_MISSING` at the first piece when there is none. */
  readStream(key: string): AsyncIterable<Uint8Array>;
  /** The keys that begin with `prefix` (all with ''), in order of their code units; no temporary files. */
  list(prefix: string): AsyncIterable<string>;
  /** The names at the top that files lie below, in order of their code units. */
  folders(): AsyncIterable<string>;
  exists(key: string): Promise<boolean>;
  /**
   * Takes over a file of another store, in place of the one that may be there; shares its disk space where it can.
   * Outlives a power cut only after `flush`.
   */
  adopt(key: string, from: Store, fromKey: string): Promise<void>;
  /** Removes a file; no error when there is none. */
  remove(key: string): Promise<void>;
  /** What interrupted writes left behind, for people to read; not keys. */
  leftovers(): AsyncIterable<string>;
  /** Removes the leftovers and returns their number. Only when nobody writes. */
  sweep(): Promise<number>;
}
