/** Checks that a disk has room for a file, before the file is written and while it is written. */
import { statfs } from 'node:fs/promises';
import { noRoom } from './store-error.ts';
import { system } from './system-calls.ts';

/** Bytes written between two checks. */
const LOOK_EVERY = 8_000_000;
/** On a small disk this part is kept free, instead of all that the caller requests. */
const LARGEST_PART = 0.02;

export class FreeSpace {
  readonly #folder: string;
  readonly #key: string;
  readonly #keepFree: number;
  #looked = 0;

  /** @param keepFree bytes that are to stay free */
  constructor(folder: string, key: string, keepFree: number) {
    this.#folder = folder;
    this.#key = key;
    this.#keepFree = keepFree;
  }

  /**
   * Before the first byte.
   * @param needed length of the file in bytes; null when unknown
   * @throws StoreError `STORE_FULL`
   */
  async begin(needed: number | null): Promise<void> {
    const { bavail, blocks, bsize } = await system(`look at the disk of ${this.#key}`, () =>
      statfs(this.#folder),
    );
    const free = bavail * bsize;
    const kept = Math.min(this.#keepFree, blocks * bsize * LARGEST_PART);
    if (free - (needed ?? 0) < kept) throw noRoom(this.#key, free, needed, kept);
  }

  /**
   * While the file is written.
   * @param bytes written so far
   * @throws StoreError `STORE_FULL`
   */
  async goOn(bytes: number): Promise<void> {
    if (bytes - this.#looked < LOOK_EVERY) return;
    this.#looked = bytes;
    await this.begin(null);
  }
}
