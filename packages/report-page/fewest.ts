/** How much data a chart needs. Fewer values are shown as numbers: their chart is mostly empty. */

/** Values on an axis: dots in a strip, or points and bars of a plot. */
export const FEWEST_POINTS = 4;

/** Items in a histogram over time, and jobs in a curve. */
export const FEWEST_IN_CURVE = 12;

/** Part of the limit that the fullest window reached. Below it, the budget had no effect, and a sentence says so. */
export const FEWEST_OF_LIMIT = 0.5;
