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
  const counts = new Map<string, number>();
  for (const { colour } of points) {
    if (colour !== null) counts.set(String(colour), (counts.get(String(colour)) ?? 0) + 1);
  }
  const values = [...counts.keys()].sort();
  // Two categories of one colour could not be distinguished: the rarer ones are shown together.
  const own = new Set(values.length <= SERIES ? values : mostFrequent(counts, SERIES - 1));
  const colours = new Map(
    values.filter((value) => own.has(value)).map((value, place) => [value, series(place)] as const),
  );
  const others = values.length - own.size;
  const rest = series(SERIES - 1);
  const shared = [[`${others} others`, rest]] as const;
  return {
    of: (value) => (value === null ? NONE : (colours.get(String(value)) ?? rest)),
    entries: [...colours, ...(others > 0 ? shared : [])],
    ends: null,
  };
}

function series(place: number): string {
  return `var(--series-${place + 1})`;
}

function mostFrequent(counts: ReadonlyMap<string, number>, most: number): readonly string[] {
  return [...counts]
    .sort(([one, a], [other, b]) => b - a || (one < other ? -1 : 1))
    .slice(0, most)
    .map(([value]) => value);
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
