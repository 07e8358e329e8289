/** Colours of points: one for each category, or a scale of numbers. */
import { isNumeric, type CellValue, type Column } from '../items/columns.ts';
import type { Point } from './points.ts';

const SERIES = 6;
/** Visible on white and on black, and distinguishable with any colour vision. */
export const RAMP = ['#3b6fd4', '#2fa39b', '#e8b92e'] as const;

export interface Colours {
  readonly of: (value: CellValue) => string;
  /** Category → colour; null for numbers. */
  readonly entries: readonly (readonly [string, string])[] | null;
  /** Ends of the scale of numbers; null for categories. */
  readonly ends: readonly [number, number] | null;
}

const PLAIN = 'var(--series-1)';
const NONE = 'var(--missing)';

export function coloursOf(column: Column | null, points: readonly Point[]): Colours {
  if (column === null) return { of: () => PLAIN, entries: null, ends: null };
  return isNumeric(column) ? scale(points) : categories(points);
}

function categories(points: readonly Point[]): Colours {
  const values = [
    ...new Set(points.flatMap(({ colour }) => (colour === null ? [] : [String(colour)]))),
  ].sort();
  const colours = new Map(
    values.map((value, place) => [value, `var(--series-${(place % SERIES) + 1})`] as const),
  );
  return {
    of: (value) => colours.get(String(value)) ?? NONE,
    entries: [...colours],
    ends: null,
  };
}

function scale(points: readonly Point[]): Colours {
  const numbers = points.flatMap(({ colour }) => (typeof colour === 'number' ? [colour] : []));
  let [low, high] = [Infinity, -Infinity];
  for (const value of numbers) {
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  if (numbers.length === 0) return { of: () => NONE, entries: null, ends: null };
  return {
    of: (value) =>
      typeof value === 'number' ? rampColour((value - low) / (high - low || 1)) : NONE,
    entries: null,
    ends: [low, high],
  };
}

/** `part` from 0 to 1. */
function rampColour(part: number): string {
  const at = Math.min(1, Math.max(0, part)) * (RAMP.length - 1);
  const from = Math.min(RAMP.length - 2, Math.floor(at));
  const [one, other] = [channels(RAMP[from]), channels(RAMP[from + 1])];
  const mixed = one.map((channel, place) =>
    Math.round(channel + ((other[place] ?? 0) - channel) * (at - from)),
  );
  return `rgb(${mixed.join(' ')})`;
}

function channels(hex = '#000000'): readonly number[] {
  return [1, 3, 5].map((place) => parseInt(hex.slice(place, place + 2), 16));
}
