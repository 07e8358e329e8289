import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PackedTrack } from '../../src/report-page/data.ts';
import {
  isText,
  numbersOf,
  packCurve,
  packTrack,
  placesOf,
  wordsOf,
} from '../../src/report-page/packing.ts';

test('numbers are unpacked with three decimals, gaps as gaps', () => {
  const packed = packTrack([0.73049, -1, null, 2.3456, 0]);
  expect(packed).toHaveProperty('letters');
  expect(numbersOf(packed)).toEqual([0.73, -1, null, 2.346, 0]);
  expect(placesOf(packed)).toBe(5);
});

test('numbers with a range too wide for letters are unpacked with three decimals', () => {
  const packed = packTrack([0.73049, -10, null, 12_345.6789]);
  expect(packed).not.toHaveProperty('letters');
  expect(numbersOf(packed)).toEqual([0.73, -10, null, 12_345.679]);
  expect(placesOf(packed)).toBe(4);
});

test('words are unpacked unchanged', () => {
  const packed = packTrack([' PLD', ' PLD', null, ' RRM']);
  expect(isText(packed)).toBe(true);
  expect(wordsOf(packed)).toEqual([' PLD', ' PLD', null, ' RRM']);
  expect(placesOf(packed)).toBe(4);
});

describe('values of any track', () => {
  const tracks = fc
    .double({ min: 1e-6, max: 1e6, noNaN: true })
    .chain((most) =>
      fc.array(fc.option(fc.double({ min: -most, max: most, noNaN: true })), { maxLength: 50 }),
    );

  test('keep three decimals', () => {
    fc.assert(
      fc.property(tracks, (track) => {
        expectNear(numbersOf(packTrack(track)), track, 0.000_501);
      }),
    );
  });

  test('are exact to a hundredth of the height of a curve, after conversion to JSON', () => {
    fc.assert(
      fc.property(tracks, (track) => {
        const packed = JSON.parse(JSON.stringify(packCurve(track))) as PackedTrack;
        const numbers = track.filter((value) => value !== null);
        const height = Math.max(...numbers, -Infinity) - Math.min(...numbers, Infinity);
        expectNear(numbersOf(packed), track, Math.max(0, height) / 100 + 0.001);
      }),
    );
  });
});

function expectNear(
  found: readonly (number | null)[],
  track: readonly (number | null)[],
  most: number,
): void {
  expect(found.map((value) => value === null)).toEqual(track.map((value) => value === null));
  for (const [place, value] of track.entries()) {
    expect(Math.abs((found[place] ?? 0) - (value ?? 0))).toBeLessThanOrEqual(most);
  }
}
