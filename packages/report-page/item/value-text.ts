/** The value of one position in words. */
import type { PackedTrack } from '../../../src/kinds/page-data.ts';
import { isText, numbersOf, wordsOf } from '../../../src/kinds/protein/packing.ts';
import { meaningOf } from './predictors.ts';

/** `0.812 rigid`; – if there is none. No decimals if all values are integers: `8`. */
export function valueText(key: string, track: PackedTrack, place: number): string {
  if (isText(track)) return wordsOf(track)[place]?.trim() ?? '–';
  const values = numbersOf(track);
  const value = values[place] ?? null;
  if (value === null) return '–';
  const isCount = values.every((one) => one === null || Number.isInteger(one));
  const text = value.toFixed(isCount ? 0 : 3);
  const meaning = meaningOf(key, value);
  return meaning === null ? text : `${text} ${meaning}`;
}
