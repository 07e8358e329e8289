/** A number that stands for a whole result: what a table is sorted, filtered and plotted by. */
export interface Measure {
  /** Unique over all kinds. */
  readonly key: string;
  /** A few words, as the head of a column. */
  readonly title: string;
  /** `Da`, `e`, `D`, `%`; empty where it has none. */
  readonly unit: string;
  /** What it is and how it is computed, in a sentence. */
  readonly meaning: string;
  /** Digits behind the point that are shown and kept. */
  readonly decimals: number;
  /** Whether it is one of the few that say most about a result of its kind. */
  readonly isMain: boolean;
}

/** By key; null where the result does not say. */
export type MeasureValues = Readonly<Record<string, number | null>>;

/** The values of a chain that are numbers. */
export function numbersIn(track: readonly (number | string | null)[] | undefined): number[] {
  return (track ?? []).filter((value) => typeof value === 'number');
}

/** Null of no value. */
export function mean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** In per cent; null of no value. */
export function share(
  values: readonly number[],
  isCounted: (value: number) => boolean,
): number | null {
  return values.length === 0 ? null : (100 * values.filter(isCounted).length) / values.length;
}
