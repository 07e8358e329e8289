/** How derived files are written: several at once, while each is told of every row of the campaign. */
import type { MeasureValues } from '../kinds/kind.ts';
import { type FileDigest, type Store } from '../store/store.ts';
import type { FileFault } from './audit.ts';
import type { Listed } from '../store/campaign-items.ts';
import type { CampaignSummary } from './campaign-summary.ts';
import type { Portrait } from './page/formula.ts';

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
  /** Null if its kind has no formula, or if no writer needs it. */
  readonly portrait: Portrait | null;
}

/** Makes a derived file, or several, while it is told of each row in order. */
export interface Writer {
  add(one: PublishedItem): Promise<void> | void;
  /** All were added. */
  end(summary: CampaignSummary): Promise<unknown>;
}

/** The files of one publication. */
export class DerivedFiles {
  /** Of the files that were written and stay, by key: they need not be read. */
  readonly digests = new Map<string, FileDigest>();
  readonly #store: Pick<Store, 'write'>;
  readonly #isTemporary: boolean;
  readonly #open: OpenFile[] = [];

  /** @param options `isTemporary`: they are removed after a comparison */
  constructor(store: Pick<Store, 'write'>, { isTemporary = false } = {}) {
    this.#store = store;
    this.#isTemporary = isTemporary;
  }

  open(key: string): OpenFile {
    const file = new OpenFile(async (data) => {
      const written = await this.#store.write(key, data, { durable: !this.#isTemporary });
      if (!this.#isTemporary) this.digests.set(key, written);
    });
    this.#open.push(file);
    return file;
  }

  /** The publication has failed: no incomplete file stays. Never throws. */
  async abandon(reason: unknown): Promise<void> {
    await Promise.all(this.#open.map((file) => file.abandon(reason)));
  }
}

/** Bytes or letters collected per write: each write costs some promises and a switch to another thread. */
const CHUNK = 128 * 1024;

/** A file that is written in pieces, in parallel with others. */
export class OpenFile {
  readonly #write: (data: AsyncIterable<Uint8Array>) => Promise<void>;
  /** Begins with the first bytes. */
  #writer: WritableStreamDefaultWriter<Uint8Array> | null = null;
  /** Settled once the file is complete, or was given up. */
  written: Promise<void> = Promise.resolve();
  #pieces: (string | Uint8Array)[] = [];
  #length = 0;

  constructor(write: (data: AsyncIterable<Uint8Array>) => Promise<void>) {
    this.#write = write;
  }

  /** Keeps the bytes: they must not change. Waits if the store is slower. @throws what the store throws */
  async write(data: string | Uint8Array): Promise<void> {
    this.#pieces.push(data);
    this.#length += data.length;
    if (this.#length >= CHUNK) await this.#flush();
  }

  /** Completes the file. @throws what the store throws */
  async end(): Promise<void> {
    const writer = await this.#flush();
    await writer.close().catch(() => undefined);
    await this.written;
  }

  /** The store removes what it has of it. Never throws. */
  async abandon(reason: unknown): Promise<void> {
    await this.#writer?.abort(reason).catch(() => undefined);
    await this.written.catch(() => undefined);
  }

  async #flush(): Promise<WritableStreamDefaultWriter<Uint8Array>> {
    // Texts become bytes only now: a small buffer would keep 64 kB of Node's pool until it is written.
    const pieces = this.#pieces.map((piece) =>
      typeof piece === 'string' ? Buffer.from(piece) : piece,
    );
    this.#pieces = [];
    this.#length = 0;
    const writer = (this.#writer ??= this.#begin());
    try {
      await writer.write(Buffer.concat(pieces));
      return writer;
    } catch (error) {
      // The stream only reports that it has no reader; the store reports why.
      await this.written;
      throw error;
    }
  }

  #begin(): WritableStreamDefaultWriter<Uint8Array> {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const writer = writable.getWriter();
    this.written = this.#write(readable);
    // The next write, or `end`, handles the error.
    this.written.catch(() => undefined);
    writer.closed.catch(() => undefined);
    return writer;
  }
}
