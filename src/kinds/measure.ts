/** Numbers that characterise a whole result. */
import type { KindDefinition } from './kind.ts';

/** By key; null if the result does not have it. */
export type MeasureValues = Readonly<Record<string, number | null>>;

/** The values of a result's measures, rounded to the decimal places of each. */
export function measure(
  { measures }: Pick<KindDefinition, 'measures'>,
  result: unknown,
): MeasureValues {
  return Object.fromEntries(
    Object.entries(measures).map(([key, one]) => [key, roundTo(one.of(result), one.decimals)]),
  );
}

function roundTo(value: number | null, decimals: number): number | null {
  if (value === null || !Number.isFinite(value)) return null;
  // No negative zero, which a table would show with its sign.
  return Number(value.toFixed(decimals)) || 0;
}
