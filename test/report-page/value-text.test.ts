import { expect, test } from 'vitest';
import { valueText } from '../../src/report-page/item/value-text.ts';
import { packTrack } from '../../src/report-page/packing.ts';

test.each([
  ['complexity', [8, 9, null], 0, '8'],
  ['complexity', [8, 9, null], 2, '–'],
  ['agmata', [8, 0.25], 0, '8.000'],
  ['disoMine', [0.75, 0.25], 0, '0.750 disordered'],
])('the readout of %s in %j at %i is %s', (key, values, place, text) => {
  expect(valueText(key, packTrack(values), place)).toBe(text);
});
