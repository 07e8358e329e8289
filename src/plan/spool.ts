/**
 * The checked rows of a campaign in a file, between the check of the last one and the layout of the first: what was
 * checked is what is sent, and memory stays flat however long the table is.
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
  /** Made with the first row. */
  #stream: WriteStream | null = null;

  /** `folder`: for temporary files. */
  constructor(folder: string) {
    this.#path = join(folder, `hundredfold-${randomUUID()}.jsonl`);
  }

  /** A promise only where the disk has to be waited for. @throws StoreError */
  write(line: Line): Promise<void> | undefined {
    const stream = (this.#stream ??= this.#open());
    if (stream.errored) throw this.#coded(stream.errored);
    if (stream.write(`${JSON.stringify(line)}\n`)) return undefined;
    return once(stream, 'drain').then(
      () => undefined,
      (error: unknown) => Promise.reject(this.#coded(error)),
    );
  }

  /** No row comes after this. @throws StoreError */
  async end(): Promise<void> {
    const stream = this.#stream;
    if (!stream) return;
    stream.end();
    // An error is found below, with a code.
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
    // Met in `write` and `end`, which look for it.
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
    // Not by node:readline, to which U+2028, which may stand in a cell, ends a line as well.
    for await (const chunk of input as AsyncIterable<Buffer>) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      // Written by ourselves, above.
      for (const line of lines) yield JSON.parse(line) as Line;
    }
  }
}
