/** Collects the measures of the items of each kind. */
import type { Kind } from '../../domain/item.ts';
import type { ItemTable } from '../../report-page/data.ts';
import type { MeasureValues } from '../../results/measures/measure.ts';
import { MEASURES } from '../../results/measures/measures.ts';

export class MeasureLists {
  readonly #values = new Map<Kind, (MeasureValues | null)[]>();

  /** Null for an item without a result. */
  add(kind: Kind, values: MeasureValues | null): void {
    const list = this.#values.get(kind);
    if (list === undefined) this.#values.set(kind, [values]);
    else list.push(values);
  }

  /** Without the measures that no item has, e.g. of a predictor that did not run. */
  byKind(): ItemTable['measures'] {
    return Object.fromEntries(
      Array.from(this.#values, ([kind, items]) => [
        kind,
        Object.fromEntries(
          MEASURES[kind].flatMap(({ key }) => {
            const column = items.map((values) => values?.[key] ?? null);
            return column.every((value) => value === null) ? [] : [[key, column]];
          }),
        ),
      ]),
    );
  }
}
