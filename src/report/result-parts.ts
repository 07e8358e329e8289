/**
 * All that the tables and the report take from the result of one item. To read and parse results is what a publication
 * costs: each is read once, here, and in several threads (threads/). So the parts are plain data, without the values
 * that nobody asks for any more.
 */
import type { MeasureValues } from '../results/measures/measure.ts';
import { measuresOf } from '../results/measures/measures.ts';
import type { Store } from '../store/store.ts';
import type { Listed } from './campaign-items.ts';
import { makeDetail, type DetailParts } from './page/item-detail.ts';
import { resultWords } from './page/result-words.ts';
import { readResult } from './result-reading.ts';
import { makeRows, type OwnColumnsByKind, type ResultRows } from './tables/result-rows.ts';

export interface ResultParts {
  /** In the table of its kind; null where the item has no result. */
  readonly rows: ResultRows | null;
  /** What came out, in few words; '' where the item has no result. */
  readonly words: string;
  /** Null where the item has no result. */
  readonly measures: MeasureValues | null;
  readonly detail: DetailParts;
}

/** @throws StoreError */
export async function makeParts(
  store: Store,
  item: Listed,
  own: OwnColumnsByKind,
): Promise<ResultParts> {
  const { record } = item;
  const reading = record === null ? null : await readResult(store, record);
  return {
    rows: record === null || reading === null ? null : makeRows(reading, record, own),
    words: reading === null ? '' : resultWords(reading),
    measures: reading === null ? null : measuresOf(reading),
    detail: await makeDetail(store, item, reading),
  };
}
