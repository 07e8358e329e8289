/** The values under the cursor, with their meaning. */
import { isText, numbersOf, wordsOf } from '../packing.ts';
import type { PackedTrack } from '../data.ts';
import { meaningOf, predictorOf } from './predictors.ts';

interface ReadoutProps {
  readonly head: string;
  readonly tracks: Readonly<Record<string, PackedTrack>>;
  readonly place: number;
}

export function Readout({ head, tracks, place }: ReadoutProps) {
  return (
    <>
      <strong>{head}</strong>
      {Object.entries(tracks).map(([key, track]) => (
        <span key={key} class="value">
          <span class="quiet">{predictorOf(key).title}</span> {valueText(key, track, place)}
        </span>
      ))}
    </>
  );
}

/** `0.812 rigid`; – if there is none. */
export function valueText(key: string, track: PackedTrack, place: number): string {
  if (isText(track)) return wordsOf(track)[place]?.trim() ?? '–';
  const value = numbersOf(track)[place] ?? null;
  if (value === null) return '–';
  const meaning = meaningOf(key, value);
  return meaning === null ? value.toFixed(3) : `${value.toFixed(3)} ${meaning}`;
}
