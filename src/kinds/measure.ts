/** Numbers that characterise a whole result. */
import type { KindDefinition } from './kind.ts';

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

/** The values of a result's measures, rounded to the decimal places of each. */
export function measure(
  { measures }: Pick<KindDefinition, 'measures'>,
  result: unknown,
): MeasureValues {
  return Object.fromEntries(
    Object.entries(measures).map(([key, one]) => [key, rounded(one.of(result), one.decimals)]),
  );
}

function rounded(value: number | null, decimals: number): number | null {
  if (value === null || !Number.isFinite(value)) return null;
  // No negative zero, which a table would show with its sign.
  return Number(value.toFixed(decimals)) || 0;
}
