/**
 * The parts made from the results of some items, kept in the tree until the publication has ended. After an
 * interruption, even by kill -9, only the part in progress is made again: the others are read.
 *
 * A part is identified by the digest of everything that it was made from, mainly the records of its items with the
 * digests of their files. So an outdated part is never used; it is removed with the others at the end.
 *
 * Rejected: an activity for each part and one that joins them. It needs the columns of all items before the first part,
 * a list of files in the history, and pieces of Parquet, which cannot be joined without rewriting them.
 */
import { createHash } from 'node:crypto';
import { deserialize, serialize } from 'node:v8';
import { PUBLISHING } from '../store/layout.ts';
import type { Store } from '../store/store.ts';
import { StoreError } from '../store/store-error.ts';
import type { Listed } from './campaign-items.ts';
import { freeMemory } from './free-memory.ts';
import { OpenFile } from './open-file.ts';
import type { ResultParts } from './result-parts.ts';
import type { PackedSlab } from './tables/packed-slab.ts';
import type { OwnColumnsByKind } from './tables/result-rows.ts';

/** Increase it when the format of the parts changes. */
const FORM = 4;

/**
 * Without the CSV text, which is more than half of the bytes: in the rare case that a part is read, it is made again
 * from the rows.
 */
export interface KeptParts extends Omit<ResultParts, 'rows'> {
  readonly slabs: readonly PackedSlab[] | null;
}

export interface PartsKeeper {
  /** What makes the parts: version of the program and of Node. */
  readonly program: string;
  /** Maximum number of items per part. */
  readonly mostItems: number;
  /** Null if this part was not kept or cannot be read. */
  read(key: string): Promise<readonly KeptParts[] | null>;
  /** A full disk must not prevent the end of a publication: a part that was not kept is made again. */
  begin(key: string): PartWriter;
  /** The publication has ended. */
  removeAll(): Promise<void>;
}

/** Writes a part to the tree, block by block: it exists once it has ended. */
export interface PartWriter {
  add(parts: readonly ResultParts[]): Promise<void>;
  end(): Promise<void>;
  /** Leaves no file. Never throws. */
  abandon(reason: unknown): Promise<void>;
}

export function partsKeeper(
  store: Store,
  { program, mostItems }: Pick<PartsKeeper, 'program' | 'mostItems'>,
): PartsKeeper {
  return {
    program,
    mostItems,
    async read(key) {
      const bytes = await store.read(key);
      return bytes === null ? null : blocksOf(bytes);
    },
    begin: (key) => new PartFile(store, key),
    async removeAll() {
      for await (const key of store.list(PUBLISHING)) await store.remove(key);
    },
  };
}

/** In bytes, before each block. */
const LENGTH_BYTES = 4;

class PartFile implements PartWriter {
  readonly #file: OpenFile;
  #failed = false;

  constructor(store: Store, key: string) {
    this.#file = new OpenFile(store, key);
  }

  async add(parts: readonly ResultParts[]): Promise<void> {
    const block = serialize(parts.map(keptOf));
    const length = Buffer.alloc(LENGTH_BYTES);
    length.writeUInt32LE(block.length);
    await this.#unlessFailed(async () => {
      await this.#file.write(length);
      await this.#file.write(block);
    });
    freeMemory(block);
  }

  end(): Promise<void> {
    return this.#unlessFailed(() => this.#file.end());
  }

  abandon(reason: unknown): Promise<void> {
    return this.#file.abandon(reason);
  }

  async #unlessFailed(work: () => Promise<void>): Promise<void> {
    if (this.#failed) return;
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#failed = true;
    }
  }
}

function keptOf({ rows, ...others }: ResultParts): KeptParts {
  return { ...others, slabs: rows?.slabs ?? null };
}

/** Null for bytes that were not written by `PartFile`. */
function blocksOf(bytes: Uint8Array): readonly KeptParts[] | null {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const parts: KeptParts[] = [];
  try {
    for (let at = 0; at < buffer.length;) {
      const from = at + LENGTH_BYTES;
      at = from + buffer.readUInt32LE(at);
      parts.push(...(deserialize(buffer.subarray(from, at)) as readonly KeptParts[]));
    }
    return parts;
  } catch {
    return null;
  }
}

/**
 * The key of a part of these items. `program`: what makes it; another version may make different parts of the same
 * results.
 */
export function keyOfPart(
  items: readonly Listed[],
  own: OwnColumnsByKind,
  program: string,
): string {
  const columns = Object.entries(own).map(([kind, names]) => [kind, [...names]]);
  const hash = createHash('sha256').update(JSON.stringify([FORM, program, columns]));
  for (const item of items) hash.update(`${JSON.stringify(item)}\n`);
  return `${PUBLISHING}${hash.digest('hex')}`;
}
