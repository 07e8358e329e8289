/**
 * The same reads with blocking calls, for a thread that has nothing else to do. Asynchronous calls are handed to
 * another thread and back, and a large file is read into new memory that the system must clear page by page: comparing
 * 100,000 files of 2 GB with their digests took 22 s, and takes 3 s with one reused buffer.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
  type Stats,
} from 'node:fs';
import type { FileDigest } from './digest.ts';
import { AS_IT_LIES, unopened, type Link, type Reads } from './reads.ts';
import { isAbsent } from './system-calls.ts';

/** Grows with the files that are read whole. */
const FIRST_BUFFER_BYTES = 1024 * 1024;

export class BlockingReads implements Reads {
  #buffer = Buffer.allocUnsafeSlow(FIRST_BUFFER_BYTES);

  status(path: string): Stats | null {
    try {
      return lstatSync(path, { throwIfNoEntry: false }) ?? null;
    } catch (error) {
      // Of a path below a file.
      if (isAbsent(error)) return null;
      throw error;
    }
  }

  bytes(path: string): Uint8Array | Link | null {
    return this.#withFile(path, (file, size) => new Uint8Array(this.#whole(file, size)));
  }

  text(path: string): string | Link | null {
    return this.#withFile(path, (file, size) => this.#whole(file, size).toString('utf8'));
  }

  digest(path: string): FileDigest | Link | null {
    return this.#withFile(path, (file, size) => {
      const hash = createHash('sha256');
      let bytes = 0;
      while (bytes < size) {
        const read = readSync(file, this.#buffer);
        if (read === 0) break;
        hash.update(this.#buffer.subarray(0, read));
        bytes += read;
      }
      return { bytes, sha256: hash.digest('hex') };
    });
  }

  entries(folder: string) {
    try {
      return readdirSync(folder, { withFileTypes: true });
    } catch (error) {
      if (isAbsent(error)) return [];
      throw error;
    }
  }

  #withFile<T>(path: string, work: (file: number, size: number) => T): T | Link | null {
    let file;
    try {
      file = openSync(path, AS_IT_LIES);
    } catch (error) {
      return unopened(error);
    }
    try {
      const status = fstatSync(file);
      return status.isFile() ? work(file, status.size) : null;
    } finally {
      closeSync(file);
    }
  }

  /** In the buffer; valid until the next call. */
  #whole(file: number, size: number): Buffer {
    if (size > this.#buffer.length) this.#buffer = Buffer.allocUnsafeSlow(2 * size);
    let at = 0;
    while (at < size) {
      const read = readSync(file, this.#buffer, at, size - at, at);
      if (read === 0) break;
      at += read;
    }
    return this.#buffer.subarray(0, at);
  }
}
