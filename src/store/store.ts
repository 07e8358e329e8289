/**
 * The store of one campaign's output tree. The same few methods fit a folder and an object store: a key is a path with
 * `/` below the campaign, and a file is written whole or not at all.
 */

import type { FileDigest, StoredDigest } from './digest.ts';

/** A written file; the digest is that of the bytes that were written. */
export interface StoredFile extends StoredDigest {
  readonly key: string;
}

/** A file as `etags` lists it. */
export interface ListedFile {
  readonly key: string;
  readonly bytes: number;
  readonly etag: string;
}

export type StoreData = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface WriteOptions {
  /** Length in bytes that the sender announced; any other length is refused as `STORE_TRUNCATED`. */
  readonly expectedBytes?: number;
  /**
   * Bytes of the disk to keep free, so that records can still be written: a write that would leave less is refused as
   * `STORE_FULL`, before its first byte if the length is known. A store without a disk ignores it.
   */
  readonly keepFree?: number;
  /** Aborts the write; the promise rejects with the signal's reason and nothing is left. */
  readonly signal?: AbortSignal;
  /**
   * `true` (default): when the promise is fulfilled the file survives a power cut. `false`: it does so only after
   * `flush`; for thousands of small files in a row.
   */
  readonly durable?: boolean;
  /**
   * The file's folder is expected to be missing: it is made without a check first. A store without folders ignores it.
   */
  readonly newFolder?: boolean;
}

export interface ReadOptions {
  /**
   * `use`: content that this process wrote, or read with this option, in the last seconds is sufficient: for files
   * that no other process changes meanwhile, or before `replace`. `keep`: the file is read now, and remembered for
   * `use`. A folder is always read.
   */
  readonly recent?: 'use' | 'keep';
}

/** A file that is ready to be created. */
export interface StagedFile {
  /** See `Store.create`. Called at most once. */
  create(): Promise<boolean>;
  /** Does nothing after `create`. */
  discard(): Promise<void>;
}

/**
 * Every method throws `StoreError` (`store-error.ts`) for errors of the store, and rethrows errors of the sender and
 * the signal unchanged.
 */
export interface Store {
  /** Address of the tree as the user knows it: a folder or an address. */
  readonly location: string;
  /** The best number of concurrent calls for this store: a disk seeks, a network waits. */
  readonly atOnce: number;
  /** Writes a whole file and replaces an existing one. It is invisible until it is complete. */
  write(key: string, data: StoreData, options?: WriteOptions): Promise<StoredFile>;
  /**
   * Writes a whole file unless one of this name exists: then that file is left unchanged, and the result is false. If
   * several callers create the same key concurrently, on any number of machines, exactly one gets true (object stores:
   * a conditional write, `If-None-Match: *`). The file survives a power cut.
   */
  create(key: string, data: string): Promise<boolean>;
  /** The same in two steps: what takes time on a disk is done first, and the file appears with the second step. */
  stage(key: string, data: string): Promise<StagedFile>;
  /**
   * Writes a whole file in place of one that was read. `changed`: the file is no longer `former`, because another
   * process has changed or removed it (object stores: `If-Match`); nothing is written. `unseen`: the store cannot
   * compare and replace in one step, for example a folder; it always writes, and the caller has just read the file.
   */
  replace(key: string, data: string, former: string): Promise<'replaced' | 'changed' | 'unseen'>;
  /** Makes files written with `durable: false` survive a power cut. */
  flush(keys: Iterable<string>): Promise<void>;
  /** The whole file; null if there is none. */
  read(key: string, options?: ReadOptions): Promise<Uint8Array | null>;
  /** The whole file as UTF-8 text; null if there is none. */
  readText(key: string, options?: ReadOptions): Promise<string | null>;
  /** Current length and SHA-256 of a file; null if there is none. */
  digest(key: string): Promise<FileDigest | null>;
  /** The file in pieces; throws `STORE_MISSING` at the first piece if there is none. */
  readStream(key: string): AsyncIterable<Uint8Array>;
  /** The keys that begin with `prefix` (all with ''), in order of their code units; no temporary files. */
  list(prefix: string): AsyncIterable<string>;
  /**
   * The files that begin with `prefix`, with the ETag that `write` has returned unless they were replaced since; a
   * thousand per request. Empty for a folder, which has no ETags: its files are read.
   */
  etags(prefix: string): AsyncIterable<ListedFile>;
  /** The top-level names that contain files, in order of their code units. */
  folders(): AsyncIterable<string>;
  exists(key: string): Promise<boolean>;
  /**
   * Copies a file of another store and replaces an existing one; shares its disk space if possible. Survives a power
   * cut only after `flush`.
   */
  adopt(key: string, from: Store, fromKey: string): Promise<void>;
  /** Removes a file; no error if there is none. */
  remove(key: string): Promise<void>;
  /** Remains of interrupted writes, as text for people; not keys. */
  leftovers(): AsyncIterable<string>;
  /** Removes the leftovers and returns their number. Call it only while there are no writers. */
  sweep(): Promise<number>;
}
