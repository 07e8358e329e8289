/** One pass over the items of a campaign: makes the parts of each result, and passes them to all sinks. */
import type { Store } from '../store/store.ts';
import type { Listed } from './campaign-items.ts';
import { keyOfPart, type KeptParts, type PartsKeeper, type PartWriter } from './kept-parts.ts';
import { makeParts, type ResultParts } from './result-parts.ts';
import { rowsOf, type OwnColumnsByKind } from './tables/result-rows.ts';

export interface ItemParts {
  readonly item: Listed;
  readonly parts: ResultParts;
}

/** Built from all items and the parts of their results, one by one. */
export interface PartsSink {
  add(parts: ItemParts): Promise<void>;
  /** All were added. */
  end(): Promise<void>;
  /** The pass has failed: no incomplete file may stay. Never throws. */
  abandon(reason: unknown): Promise<void>;
}

/** Consecutive items, and what their parts need. */
export interface ItemBlock {
  readonly items: readonly Listed[];
  readonly own: OwnColumnsByKind;
}

export interface Maker {
  /** In item order. */
  make(block: ItemBlock): Promise<readonly ResultParts[]>;
  /** Blocks that it makes in parallel. */
  readonly atOnce: number;
  /** Ends its threads, if it has any; it makes nothing afterwards. */
  close?(): Promise<void>;
}

/** Makes them in this thread. */
export function makerHere(store: Store): Maker {
  return { make: (block) => makeBlock(store, block), atOnce: 1 };
}

/** @throws StoreError */
export async function makeBlock(store: Store, { items, own }: ItemBlock): Promise<ResultParts[]> {
  const parts: ResultParts[] = [];
  // Sequentially: a result is freed before the next one is read.
  for (const item of items) parts.push(await makeParts(store, item, own));
  return parts;
}

interface Source {
  readonly items: AsyncIterable<Listed>;
  readonly own: OwnColumnsByKind;
  readonly maker: Maker;
  /** Keeps the parts until the publication has ended; without one, nothing is kept. */
  readonly keeper?: PartsKeeper;
}

/** In item order. `onItem` is called for each, and may throw to abort. */
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
    // Handled when it is awaited.
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

/** The blocks of a part that is not kept yet; a part that is kept, as one block. */
async function* keptBlocks(source: Source, keeper: PartsKeeper): AsyncGenerator<BlockUnderWay> {
  for await (const part of gathered(source.items, { ...PART, items: keeper.mostItems })) {
    const key = keyOfPart(part, source.own, keeper.program);
    const kept = await keeper.read(key);
    if (kept?.length === part.length) {
      yield { made: Promise.resolve(paired(part, restored(part, kept, source.own))) };
      continue;
    }
    yield* blocksOfPart(source, part, keeper.begin(key));
  }
}

function restored(
  items: readonly Listed[],
  kept: readonly KeptParts[],
  own: OwnColumnsByKind,
): readonly ResultParts[] {
  return kept.map(({ slabs, ...others }, index) => {
    const kind = items[index]?.kind ?? null;
    const rows = slabs === null || kind === null ? null : rowsOf(kind, slabs, own);
    return { ...others, rows };
  });
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

/** Resolves with a block once it and all previous ones are kept. */
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

/** Resolves with the last block once the whole part is kept. */
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

/** A block or part is closed at either limit. */
interface Most {
  readonly items: number;
  readonly bytes: number;
}

/** Large enough to outweigh the transfer to another thread, small enough for memory. */
const BLOCK: Most = { items: 8, bytes: 8 * 1024 * 1024 };
/** Made again if a publication is interrupted in it. */
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
