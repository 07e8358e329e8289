/** One pass over the items of a campaign: makes the parts of each result, and passes them to all sinks. */
import type { Kind } from '../domain/item.ts';
import { kindOf } from '../kinds/registry.ts';
import { measure, type MeasureValues } from '../kinds/measure.ts';
import type { ItemRecord } from '../store/item-record.ts';
import type { Store } from '../store/store.ts';
import type { Listed } from './campaign-items.ts';
import { type DetailParts, makeDetail } from './page/item-detail.ts';
import { readResult } from './read-result.ts';
import { type OwnColumnsByKind, type ResultRows, RowMaker } from './tables/result-rows.ts';

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
  readonly own: OwnColumnsByKind;
}

class RowsByKind {
  readonly #own: OwnColumnsByKind;
  readonly #makers = new Map<Kind, RowMaker>();

  constructor(own: OwnColumnsByKind) {
    this.#own = own;
  }

  make(record: ItemRecord, reading: unknown): ResultRows {
    const kind = kindOf(record.kind);
    let maker = this.#makers.get(kind.name);
    if (maker === undefined) {
      maker = new RowMaker(kind, 'results', this.#own[kind.name] ?? new Set());
      this.#makers.set(kind.name, maker);
    }
    return maker.rows(record, kind.table.rows(reading, record));
  }
}

/** In item order; a result is freed before the next one is read. `onItem` is called for each, and may throw to abort. */
export async function passParts(
  { store, items, own }: Source,
  sinks: readonly PartsSink[],
  onItem: () => void,
): Promise<void> {
  const rows = new RowsByKind(own);
  try {
    for await (const item of items) {
      const parts = await makeParts(store, item, rows);
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
  /** In the table of its kind; null if the item has no result. */
  readonly rows: ResultRows | null;
  /** A short summary of the result; '' if the item has none. */
  readonly words: string;
  /** Null if the item has no result. */
  readonly measures: MeasureValues | null;
  readonly detail: DetailParts;
}

/** @throws StoreError */
async function makeParts(store: Store, item: Listed, rows: RowsByKind): Promise<ResultParts> {
  const { record } = item;
  const kind = record === null ? null : kindOf(record.kind);
  const reading: unknown = record === null ? null : await readResult(store, record);
  return {
    rows: record === null || reading === null ? null : rows.make(record, reading),
    words: kind === null || reading === null ? '' : kind.summary(reading),
    measures: kind === null || reading === null ? null : measure(kind, reading),
    detail: await makeDetail(store, item, reading),
  };
}
