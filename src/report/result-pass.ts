/** One pass over the items of a campaign: the parts of each result are made, and everything is put together of them. */
import type { Store } from '../store/store.ts';
import type { Listed } from './campaign-items.ts';
import { makeParts, type ResultParts } from './result-parts.ts';
import type { OwnColumnsByKind } from './tables/result-rows.ts';

export interface ItemParts {
  readonly item: Listed;
  readonly parts: ResultParts;
}

/** Something that is put together of all items and the parts of their results, one after the other. */
export interface PartsSink {
  add(parts: ItemParts): Promise<void>;
  /** All were added. */
  end(): Promise<void>;
  /** The pass has failed: nothing half may stay. Never throws. */
  abandon(reason: unknown): Promise<void>;
}

/** Some items that follow each other, and what their parts are made with. */
export interface Block {
  readonly items: readonly Listed[];
  readonly own: OwnColumnsByKind;
}

export interface Maker {
  /** In the order of the items. */
  make(block: Block): Promise<readonly ResultParts[]>;
  /** Blocks that it makes at once. */
  readonly atOnce: number;
}

/** Makes them in this thread. */
export function makerHere(store: Store): Maker {
  return { make: (block) => makeBlock(store, block), atOnce: 1 };
}

/** @throws StoreError */
export async function makeBlock(store: Store, { items, own }: Block): Promise<ResultParts[]> {
  const parts: ResultParts[] = [];
  // One after the other: a result that was read is dropped before the next one comes.
  for (const item of items) parts.push(await makeParts(store, item, own));
  return parts;
}

export interface Source {
  readonly items: AsyncIterable<Listed>;
  readonly own: OwnColumnsByKind;
  readonly maker: Maker;
}

/** In the order of the items. `onItem` is called for each, and may throw to break off. */
export async function passParts(
  source: Source,
  sinks: readonly PartsSink[],
  onItem: () => void,
): Promise<void> {
  try {
    for await (const made of partsInOrder(source)) {
      for (const sink of sinks) await sink.add(made);
      onItem();
    }
    await Promise.all(sinks.map((sink) => sink.end()));
  } catch (error) {
    for (const sink of sinks) await sink.abandon(error);
    throw error;
  }
}

async function* partsInOrder({ items, own, maker }: Source): AsyncGenerator<ItemParts> {
  const underWay: Promise<readonly ItemParts[]>[] = [];
  for await (const block of blocksOf(items)) {
    const made = maker.make({ items: block, own }).then((parts) => paired(block, parts));
    // Met when its turn comes.
    made.catch(() => undefined);
    underWay.push(made);
    if (underWay.length >= maker.atOnce) yield* (await underWay.shift()) ?? [];
  }
  for (const made of underWay) yield* await made;
}

function paired(items: readonly Listed[], parts: readonly ResultParts[]): readonly ItemParts[] {
  return items.map((item, index) => {
    const own = parts[index];
    if (own === undefined) throw new Error(`nothing was made of ${item.id}`);
    return { item, parts: own };
  });
}

/** A block is closed at the first of both: large enough to hide its way to another thread, small enough for memory. */
const MOST_ITEMS = 8;
const MOST_BYTES = 8 * 1024 * 1024;

async function* blocksOf(items: AsyncIterable<Listed>): AsyncGenerator<readonly Listed[]> {
  let block: Listed[] = [];
  let bytes = 0;
  for await (const item of items) {
    block.push(item);
    bytes += bytesOf(item);
    if (block.length < MOST_ITEMS && bytes < MOST_BYTES) continue;
    yield block;
    block = [];
    bytes = 0;
  }
  if (block.length > 0) yield block;
}

function bytesOf({ record }: Listed): number {
  return Object.values(record?.files ?? {}).reduce((sum, { bytes }) => sum + bytes, 0);
}
