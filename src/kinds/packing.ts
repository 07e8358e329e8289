/**
 * Packs numbers along a chain for the page, and unpacks them. A large report has tens of millions of them: each is one
 * or two letters, a number of steps above the minimum of its track.
 */
import type { Track } from './reading.ts';
import type { PackedLetters, PackedTrack } from './page-data.ts';

/** The services' own CSV has three decimals. */
const PARTS = 1000;

/** ASCII from `#` on without the backslash, so JSON needs no escapes. */
const FIRST = 35;
const BACKSLASH = 92;
const RADIX = 90;
/** The last letter, or pair of letters, means no value. */
const MOST_STEPS = { 1: RADIX - 2, 2: RADIX * RADIX - 2 } as const;

/** Steps of a curve have five decimals. */
const SHORT = 100_000;

let scratch = new Uint8Array(4096);
const ASCII = new TextDecoder('latin1');

/** With three decimals. */
export function packTrack(track: Track): PackedTrack {
  const found = bounds(track);
  if (found === null) return packWords(track);
  const { low, high } = found;
  const from = floored(low);
  if ((high - from) * PARTS <= MOST_STEPS[2]) return letters(track, 2, from, 1 / PARTS);
  return { values: track.map((value) => (typeof value === 'number' ? rounded(value) : null)) };
}

/** With the precision of a drawn line: for the many rows of an alignment. */
export function packCurve(track: Track): PackedTrack {
  const found = bounds(track);
  if (found === null) return packWords(track);
  const { low, high } = found;
  const from = floored(low);
  // Rounded up to a short number, because it is stored for each track, like `from`.
  const step = (Math.floor(((high - from) / MOST_STEPS[1]) * SHORT) + 1) / SHORT;
  return letters(track, 1, from, step);
}

function packWords(track: Track): PackedTrack {
  const words = [...new Set(track.filter((value) => value !== null).map(String))];
  const places = new Map(words.map((word, place) => [word, place]));
  return {
    words,
    places: track.map((value) => (value === null ? null : (places.get(String(value)) ?? null))),
  };
}

const rounded = (value: number): number => Math.round(value * PARTS) / PARTS;
/** Rounded down, or a step would be negative. */
const floored = (value: number): number => Math.floor(value * PARTS) / PARTS;

/** Both 0 if there is no number; null if there is text. */
function bounds(track: Track): { readonly low: number; readonly high: number } | null {
  let low = Infinity;
  let high = -Infinity;
  for (const value of track) {
    if (typeof value === 'string') return null;
    if (value === null) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? { low, high } : { low: 0, high: 0 };
}

function letters(track: Track, width: 1 | 2, from: number, step: number): PackedLetters {
  const length = track.length * width;
  if (length > scratch.length) scratch = new Uint8Array(2 * length);
  const none = MOST_STEPS[width] + 1;
  const inSteps = 1 / step;
  let at = 0;
  for (const value of track) {
    // Rounded by a bitwise `|`, which is much faster for non-negative numbers.
    const steps = typeof value === 'number' ? ((value - from) * inSteps + 0.5) | 0 : none;
    if (width === 2) scratch[at++] = LETTERS[(steps / RADIX) | 0] ?? 0;
    scratch[at++] = LETTERS[steps % RADIX] ?? 0;
  }
  return { letters: ASCII.decode(scratch.subarray(0, length)), width, from, step };
}

const LETTERS = Uint8Array.from({ length: RADIX }, (_, digit) =>
  FIRST + digit < BACKSLASH ? FIRST + digit : FIRST + digit + 1,
);

function digitOf(letter: number): number {
  return letter - FIRST - (letter > BACKSLASH ? 1 : 0);
}

export function isText(
  track: PackedTrack,
): track is Extract<PackedTrack, { words: readonly string[] }> {
  return 'words' in track;
}

/** The number of positions of the track. */
export function placesOf(track: PackedTrack): number {
  if (isText(track)) return track.places.length;
  return 'values' in track ? track.values.length : track.letters.length / track.width;
}

/** Numbers; null for no value, and for text. */
export function numbersOf(track: PackedTrack | undefined): readonly (number | null)[] {
  if (track === undefined || isText(track)) return [];
  return 'values' in track ? track.values : numbersOfLetters(track);
}

function numbersOfLetters({ letters, width, from, step }: PackedLetters): (number | null)[] {
  return Array.from({ length: letters.length / width }, (_, place) => {
    const low = digitOf(letters.charCodeAt(place * width + width - 1));
    const steps = width === 1 ? low : digitOf(letters.charCodeAt(place * width)) * RADIX + low;
    return steps > MOST_STEPS[width] ? null : rounded(from + steps * step);
  });
}

/** Text; null for no value. */
export function wordsOf(track: PackedTrack): readonly (string | null)[] {
  if (!isText(track)) return [];
  return track.places.map((place) => (place === null ? null : (track.words[place] ?? null)));
}
