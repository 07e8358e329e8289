/** The distribution of the values of a column, and its outliers. Pure. */

interface Placed {
  readonly row: number;
  readonly value: number;
}

export interface Distribution {
  /** Ascending. */
  readonly values: readonly Placed[];
  readonly median: number;
  readonly quartiles: readonly [number, number];
  /** More than 1.5 times the interquartile range outside the quartiles; the farthest first. */
  readonly outliers: readonly Placed[];
}

/** With fewer values, outliers are not meaningful. */
const FEWEST_FOR_OUTLIERS = 8;

/** Null if there are no values. */
export function distributionOf(found: readonly Placed[]): Distribution | null {
  if (found.length === 0) return null;
  const values = [...found].sort((a, b) => a.value - b.value || a.row - b.row);
  const at = (part: number): number => quantile(values, part);
  const [low, median, high] = [at(0.25), at(0.5), at(0.75)];
  const reach = 1.5 * (high - low);
  const beyond = ({ value }: Placed): number => Math.max(low - reach - value, value - high - reach);
  const outliers =
    values.length < FEWEST_FOR_OUTLIERS ? [] : values.filter((one) => beyond(one) > 0);
  outliers.sort((a, b) => beyond(b) - beyond(a));
  return { values, median, quartiles: [low, high], outliers };
}

/** With linear interpolation, as in most programs. */
function quantile(values: readonly Placed[], part: number): number {
  const place = part * (values.length - 1);
  const low = values[Math.floor(place)]?.value ?? NaN;
  const high = values[Math.ceil(place)]?.value ?? NaN;
  return low + (high - low) * (place - Math.floor(place));
}

interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/** With more bins, many would be empty. */
const MOST_BINS = 24;
const LEAST_BINS = 6;

/** Of equal width; a few distinct integers have a bin each. */
export function binned({ values }: Pick<Distribution, 'values'>): readonly Bin[] {
  const wanted = Math.round(2 * Math.sqrt(values.length));
  const most = Math.min(MOST_BINS, Math.max(LEAST_BINS, wanted));
  const [low, high] = [values[0]?.value ?? 0, values.at(-1)?.value ?? 0];
  const isWhole = values.every(({ value }) => Number.isInteger(value));
  const span = high - low;
  const width =
    isWhole && span < most ? 1 : isWhole ? Math.ceil((span + 1) / most) : span / most || 1;
  const bins = Math.max(1, isWhole ? Math.ceil((span + 1) / width) : span === 0 ? 1 : most);
  const counts = new Array<number>(bins).fill(0);
  for (const { value } of values) {
    const bin = Math.min(bins - 1, Math.floor((value - low) / width));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts.map((count, bin) => ({
    from: low + bin * width,
    to: low + (bin + 1) * width,
    count,
  }));
}
