/** Collects the measures of the items of each kind, as columns: an object for each item takes three times the memory. */
import type { Kind } from '../../domain/item.ts';
import type { ItemTable } from '../../report-page/data.ts';
import type { MeasureValues } from '../../results/measures/measure.ts';
import { MEASURES } from '../../results/measures/measures.ts';

export class MeasureLists {
  /** By key, in the order of the measures; NaN means null: no result contains NaN. */
  readonly #columns = new Map<Kind, ReadonlyMap<string, number[]>>();

  /** Null for an item without a result. */
  add(kind: Kind, values: MeasureValues | null): void {
    for (const [key, column] of this.#of(kind)) column.push(values?.[key] ?? NaN);
  }

  /** Without the measures that no item has, e.g. of a predictor that did not run. */
  byKind(): ItemTable['measures'] {
    return Object.fromEntries(
      Array.from(this.#columns, ([kind, columns]) => [
        kind,
        Object.fromEntries(
          Array.from(columns)
            .filter(([, column]) => !column.every(Number.isNaN))
            .map(([key, column]) => [
              key,
              column.map((value) => (Number.isNaN(value) ? null : value)),
            ]),
        ),
      ]),
    );
  }

  #of(kind: Kind): ReadonlyMap<string, number[]> {
    let columns = this.#columns.get(kind);
    if (columns === undefined) {
      columns = new Map(MEASURES[kind].map(({ key }) => [key, []]));
      this.#columns.set(kind, columns);
    }
    return columns;
  }
}
