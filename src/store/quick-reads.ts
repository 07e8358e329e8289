/**
 * Reads for a thread that has other work, of a disk of this machine. A call that the system answers from memory takes
 * 3 µs; handing it to another thread and back takes 40 µs of CPU time, and an item needs 50 such calls. So calls that
 * are quick on a local disk block, but never for long: every few milliseconds one of them waits, so that everything else
 * of the thread has its turn.
 *
 * A disk of the network may take seconds to answer: there, and for long files and folders, every call waits (reads.ts).
 */
import { statfs } from 'node:fs/promises';
import { BlockingReads } from './blocking-reads.ts';
import { WAITING_READS, type Reads, type Soon } from './reads.ts';

/** Without a pause (ms). */
const BLOCKS_FOR_MS = 10;
/** Longer files are read with calls that wait. */
const SHORT_BYTES = 256 * 1024;

/** Magic numbers of statfs(2): ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, F2FS, ZFS. */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, 0x58465342, 0x9123683e, 0x01021994, 0x794c7630, 0xf2f52010, 0x2fc12fc1,
]);

/** Whether the file system of this folder is known to be a disk of this machine. */
export async function isOnLocalDisk(folder: string): Promise<boolean> {
  return process.platform === 'linux' && LOCAL.has((await statfs(folder)).type >>> 0);
}

class QuickReads implements Reads {
  readonly #blocking = new BlockingReads();
  /** When a call has last waited, in ms of the process clock. */
  #waitedAt = -Infinity;

  status(path: string): ReturnType<Reads['status']> {
    return this.#isTimeToWait()
      ? this.#waited(WAITING_READS.status(path))
      : this.#blocking.status(path);
  }

  bytes(path: string): ReturnType<Reads['bytes']> {
    return this.#isShort(path)
      ? this.#blocking.bytes(path)
      : this.#waited(WAITING_READS.bytes(path));
  }

  text(path: string): ReturnType<Reads['text']> {
    return this.#isShort(path) ? this.#blocking.text(path) : this.#waited(WAITING_READS.text(path));
  }

  digest(path: string): ReturnType<Reads['digest']> {
    return this.#waited(WAITING_READS.digest(path));
  }

  entries(folder: string): ReturnType<Reads['entries']> {
    return this.#waited(WAITING_READS.entries(folder));
  }

  #isShort(path: string): boolean {
    if (this.#isTimeToWait()) return false;
    const found = this.#blocking.status(path);
    return found === null || found.size <= SHORT_BYTES;
  }

  #isTimeToWait(): boolean {
    return performance.now() - this.#waitedAt > BLOCKS_FOR_MS;
  }

  async #waited<T>(call: Soon<T>): Promise<T> {
    try {
      return await call;
    } finally {
      this.#waitedAt = performance.now();
    }
  }
}

/** One for the thread: all its trees together block no longer than one. */
export const QUICK_READS: Reads = new QuickReads();
