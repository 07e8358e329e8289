import { describe, expect, test } from 'vitest';
import { compareReadings } from '../../src/recompute/compare-readings.ts';
import { parseShare, sampleOf, sizeOf } from '../../src/recompute/share.ts';
import type { SequenceReading } from '../../src/results/reading.ts';

function sequence(name: string, backbone: readonly (number | null)[]): SequenceReading {
  const residues = 'M'.repeat(backbone.length);
  return { kind: 'sequence', proteins: [{ name, residues, tracks: { backbone }, scores: {} }] };
}

describe('two predictions', () => {
  const told = sequence('p', [0.5, null, 0.7]);

  test('agree within the rounding of a service', () => {
    const now = compareReadings(told, sequence('p', [0.5004, null, 0.7]));
    expect(now).toMatchObject({ agrees: true, detail: '1 sequence, 3 values within 4.0e-4' });
  });

  test.each([
    ['a value', sequence('p', [0.5, null, 0.72]), /backbone of p, place 3 differs by 0.020/],
    ['a missing value', sequence('p', [0.5, null, null]), /place 3/],
    ['a length', sequence('p', [0.5, null]), /other residues/],
    ['a number of sequences', { ...told, proteins: [] }, /0 sequences, not 1/],
  ])('differ in %s', (_, now, words) => {
    const { agrees, detail } = compareReadings(told, now);
    expect([agrees, detail]).toEqual([false, expect.stringMatching(words)]);
  });
});

describe('a sample', () => {
  const names = Array.from({ length: 200 }, (_, n) => `molecules/m-${n}`);

  test('is a share, rounded up, or a number, and at least one', () => {
    expect(sizeOf(parseShare('1%'), 150)).toBe(2);
    expect(sizeOf(parseShare('0.1%'), 10)).toBe(1);
    expect(sizeOf(parseShare('20'), 150)).toBe(20);
    expect(sizeOf(parseShare('20'), 5)).toBe(5);
  });

  test.each(['', '0', '-1', '101%', '1.5', 'all'])('"%s" is refused', (text) => {
    expect(() => parseShare(text)).toThrow(expect.objectContaining({ code: 'RECOMPUTE_SHARE' }));
  });

  test('is the same for the same seed, differs for another one, and is spread', () => {
    const one = sampleOf(names, 20, 'a');
    expect(sampleOf(names, 20, 'a')).toEqual(one);
    expect(sampleOf(names, 20, 'b')).not.toEqual(one);
    expect(one.length).toBe(20);
    const places = one.map((name) => names.indexOf(name));
    expect(places.toSorted((a, b) => a - b)).toEqual(places);
    expect(Math.max(...places) - Math.min(...places)).toBeGreaterThan(100);
  });
});
