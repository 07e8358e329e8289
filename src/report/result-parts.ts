/**
 * Everything that the tables and the report need from the result of one item. Reading and parsing results is most of
 * the cost of a publication, so each is read once, here, and in several threads (threads/). So the parts are plain
 * data, without values that are no longer needed.
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
  /** In the table of its kind; null if the item has no result. */
  readonly rows: ResultRows | null;
  /** A short summary of the result; '' if the item has none. */
  readonly words: string;
  /** Null if the item has no result. */
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
