import { expect, test } from 'vitest';
import { isText, numbersOf, packTrack, wordsOf } from '../../src/report-page/packing.ts';

test('numbers come back with three decimals, gaps as gaps', () => {
  const packed = packTrack([0.73049, -10, null, 12.3456, 0]);
  expect(numbersOf(packed)).toEqual([0.73, -10, null, 12.346, 0]);
});

test('coarse ones with two', () => {
  expect(numbersOf(packTrack([0.7349, null], 100))).toEqual([0.73, null]);
});

test('words come back as they were', () => {
  const packed = packTrack([' PLD', ' PLD', null, ' RRM']);
  expect(isText(packed)).toBe(true);
  expect(wordsOf(packed)).toEqual([' PLD', ' PLD', null, ' RRM']);
});
