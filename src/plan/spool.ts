/**
 * Stores the checked rows of a campaign in a file, between the check and the preparation: what was checked is what is
 * submitted, and memory does not grow with the table.
 */
import { once } from 'node:events';
import { createReadStream, createWriteStream, type WriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Item } from '../domain/item.ts';
import type { InvalidRow } from '../store/invalid-rows.ts';
import { storeErrorOf, type StoreError } from '../store/store-error.ts';

type Line = { readonly item: Item } | { readonly invalid: InvalidRow };

export class Spool {
  readonly #path: string;
  /** Opened with the first row. */
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

  async remove(): Promise<void> {
    this.#stream?.destroy();
    await rm(this.#path, { force: true });
  }

  #open(): WriteStream {
    const stream = createWriteStream(this.#path, { flags: 'wx', mode: 0o600 });
    // Handled in `write` and `end`.
    stream.on('error', () => undefined);
    return stream;
  }

  #coded(error: unknown): StoreError {
    return storeErrorOf(error, `keep the checked rows in ${this.#path}`);
  }

  async *#lines(): AsyncGenerator<Line> {
    if (!this.#stream) return;
    const input = createReadStream(this.#path, { highWaterMark: 1024 * 1024 });
    const decoder = new TextDecoder();
    let rest = '';
    // Not with node:readline, which also splits lines at U+2028, which a cell may contain.
    for await (const chunk of input as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      // Written by `write`.
      for (const line of lines) yield JSON.parse(line) as Line;
    }
  }
}
