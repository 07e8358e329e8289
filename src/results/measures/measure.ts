/** A number that characterises a whole result, for sorting, filtering and plotting. */
export interface Measure {
  /** Unique across all kinds. */
  readonly key: string;
  /** A few words, as a column title. */
  readonly title: string;
  /** `Da`, `e`, `D`, `%`; empty if there is none. */
  readonly unit: string;
  /** What it is and how it is computed, in a sentence. */
  readonly meaning: string;
  /** Decimal places that are shown and stored. */
  readonly decimals: number;
  /** Whether it is one of the most important measures of its kind. */
  readonly isMain: boolean;
}

/** By key; null if the result does not have it. */
export type MeasureValues = Readonly<Record<string, number | null>>;

/** The numeric values of a chain. */
export function numbersIn(track: readonly (number | string | null)[] | undefined): number[] {
  return (track ?? []).filter((value) => typeof value === 'number');
}

/** Null if there are no values. */
export function mean(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** In per cent; null if there are no values. */
export function share(
  values: readonly number[],
  isCounted: (value: number) => boolean,
): number | null {
  return values.length === 0 ? null : (100 * values.filter(isCounted).length) / values.length;
}
