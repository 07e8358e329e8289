/** The visible part of a chain, and where it is drawn. */
export interface View {
  /** Of the drawing, in CSS pixels. */
  readonly width: number;
  /** Margin for axes and names, in CSS pixels. */
  readonly left: number;
  /** Positions from 0; `to` is the first one after the part. */
  readonly from: number;
  readonly to: number;
}

export const LEFT = 46;
export const RIGHT = 10;

/** Below this, letters would overlap, in CSS pixels. */
export const LEAST_FOR_LETTERS = 7;

/** Width of a position, in CSS pixels. */
export function stepOf({ width, left, from, to }: View): number {
  return (width - left - RIGHT) / (to - from);
}

/** The left edge of a position. */
export function edgeOf(view: View, place: number): number {
  return view.left + (place - view.from) * stepOf(view);
}

/** The minimum number of visible positions. */
const FEWEST = 10;

export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Zoomed by `factor`, with `centre` at its place, within the limits of the chain. */
export function zoomed(
  { from, to }: Stretch,
  length: number,
  factor: number,
  centre: number,
): Stretch {
  const size = Math.min(
    length,
    Math.max(Math.min(FEWEST, length), Math.round((to - from) * factor)),
  );
  const part = (centre - from) / (to - from);
  return within(Math.round(centre - part * size), size, length);
}

export function moved({ from, to }: Stretch, length: number, places: number): Stretch {
  return within(from + Math.round(places), to - from, length);
}

function within(from: number, size: number, length: number): Stretch {
  const start = Math.max(0, Math.min(length - size, from));
  return { from: start, to: start + size };
}
