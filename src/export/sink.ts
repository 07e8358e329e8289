/** The target of an export's pieces: files of a store, or digests to compare with existing files. */
import { createHash, type Hash } from 'node:crypto';
import { OpenFile } from '../report/open-file.ts';
import { digestOf, type FileDigest } from '../store/digest.ts';
import type { Store } from '../store/store.ts';
import type { Piece } from './format.ts';

export interface Sink {
  take(piece: Piece): Promise<void>;
  /**
   * After the last piece: completes unfinished files. @returns the files with their digests, in the order of their
   * first pieces
   */
  end(): Promise<ReadonlyMap<string, FileDigest>>;
  /** Leaves no incomplete file. Never throws. */
  abandon(reason: unknown): Promise<void>;
}

/** Digests only. */
export class DigestSink implements Sink {
  readonly #files = new Map<string, FileDigest>();
  readonly #open = new Map<string, { readonly hash: Hash; bytes: number }>();

  take({ file, text, goesOn }: Piece): Promise<void> {
    if (goesOn === true) {
      const open = this.#open.get(file) ?? { hash: createHash('sha256'), bytes: 0 };
      open.hash.update(text);
      open.bytes += Buffer.byteLength(text);
      this.#open.set(file, open);
    } else {
      this.#files.set(file, digestOf(text));
    }
    return Promise.resolve();
  }

  end(): Promise<ReadonlyMap<string, FileDigest>> {
    for (const [file, { hash, bytes }] of this.#open) {
      this.#files.set(file, { bytes, sha256: hash.digest('hex') });
    }
    return Promise.resolve(this.#files);
  }

  abandon(): Promise<void> {
    return Promise.resolve();
  }
}

/** Each file gets its name when it is complete. */
export class FileSink implements Sink {
  readonly #store: Store;
  readonly #digests = new DigestSink();
  readonly #open = new Map<string, OpenFile>();
  readonly #written: string[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  async take(piece: Piece): Promise<void> {
    const { file, text, goesOn } = piece;
    await this.#digests.take(piece);
    if (goesOn !== true) {
      await this.#store.write(file, text, { durable: false });
      this.#written.push(file);
      return;
    }
    const open = this.#open.get(file) ?? new OpenFile(this.#store, file);
    this.#open.set(file, open);
    await open.write(Buffer.from(text));
  }

  async end(): Promise<ReadonlyMap<string, FileDigest>> {
    for (const open of this.#open.values()) await open.end();
    await this.#store.flush(this.#written);
    return this.#digests.end();
  }

  async abandon(reason: unknown): Promise<void> {
    for (const open of this.#open.values()) await open.abandon(reason);
  }
}
