import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PackedTrack } from '../../src/kinds/page-data.ts';
import {
  isText,
  numbersOf,
  packCurve,
  packTrack,
  placesOf,
  wordsOf,
} from '../../src/kinds/protein/packing.ts';

type Numbers = readonly (number | null)[];

const tracks = fc
  .double({ min: 1e-6, max: 1e6, noNaN: true })
  .chain((most) =>
    fc.array(fc.option(fc.double({ min: -most, max: most, noNaN: true })), { maxLength: 50 }),
  );

/** Unpacked after conversion to JSON, with gaps as gaps. */
function expectNear(packed: PackedTrack, track: Numbers, most: number): void {
  const read = JSON.parse(JSON.stringify(packed)) as PackedTrack;
  const found = numbersOf(read);
  expect(placesOf(read)).toBe(track.length);
  expect(found.map((value) => value === null)).toEqual(track.map((value) => value === null));
  for (const [place, value] of track.entries()) {
    expect(Math.abs((found[place] ?? 0) - (value ?? 0))).toBeLessThanOrEqual(most);
  }
}

test('numbers keep three decimals, and a curve a hundredth of its height, in any range', () => {
  expect(packTrack([0.73049, -1, null, 2.3456, 0])).toHaveProperty('letters');
  // Too wide a range for letters.
  expect(packTrack([0.73049, -10, null, 12_345.6789])).not.toHaveProperty('letters');
  fc.assert(
    fc.property(tracks, (track) => {
      expectNear(packTrack(track), track, 0.000_501);
      const numbers = track.filter((value) => value !== null);
      const height = Math.max(...numbers, -Infinity) - Math.min(...numbers, Infinity);
      expectNear(packCurve(track), track, Math.max(0, height) / 100 + 0.001);
    }),
  );
});

test('words are unpacked unchanged', () => {
  const packed = packTrack([' PLD', ' PLD', null, ' RRM']);
  expect([isText(packed), placesOf(packed)]).toEqual([true, 4]);
  expect(wordsOf(packed)).toEqual([' PLD', ' PLD', null, ' RRM']);
});
