/** The content of an item's page, as JSON: a parsed result is far larger, and many wait for their drawing. */
import type { DrawnFormula, ItemDetail } from '../../report-page/data.ts';
import type { ResultReading } from '../../results/reading.ts';
import type { Store } from '../../store/store.ts';
import type { Listed } from '../campaign-items.ts';
import { formulaSource, type FormulaSource } from './formula.ts';
import { itemFacts } from './item-facts.ts';
import { packResult } from './pack-result.ts';

/** An `ItemDetail` as JSON. */
export type DetailText = string;

export interface DetailParts {
  /** An `ItemDetail` without its formula, as JSON. */
  readonly text: string;
  /** What the formula is drawn from; null if it is not a molecule. */
  readonly formula: FormulaSource | null;
}

/** @throws StoreError */
export async function makeDetail(
  store: Store,
  item: Listed,
  reading: ResultReading | null,
): Promise<DetailParts> {
  const { record } = item;
  const isRead = record?.state !== 'succeeded' || reading !== null;
  const detail: Omit<ItemDetail, 'formula'> = {
    facts: record === null ? null : itemFacts(store, item, record),
    result: reading === null ? null : packResult(reading),
    unreadable: isRead ? null : 'its files are not in the expected format.',
  };
  const isMolecule = record?.kind === 'molecule';
  return {
    text: JSON.stringify(detail),
    formula: isMolecule ? await formulaSource(store, record, reading) : null,
  };
}

export function withFormula(text: DetailParts['text'], formula: DrawnFormula | null): DetailText {
  return `{"formula":${JSON.stringify(formula)},${text.slice(1)}`;
}
