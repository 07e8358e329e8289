/**
 * Results of predictions in the format of the report's page, and numbers along a chain, packed and unpacked. A large
 * report has tens of millions of them: each is one or two letters, a number of steps above the minimum of its track.
 */
import {
  type AlignmentReading,
  type ColumnSpread,
  type ProteinReading,
  type SequenceReading,
  type ShiftsReading,
  SPREAD_KEYS,
  type Track,
} from './reading.ts';

/** Values along a chain, one per position; null for no value. Values that cannot be packed are kept unchanged. */
export type PackedTrack =
  | PackedLetters
  | { readonly values: readonly (number | null)[] }
  | { readonly words: readonly string[]; readonly places: readonly (number | null)[] };

/** Each value is `from` plus a number of steps, encoded in `width` letters. */
interface PackedLetters {
  readonly letters: string;
  readonly width: 1 | 2;
  readonly from: number;
  readonly step: number;
}

export type PackedProtein = Omit<ProteinReading, 'tracks'> & {
  readonly tracks: Readonly<Record<string, PackedTrack>>;
};

export type PackedSpread = Readonly<Record<keyof ColumnSpread, PackedTrack>>;

export function packSequences({ proteins }: SequenceReading) {
  return {
    shape: 'proteins' as const,
    proteins: proteins.map((one) => packProtein(one, packTrack)),
  };
}

export function packAlignment({ columns, proteins, spreads }: AlignmentReading) {
  return {
    shape: 'aligned' as const,
    columns,
    proteins: proteins.map((one) => packProtein(one, packCurve)),
    spreads: Object.fromEntries(
      Object.entries(spreads).map(([key, spread]) => {
        const packed = SPREAD_KEYS.map((name) => [name, packTrack(spread[name])]);
        return [key, Object.fromEntries(packed) as PackedSpread] as const;
      }),
    ),
  };
}

export function packShifts({ chains }: ShiftsReading) {
  return {
    shape: 'chains' as const,
    chains: chains.map((chain) => ({ ...chain, shiftCrypt: packTrack(chain.shiftCrypt) })),
  };
}

function packProtein(
  { tracks, ...protein }: ProteinReading,
  pack: (track: Track) => PackedTrack,
): PackedProtein {
  // A predictor may have no value for the whole chain.
  const filled = Object.entries(tracks).filter(([, track]) =>
    track.some((value) => value !== null && value !== ''),
  );
  return {
    ...protein,
    tracks: Object.fromEntries(filled.map(([key, track]) => [key, pack(track)])),
  };
}

/** The services' own CSV has three decimals. */
const PARTS = 1000;
/** Steps of a curve have five decimals. */
const SHORT = 100_000;

/** ASCII from `#` on without the backslash, so JSON needs no escapes. */
const LETTERS = Array.from({ length: 91 }, (_, n) => String.fromCharCode(35 + n))
  .join('')
  .replace('\\', '');
const RADIX = LETTERS.length;
const DIGITS = new Map([...LETTERS].map((letter, digit) => [letter, digit]));
/** The last letter, or pair of letters, means no value. */
const MOST_STEPS = { 1: RADIX - 2, 2: RADIX * RADIX - 2 } as const;

/** With three decimals. */
export function packTrack(track: Track): PackedTrack {
  const [low, high] = findRange(track);
  if (track.some(isWord)) return packWords(track);
  if ((high - low) * PARTS <= MOST_STEPS[2]) return packLetters(track, 2, low, 1 / PARTS);
  return { values: track.map((value) => (typeof value === 'number' ? rounded(value) : null)) };
}

/** With the precision of a drawn line: for the many rows of an alignment. */
export function packCurve(track: Track): PackedTrack {
  const [low, high] = findRange(track);
  if (track.some(isWord)) return packWords(track);
  // Rounded up to a short number, because it is stored for each track, like `low`.
  const step = (Math.floor(((high - low) / MOST_STEPS[1]) * SHORT) + 1) / SHORT;
  return packLetters(track, 1, low, step);
}

function isWord(value: Track[number]): boolean {
  return typeof value === 'string';
}

function packWords(track: Track): PackedTrack {
  const words = [...new Set(track.filter((value) => value !== null).map(String))];
  return {
    words,
    places: track.map((value) => (value === null ? null : words.indexOf(String(value)))),
  };
}

/** The lowest number and the highest; both 0 if there is none. */
function findRange(track: Track): readonly [low: number, high: number] {
  const numbers = track.filter((value) => typeof value === 'number');
  const [first = 0] = numbers;
  const low = numbers.reduce((one, other) => Math.min(one, other), first);
  const high = numbers.reduce((one, other) => Math.max(one, other), first);
  // Rounded down, or a step would be negative.
  return [Math.floor(low * PARTS) / PARTS, high];
}

function rounded(value: number): number {
  return Math.round(value * PARTS) / PARTS;
}

function packLetters(track: Track, width: 1 | 2, from: number, step: number): PackedLetters {
  const none = MOST_STEPS[width] + 1;
  const letters = track.map((value) => {
    const steps = typeof value === 'number' ? Math.round((value - from) * (1 / step)) : none;
    const last = LETTERS.charAt(steps % RADIX);
    return width === 1 ? last : LETTERS.charAt(Math.floor(steps / RADIX)) + last;
  });
  return { letters: letters.join(''), width, from, step };
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
  if ('values' in track) return track.values;
  const { letters, width, from, step } = track;
  return Array.from({ length: letters.length / width }, (_, place) => {
    let steps = 0;
    for (let at = place * width; at < (place + 1) * width; at += 1) {
      steps = steps * RADIX + (DIGITS.get(letters.charAt(at)) ?? 0);
    }
    return steps > MOST_STEPS[width] ? null : rounded(from + steps * step);
  });
}

/** Text; null for no value. */
export function wordsOf(track: PackedTrack): readonly (string | null)[] {
  if (!isText(track)) return [];
  return track.places.map((place) => (place === null ? null : (track.words[place] ?? null)));
}
