/**
 * The store of one campaign's output tree. The same few methods fit a folder and an object store: a key is a path with
 * `/` below the campaign, and a file is written whole or not at all.
 */
import { createHash } from 'node:crypto';
import { createWrongLengthError } from './store-error.ts';

/** What identifies the content of a file. */
export interface FileDigest {
  /** Length in bytes. */
  readonly bytes: number;
  /** SHA-256 in lower-case hexadecimal digits. */
  readonly sha256: string;
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
  /**
   * `true` (default): when the promise is fulfilled the file survives a power cut. `false`: it does so only after
   * `flush`; for thousands of small files in a row.
   */
  readonly durable?: boolean;
}

/**
 * Every method throws `StoreError` (`store-error.ts`) for errors of the store, and rethrows errors of the sender
 * unchanged: a sender that is aborted ends a write.
 */
export interface Store {
  /** Address of the tree as the user knows it: a folder or an address. */
  readonly location: string;
  /** The best number of concurrent calls for this store: a disk seeks, a network waits. */
  readonly atOnce: number;
  /**
   * Writes a whole file and replaces an existing one. It is invisible until it is complete. The digest is that of the
   * bytes that were written.
   */
  write(key: string, data: StoreData, options?: WriteOptions): Promise<FileDigest>;
  /**
   * Writes a whole file unless one of this name exists: then that file is left unchanged, and the result is false. If
   * several callers create the same key concurrently, on any number of machines, exactly one gets true (object stores:
   * a conditional write, `If-None-Match: *`). The file survives a power cut.
   */
  create(key: string, data: string): Promise<boolean>;
  /**
   * Writes a whole file in place of one that was read. False: the file is no longer `former`, because another process
   * has changed or removed it, and nothing is written. A store that cannot compare and replace in one step (a folder, a
   * bucket without `If-Match`) does not see a change in the moment between.
   */
  replace(key: string, data: string, former: string): Promise<boolean>;
  /** Makes files written with `durable: false` survive a power cut. */
  flush(keys: Iterable<string>): Promise<void>;
  /** The whole file; null if there is none. */
  read(key: string): Promise<Uint8Array | null>;
  /** The whole file as UTF-8 text; null if there is none. */
  readText(key: string): Promise<string | null>;
  /** Current length and SHA-256 of a file; null if there is none. */
  digest(key: string): Promise<FileDigest | null>;
  /** The file in pieces; throws `STORE_MISSING` at the first piece if there is none. */
  readStream(key: string): AsyncIterable<Uint8Array>;
  /**
   * The keys that begin with `prefix` (all with ''), in order, by code units in a folder and by UTF-8 in a bucket, which is
   * the same for all names that are written here; no temporary files.
   */
  list(prefix: string): AsyncIterable<string>;
  /** The top-level names that contain files, in order. */
  folders(): AsyncIterable<string>;
  exists(key: string): Promise<boolean>;
  /** Removes a file; no error if there is none. */
  remove(key: string): Promise<void>;
  /** Remains of interrupted writes, as text for people; not keys. */
  leftovers(): AsyncIterable<string>;
  /** Removes the leftovers. Call it only while there are no writers. */
  sweep(): Promise<void>;
}

/** The data of a write on its way: counted, hashed, and compared with its announced length. */
export class Incoming {
  bytes = 0;
  /** Set if the sender or its length failed, and not the store. */
  failure: { readonly error: unknown } | null = null;
  readonly #hash = createHash('sha256');
  /** For messages. */
  readonly key: string;

  constructor(key: string) {
    this.key = key;
  }

  /** @throws what the sender throws, and `STORE_TRUNCATED` */
  async *chunks(
    data: StoreData,
    { expectedBytes: expected }: WriteOptions,
  ): AsyncGenerator<Uint8Array> {
    const source = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
    try {
      for await (const chunk of source instanceof Uint8Array ? [source] : source) {
        this.bytes += chunk.byteLength;
        if (expected !== undefined && this.bytes > expected) throw this.#wrong(expected);
        this.#hash.update(chunk);
        yield chunk;
      }
      if (expected !== undefined && this.bytes !== expected) throw this.#wrong(expected);
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }

  /** Once all has arrived. */
  get digest(): FileDigest {
    return { bytes: this.bytes, sha256: this.#hash.copy().digest('hex') };
  }

  #wrong(expected: number): Error {
    return createWrongLengthError(this.key, expected, this.bytes);
  }
}

export function computeDigest(data: string | Uint8Array): FileDigest {
  const bytes = typeof data === 'string' ? Buffer.from(data, 'utf8') : data;
  return { bytes: bytes.byteLength, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** As UTF-8, without a copy of the bytes. */
export function decodeText({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('utf8');
}
