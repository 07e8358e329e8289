/**
 * The details of the items in deflated chunks: up to the size limit of a report they are kept for the page, the others
 * are written next to it immediately, so that memory stays constant.
 */
import { promisify } from 'node:util';
import { deflateRaw } from 'node:zlib';
import { nameChunkFile, DATA_FOLDER, DELIVER, type ChunkLayout } from '../page-data.ts';
import type { Store } from '../../store/store.ts';
import type { DetailText } from './item-detail.ts';

/** A chunk is closed at either limit: one item is shown at a time, and its neighbours are loaded with it. */
const MAX_ITEMS = 32;
const MAX_LETTERS = 256 * 1024;

/** Limit for all chunks in the page, in base64 characters: the page with its table and programs stays below 25 MB. */
export const EMBEDDED_LETTERS = 16 * 1024 * 1024;

/** Higher levels hardly shrink numbers, and take three times as long. */
const LEVEL = 3;
const DEFLATE = { level: LEVEL, chunkSize: MAX_LETTERS };

const deflated = promisify(deflateRaw);
/** Chunks deflated in parallel, by Node's thread pool, while this thread writes tables. */
const AT_ONCE = 2;

export class ItemChunks {
  readonly #store: Store;
  readonly #mostEmbedded: number;
  readonly #firstRows: number[] = [];
  /** The chunks in the page. */
  readonly embedded: string[] = [];
  #embeddedLetters = 0;
  /** Keys of the others. */
  readonly #beside: string[] = [];
  #open: DetailText[] = [];
  #openLetters = 0;
  #rows = 0;
  /** In chunk order, in base64. */
  readonly #underWay: Promise<string>[] = [];
  /** Number of chunks that are in the page or written. */
  #placed = 0;

  constructor(store: Store, mostEmbedded: number) {
    this.#store = store;
    this.#mostEmbedded = mostEmbedded;
  }

  async add(text: DetailText): Promise<void> {
    if (this.#open.length === 0) this.#firstRows.push(this.#rows);
    this.#open.push(text);
    this.#openLetters += text.length;
    this.#rows += 1;
    if (this.#open.length >= MAX_ITEMS || this.#openLetters >= MAX_LETTERS) await this.#close();
  }

  async end(): Promise<ChunkLayout> {
    if (this.#open.length > 0) await this.#close();
    while (this.#underWay.length > 0) await this.#placeFirst();
    await this.#store.flush(this.#beside);
    return { firstRows: this.#firstRows, embedded: this.embedded.length };
  }

  async #close(): Promise<void> {
    const text = `[${this.#open.join(',')}]`;
    this.#open = [];
    this.#openLetters = 0;
    const base64 = packText(text);
    // Handled when it is awaited.
    base64.catch(() => undefined);
    this.#underWay.push(base64);
    if (this.#underWay.length > AT_ONCE) await this.#placeFirst();
  }

  async #placeFirst(): Promise<void> {
    const base64 = await this.#underWay.shift();
    if (base64 === undefined) return;
    const chunk = this.#placed++;
    // After the first chunk that does not fit, all later ones are written next to the page too.
    const fits = this.#embeddedLetters + base64.length <= this.#mostEmbedded;
    if (fits && this.embedded.length === chunk) {
      this.embedded.push(base64);
      this.#embeddedLetters += base64.length;
    } else {
      const script = `${DELIVER}(${chunk},"${base64}");\n`;
      const key = nameChunkFile(chunk);
      this.#beside.push(key);
      await this.#store.write(key, script, { durable: false });
    }
  }
}

/** Files of an earlier report that had more chunks. */
export async function removeChunkFiles(store: Store, kept: ChunkLayout): Promise<void> {
  const own = new Set(kept.firstRows.map((_, chunk) => nameChunkFile(chunk)).slice(kept.embedded));
  const others: string[] = [];
  for await (const key of store.list(`${DATA_FOLDER}/`)) if (!own.has(key)) others.push(key);
  for (const key of others) await store.remove(key);
}

/** Deflated, in base64. */
export async function packText(text: string): Promise<string> {
  return (await deflated(text, DEFLATE)).toString('base64');
}
