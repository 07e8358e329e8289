/** One pass over the items of a campaign: the parts of each result are made, and everything is put together of them. */
import type { Store } from '../store/store.ts';
import type { Listed } from './campaign-items.ts';
import { keyOfPart, type PartsKeeper, type PartWriter } from './kept-parts.ts';
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
  /** Keeps what was made until the publication has ended; nothing is kept without one. */
  readonly keeper?: PartsKeeper;
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

async function* partsInOrder(source: Source): AsyncGenerator<ItemParts> {
  const { keeper, maker } = source;
  const underWay: Promise<readonly ItemParts[]>[] = [];
  for await (const block of keeper ? keptBlocks(source, keeper) : newBlocks(source)) {
    // Met when its turn comes.
    block.made.catch(() => undefined);
    underWay.push(block.made);
    if (underWay.length >= maker.atOnce) yield* (await underWay.shift()) ?? [];
  }
  for (const made of underWay) yield* await made;
}

interface BlockUnderWay {
  readonly made: Promise<readonly ItemParts[]>;
}

async function* newBlocks(source: Source): AsyncGenerator<BlockUnderWay> {
  for await (const block of gathered(source.items, BLOCK)) yield { made: make(source, block) };
}

async function make({ own, maker }: Source, items: readonly Listed[]) {
  return paired(items, await maker.make({ items, own }));
}

/** Block after block of a part that is not kept yet; a part that is, in one. */
async function* keptBlocks(source: Source, keeper: PartsKeeper): AsyncGenerator<BlockUnderWay> {
  for await (const part of gathered(source.items, { ...PART, items: keeper.mostItems })) {
    const key = keyOfPart(part, source.own, keeper.program);
    const kept = await keeper.read(key);
    if (kept?.length === part.length) {
      yield { made: Promise.resolve(paired(part, kept)) };
      continue;
    }
    yield* blocksOfPart(source, part, keeper.begin(key));
  }
}

async function* blocksOfPart(
  source: Source,
  part: readonly Listed[],
  file: PartWriter,
): AsyncGenerator<BlockUnderWay> {
  let last: Promise<readonly ItemParts[]> | null = null;
  let isWhole = false;
  try {
    for await (const block of gathered(part, BLOCK)) {
      if (last !== null) yield { made: last };
      last = keptAfter(last, make(source, block), file);
    }
    if (last !== null) yield { made: endedAfter(last, file) };
    isWhole = true;
  } finally {
    if (!isWhole) await file.abandon(new Error('the publication was broken off'));
  }
}

/** Resolves with a block once it is kept, behind the one before it. */
async function keptAfter(
  former: Promise<unknown> | null,
  making: Promise<readonly ItemParts[]>,
  file: PartWriter,
): Promise<readonly ItemParts[]> {
  try {
    const [made] = await Promise.all([making, former]);
    await file.add(made.map(({ parts }) => parts));
    return made;
  } catch (error) {
    await file.abandon(error);
    throw error;
  }
}

/** Resolves with the last block once all of the part is kept. */
async function endedAfter(
  last: Promise<readonly ItemParts[]>,
  file: PartWriter,
): Promise<readonly ItemParts[]> {
  const made = await last;
  await file.end();
  return made;
}

function paired(items: readonly Listed[], parts: readonly ResultParts[]): readonly ItemParts[] {
  return items.map((item, index) => {
    const own = parts[index];
    if (own === undefined) throw new Error(`nothing was made of ${item.id}`);
    return { item, parts: own };
  });
}

/** What is gathered is closed at the first of both. */
interface Most {
  readonly items: number;
  readonly bytes: number;
}

/** Large enough to hide its way to another thread, small enough for memory. */
const BLOCK: Most = { items: 8, bytes: 8 * 1024 * 1024 };
/** Made anew when a publication is broken off in it. */
const PART = { bytes: 64 * 1024 * 1024 };

async function* gathered(
  items: AsyncIterable<Listed> | Iterable<Listed>,
  most: Most,
): AsyncGenerator<readonly Listed[]> {
  let block: Listed[] = [];
  let bytes = 0;
  for await (const item of items) {
    block.push(item);
    bytes += bytesOf(item);
    if (block.length < most.items && bytes < most.bytes) continue;
    yield block;
    block = [];
    bytes = 0;
  }
  if (block.length > 0) yield block;
}

function bytesOf({ record }: Listed): number {
  return Object.values(record?.files ?? {}).reduce((sum, { bytes }) => sum + bytes, 0);
}
