/** How derived files are written: several at once, while each is told of every row of the campaign. */
import type { MeasureValues } from '../kinds/kind.ts';
import type { FileFault } from './audit.ts';
import type { Listed } from './campaign-items.ts';
import type { CampaignSummary } from './campaign-summary.ts';

/** A row of the campaign with all that is written of it. */
export interface PublishedItem {
  readonly item: Listed;
  /** The content of its result, as its kind reads it; null if it has none. */
  readonly reading: unknown;
  /** Null if it has no result. */
  readonly measures: MeasureValues | null;
  /** Of its input and of the files of its result, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** What is wrong with its record or its files. */
  readonly faults: readonly FileFault[];
}

/** Makes a derived file, or several, while it is told of each row in order. */
export interface Writer {
  add(one: PublishedItem): Promise<void> | void;
  /** All were added. */
  end(summary: CampaignSummary): Promise<void>;
  /** The publication has failed: no incomplete file may stay. Never throws. */
  abandon?(reason: unknown): Promise<void>;
}

/** Where the bytes of a file go: a store, or one that notes its digest. */
export interface FileWriter {
  write(key: string, data: AsyncIterable<Uint8Array>): Promise<unknown>;
}

/** Bytes collected per write: each write costs some promises and a switch to another thread. */
const CHUNK = 128 * 1024;

/** A file that is written in pieces, in parallel with others. */
export class OpenFile {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #written: Promise<unknown>;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(files: FileWriter, key: string) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.#writer = writable.getWriter();
    this.#written = files.write(key, readable);
    // The next write, or `end`, handles the error.
    this.#written.catch(() => undefined);
    this.#writer.closed.catch(() => undefined);
  }

  /** Keeps the bytes: they must not change. Waits if the store is slower. @throws what the store throws */
  async write(bytes: Uint8Array): Promise<void> {
    this.#pieces.push(bytes);
    this.#bytes += bytes.byteLength;
    if (this.#bytes >= CHUNK) await this.#flush();
  }

  /** Completes the file. @throws what the store throws */
  async end(): Promise<void> {
    await this.#flush();
    await this.#writer.close().catch(() => undefined);
    await this.#written;
  }

  /** Leaves no file. Never throws. */
  async abandon(reason: unknown): Promise<void> {
    await this.#writer.abort(reason).catch(() => undefined);
    await this.#written.catch(() => undefined);
  }

  async #flush(): Promise<void> {
    if (this.#bytes === 0) return;
    const chunk = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#bytes = 0;
    try {
      await this.#writer.write(chunk);
    } catch (error) {
      // The stream only reports that it has no reader; the store reports why.
      await this.#written;
      throw error;
    }
  }
}
