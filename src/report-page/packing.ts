/** Numbers along a chain, packed as the page is given them, and unpacked: the same three decimals on both sides. */
import type { Track } from '../results/reading.ts';
import type { PackedTrack } from './data.ts';

/** Three decimals are what the services' own CSV has. */
const PARTS = 1000;

export function packTrack(track: Track, parts = PARTS): PackedTrack {
  if (!track.some((value) => typeof value === 'string')) {
    return {
      values: track.map((value) =>
        typeof value === 'number' ? (Math.round(value * parts) * PARTS) / parts : null,
      ),
    };
  }
  const words = [...new Set(track.filter((value) => value !== null).map(String))];
  const places = new Map(words.map((word, place) => [word, place]));
  return {
    words,
    places: track.map((value) => (value === null ? null : (places.get(String(value)) ?? null))),
  };
}

export function isText(
  track: PackedTrack,
): track is Extract<PackedTrack, { words: readonly string[] }> {
  return 'words' in track;
}

/** Numbers; null where there is none, and for text. */
export function numbersOf(track: PackedTrack | undefined): readonly (number | null)[] {
  if (track === undefined || isText(track)) return [];
  return track.values.map((value) => (value === null ? null : value / PARTS));
}

/** Text; null where there is none. */
export function wordsOf(track: PackedTrack): readonly (string | null)[] {
  if (!isText(track)) return [];
  return track.places.map((place) => (place === null ? null : (track.words[place] ?? null)));
}
