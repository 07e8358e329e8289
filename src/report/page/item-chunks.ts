/**
 * The details of the items in deflated chunks: up to the size limit of a report they are kept for the page, the others
 * are written next to it immediately, so that memory stays constant.
 */
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { nameChunkFile, DATA_FOLDER, DELIVER, type ChunkLayout } from '../page-data.ts';
import type { Store } from '../../store/store.ts';

/** A chunk is closed at either limit: one item is shown at a time, and its neighbours are loaded with it. */
const MAX_ITEMS = 32;
const MAX_LETTERS = 256 * 1024;

/** Limit for all chunks in the page, in base64 characters: the page with its table and programs stays below 25 MB. */
export const EMBEDDED_LETTERS = 16 * 1024 * 1024;

/** Higher levels hardly shrink numbers, and take three times as long. */
const LEVEL = 3;
const DEFLATE = { level: LEVEL, chunkSize: MAX_LETTERS };

const deflated = promisify(deflateRaw);

export class ItemChunks {
  readonly #store: Store;
  readonly #mostEmbedded: number;
  readonly #firstRows: number[] = [];
  /** The chunks in the page, in base64. */
  readonly embedded: string[] = [];
  #embeddedLetters = 0;
  /** Keys of the others. */
  readonly #beside = new Set<string>();
  /** Of the items of the next chunk. */
  #open: string[] = [];
  #openLetters = 0;
  #rows = 0;
  /** The last chunk, deflated by another thread while the next is collected. */
  #last: Promise<void> = Promise.resolve();

  constructor(store: Store, mostEmbedded: number) {
    this.#store = store;
    this.#mostEmbedded = mostEmbedded;
  }

  /** @param text an `ItemDetail` as JSON */
  async add(text: string): Promise<void> {
    this.#open.push(text);
    this.#openLetters += text.length;
    this.#rows += 1;
    if (this.#open.length >= MAX_ITEMS || this.#openLetters >= MAX_LETTERS) await this.#close();
  }

  async end(): Promise<ChunkLayout> {
    if (this.#open.length > 0) await this.#close();
    await this.#last;
    await this.#store.flush(this.#beside);
    const former: string[] = [];
    for await (const key of this.#store.list(`${DATA_FOLDER}/`)) former.push(key);
    for (const key of former) if (!this.#beside.has(key)) await this.#store.remove(key);
    return { firstRows: this.#firstRows, embedded: this.embedded.length };
  }

  async #close(): Promise<void> {
    const text = `[${this.#open.join(',')}]`;
    const chunk = this.#firstRows.push(this.#rows - this.#open.length) - 1;
    this.#open = [];
    this.#openLetters = 0;
    await this.#last;
    this.#last = this.#place(chunk, text);
    // Handled when it is awaited.
    this.#last.catch(() => undefined);
  }

  async #place(chunk: number, text: string): Promise<void> {
    const base64 = await packText(text);
    // After the first chunk that does not fit, all later ones are written next to the page too.
    const fits = this.#embeddedLetters + base64.length <= this.#mostEmbedded;
    if (fits && this.embedded.length === chunk) {
      this.embedded.push(base64);
      this.#embeddedLetters += base64.length;
    } else {
      const key = nameChunkFile(chunk);
      this.#beside.add(key);
      const script = `${DELIVER}(${chunk},"${base64}");\n`;
      await this.#store.write(key, script, { durable: false });
    }
  }
}

/** Deflated, in base64. */
export async function packText(text: string): Promise<string> {
  return (await deflated(text, DEFLATE)).toString('base64');
}
