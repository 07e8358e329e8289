import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seriesOf } from '../../src/report-page/compare/series.ts';
import { together } from '../../src/report-page/item/line.ts';
import { edgeOf, moved, stepOf, zoomed } from '../../src/report-page/item/view.ts';
import { packTrack } from '../../src/report-page/packing.ts';

describe('the stretch of a chain', () => {
  test('stays within the chain when it is zoomed and moved', () => {
    const steps = fc.array(fc.tuple(fc.boolean(), fc.double({ min: 0.1, max: 10, noNaN: true })));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), steps, (length, all) => {
        let stretch = { from: 0, to: length };
        for (const [isZoom, by] of all) {
          const centre = stretch.from + Math.floor((stretch.to - stretch.from) / 2);
          stretch = isZoom
            ? zoomed(stretch, length, by, centre)
            : moved(stretch, length, (by - 5) * 20);
          expect(stretch.from).toBeGreaterThanOrEqual(0);
          expect(stretch.to).toBeLessThanOrEqual(length);
          expect(stretch.to - stretch.from).toBeGreaterThanOrEqual(Math.min(10, length));
        }
      }),
    );
  });

  test('fills the space between the margins', () => {
    const view = { width: 1056, left: 46, from: 20, to: 30 };
    expect(stepOf(view)).toBe(100);
    expect(edgeOf(view, 20)).toBe(46);
    expect(edgeOf(view, 30)).toBe(1046);
  });
});

test('helix, sheet and coil are drawn together, at the position of the first', () => {
  const line = (key: string) => ({ key, values: [] });
  const drawn = together(['backbone', 'helix', 'sheet', 'ppII', 'coil'].map(line));
  expect(drawn.map((lines) => lines.map(({ key }) => key).join(' '))).toEqual([
    ...['backbone', 'helix sheet coil', 'ppII'],
  ]);
});

test('lines of several items are overlaid by predictor, skipping missing ones', () => {
  const protein = (tracks: Record<string, (number | string | null)[]>) => ({
    name: 'p',
    residues: '',
    scores: {},
    tracks: Object.fromEntries(Object.entries(tracks).map(([key, of]) => [key, packTrack(of)])),
  });
  const series = seriesOf([
    {
      id: 'a',
      detail: {
        result: {
          kind: 'sequence',
          proteins: [protein({ viterbi: ['x'], agmata: [1], backbone: [0.5] })],
        },
      },
    },
    { id: 'b', detail: { result: { kind: 'sequence', proteins: [protein({ backbone: [0.7] })] } } },
    {
      id: 'c',
      detail: {
        result: {
          kind: 'shifts',
          chains: [
            {
              name: 'c',
              chain: 'A',
              residues: 'MK',
              numbers: [1, 2],
              shiftCrypt: packTrack([-10, 0.5]),
            },
          ],
        },
      },
    },
    { id: 'd', detail: { result: null } },
  ]);
  expect([...series]).toEqual([
    [
      'backbone',
      [
        { name: 'a', values: [0.5] },
        { name: 'b', values: [0.7] },
      ],
    ],
    ['agmata', [{ name: 'a', values: [1] }]],
    ['shiftCrypt', [{ name: 'c', values: [null, 0.5] }]],
  ]);
});
