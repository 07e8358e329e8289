/**
 * Stores the checked rows of a campaign in a file, between the check and the preparation: what was checked is what is
 * submitted, and memory does not grow with the table.
 */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  closeSync,
  createWriteStream,
  openSync,
  readSync,
  unlinkSync,
  type WriteStream,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Item } from '../domain/item.ts';
import type { InvalidRow } from '../store/prepared-campaign.ts';
import { type StoreError, toStoreError } from '../store/store-error.ts';

const CHUNK_BYTES = 1024 * 1024;

type Line = { readonly item: Item } | { readonly invalid: InvalidRow };

export class Spool {
  readonly #path: string;
  /** Opened with the first row, like `#stream`: for reading. */
  #file: number | null = null;
  #stream: WriteStream | null = null;

  /** `folder`: for temporary files. */
  constructor(folder: string) {
    this.#path = join(folder, `hundredfold-${randomUUID()}.jsonl`);
  }

  /** Returns a promise only if the disk has to be awaited. @throws StoreError */
  write(line: Line): Promise<void> | undefined {
    const stream = (this.#stream ??= this.#open());
    if (stream.errored) throw this.#coded(stream.errored);
    if (stream.write(`${JSON.stringify(line)}\n`)) return undefined;
    return once(stream, 'drain').then(
      () => undefined,
      (error: unknown) => Promise.reject(this.#coded(error)),
    );
  }

  /** Completes the file. @throws StoreError */
  async end(): Promise<void> {
    const stream = this.#stream;
    if (!stream) return;
    stream.end();
    // An error is reported below, with a code.
    if (!stream.closed) await new Promise<void>((resolve) => stream.once('close', () => resolve()));
    if (stream.errored) throw this.#coded(stream.errored);
  }

  /** In the order written. May be read more than once. */
  async *items(): AsyncGenerator<Item> {
    for await (const line of this.#lines()) if ('item' in line) yield line.item;
  }

  async *invalid(): AsyncGenerator<InvalidRow> {
    for await (const line of this.#lines()) if ('invalid' in line) yield line.invalid;
  }

  /** Frees its disk space. */
  remove(): void {
    this.#stream?.destroy();
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  /** Without a name from the beginning: a killed process leaves no file. @throws StoreError */
  #open(): WriteStream {
    try {
      const stream = createWriteStream('', { fd: openSync(this.#path, 'wx', 0o600) });
      // Handled in `write` and `end`.
      stream.on('error', () => undefined);
      this.#file = openSync(this.#path, 'r');
      unlinkSync(this.#path);
      return stream;
    } catch (error) {
      throw this.#coded(error);
    }
  }

  #coded(error: unknown): StoreError {
    return toStoreError(error, `keep the checked rows in ${this.#path}`);
  }

  async *#lines(): AsyncGenerator<Line> {
    const decoder = new TextDecoder();
    let rest = '';
    // Not with node:readline, which also splits lines at U+2028, which a cell may contain.
    for (const chunk of this.#chunks()) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      // Written by `write`.
      for (const line of lines) yield JSON.parse(line) as Line;
      // Nothing else would run until the last row.
      await setImmediate();
    }
  }

  /**
   * With blocking calls: the file was just written. A call in progress could read another file if this one was closed
   * meanwhile.
   */
  *#chunks(): Generator<Uint8Array> {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    for (let at = 0; this.#file !== null;) {
      const bytes = readSync(this.#file, buffer, 0, CHUNK_BYTES, at);
      if (bytes === 0) return;
      at += bytes;
      yield buffer.subarray(0, bytes);
    }
    if (this.#stream !== null)
      throw new Error('the checked rows were removed while they were read');
  }
}
