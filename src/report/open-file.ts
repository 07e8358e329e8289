/** A file of the output tree that is written bit by bit while others are. */
/** What the bytes of a file go to: a store, or what compares them with the file that is there. */
export interface FileWriter {
  write(key: string, data: AsyncIterable<Uint8Array>): Promise<unknown>;
}

/** Gathered before they are written: each write costs some promises and a turn of another thread, in bytes. */
const CHUNK = 1024 * 1024;

export class OpenFile {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #written: Promise<unknown>;
  #gathered: Uint8Array[];
  #bytes: number;

  /** `beginning`: what the file begins with. */
  constructor(store: FileWriter, key: string, beginning: Uint8Array = new Uint8Array()) {
    this.#gathered = [beginning];
    this.#bytes = beginning.byteLength;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.#writer = writable.getWriter();
    this.#written = store.write(key, readable);
    // Met by whoever writes next, or ends the file.
    this.#written.catch(() => undefined);
    this.#writer.closed.catch(() => undefined);
  }

  /** Waits for the store where it is the slower one. @throws what the store throws */
  async write(bytes: Uint8Array): Promise<void> {
    this.#gathered.push(bytes);
    this.#bytes += bytes.byteLength;
    if (this.#bytes >= CHUNK) await this.#flush();
  }

  /** The file is whole. @throws what the store throws */
  async end(): Promise<void> {
    await this.#flush();
    await this.#writer.close().catch(() => undefined);
    await this.#written;
  }

  /** Leaves nothing behind. Never throws. */
  async abandon(reason: unknown): Promise<void> {
    await this.#writer.abort(reason).catch(() => undefined);
    await this.#written.catch(() => undefined);
  }

  async #flush(): Promise<void> {
    if (this.#bytes === 0) return;
    const bytes = Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#bytes = 0;
    try {
      await this.#writer.write(bytes);
    } catch (error) {
      // The stream only tells that nobody reads it any more; the store tells why.
      await this.#written;
      throw error;
    }
  }
}
