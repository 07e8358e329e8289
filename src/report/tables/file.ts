/** A file of the output tree that is written bit by bit while others are. */
import type { Store } from '../../store/store.ts';

export class OpenFile {
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #written: Promise<unknown>;

  constructor(store: Store, key: string) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.#writer = writable.getWriter();
    this.#written = store.write(key, readable);
    // Met by whoever writes next, or ends the file.
    this.#written.catch(() => undefined);
    this.#writer.closed.catch(() => undefined);
  }

  /** Waits for the store where it is the slower one. @throws what the store throws */
  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.byteLength === 0) return;
    try {
      await this.#writer.write(bytes);
    } catch (error) {
      // The stream only tells that nobody reads it any more; the store tells why.
      await this.#written;
      throw error;
    }
  }

  /** The file is whole. @throws what the store throws */
  async end(): Promise<void> {
    await this.#writer.close().catch(() => undefined);
    await this.#written;
  }

  /** Leaves nothing behind. Never throws. */
  async abandon(reason: unknown): Promise<void> {
    await this.#writer.abort(reason).catch(() => undefined);
    await this.#written.catch(() => undefined);
  }
}
