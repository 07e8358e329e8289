/** One pass over the items of a campaign: makes the parts of each result, and passes them to all sinks. */
import type { Cells } from '../kinds/kind.ts';
import { kindOf } from '../kinds/registry.ts';
import { measure, type MeasureValues } from '../kinds/measure.ts';
import type { Store } from '../store/store.ts';
import type { Listed } from './campaign-items.ts';
import { type DetailParts, makeDetail } from './page/item-detail.ts';
import { readResult } from './read-result.ts';

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

interface Source {
  readonly store: Store;
  readonly items: AsyncIterable<Listed>;
}

/** In item order; a result is freed before the next one is read. `onItem` is called for each, and may throw to abort. */
export async function passParts(
  { store, items }: Source,
  sinks: readonly PartsSink[],
  onItem: () => void,
): Promise<void> {
  try {
    for await (const item of items) {
      const parts = await makeParts(store, item);
      for (const sink of sinks) await sink.add({ item, parts });
      onItem();
    }
    await Promise.all(sinks.map((sink) => sink.end()));
  } catch (error) {
    for (const sink of sinks) await sink.abandon(error);
    throw error;
  }
}

/**
 * Everything that the tables and the report need from the result of one item. Reading and parsing results is most of
 * the cost of a publication, so each is read once, here.
 */
export interface ResultParts {
  /** Of its rows in the table of its kind; null if the item has no result. */
  readonly cells: readonly Cells[] | null;
  /** A short summary of the result; '' if the item has none. */
  readonly words: string;
  /** Null if the item has no result. */
  readonly measures: MeasureValues | null;
  readonly detail: DetailParts;
}

/** @throws StoreError */
async function makeParts(store: Store, item: Listed): Promise<ResultParts> {
  const { record } = item;
  const reading: unknown = record === null ? null : await readResult(store, record);
  const detail = await makeDetail(store, item, reading);
  if (record === null || reading === null)
    return { cells: null, words: '', measures: null, detail };
  const kind = kindOf(record.kind);
  return {
    cells: kind.table.rows(reading, record),
    words: kind.summary(reading),
    measures: measure(kind, reading),
    detail,
  };
}
