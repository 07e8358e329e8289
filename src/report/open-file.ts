/** A file of the output tree that is written in pieces, in parallel with others. */
/** Where the bytes of a file go: a store, or a comparison with the existing file. */
export interface FileWriter {
  write(key: string, data: AsyncIterable<Uint8Array>): Promise<unknown>;
}

/** Bytes collected per write: each write costs some promises and a switch to another thread. */
const CHUNK = 1024 * 1024;

export class OpenFile {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #written: Promise<unknown>;
  #chunk = new Uint8Array();
  #filled = 0;

  /** `beginning`: the first bytes of the file. */
  constructor(store: FileWriter, key: string, beginning: Uint8Array = new Uint8Array()) {
    this.#append(beginning);
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.#writer = writable.getWriter();
    this.#written = store.write(key, readable);
    // The next write, or `end`, handles the error.
    this.#written.catch(() => undefined);
    this.#writer.closed.catch(() => undefined);
  }

  /** Copies the bytes; waits if the store is slower. @throws what the store throws */
  async write(bytes: Uint8Array): Promise<void> {
    let at = 0;
    while (at < bytes.byteLength) {
      at += this.#append(bytes.subarray(at));
      if (this.#filled === CHUNK) await this.#flush();
    }
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

  /** @returns how many of the bytes fitted into the chunk */
  #append(bytes: Uint8Array): number {
    // Not cleared, because all of it is written before it is sent. The store may keep a chunk: none is used again.
    if (this.#filled === 0) this.#chunk = Buffer.allocUnsafeSlow(CHUNK);
    const fitting = bytes.subarray(0, CHUNK - this.#filled);
    this.#chunk.set(fitting, this.#filled);
    this.#filled += fitting.byteLength;
    return fitting.byteLength;
  }

  async #flush(): Promise<void> {
    if (this.#filled === 0) return;
    const bytes = this.#chunk.subarray(0, this.#filled);
    this.#chunk = new Uint8Array();
    this.#filled = 0;
    try {
      await this.#writer.write(bytes);
    } catch (error) {
      // The stream only reports that it has no reader; the store reports why.
      await this.#written;
      throw error;
    }
  }
}
