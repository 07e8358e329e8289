/** Text in terminal columns: cut and aligned by display width, not by character count. */
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { beside, cut, cutText, painted, span, widthOf } from '../../../src/cli/text/line.ts';

test.each([
  ['aspirin', 7, 'aspirin'],
  ['aspirin', 6, 'aspir…'],
  ['电荷不对', 8, '电荷不对'],
  ['电荷不对', 7, '电荷不…'],
  ['电荷不对', 6, '电荷…'],
  ['e\u0301te\u0301', 3, 'e\u0301te\u0301'],
  ['👩‍🔬👩‍🔬', 3, '👩‍🔬…'],
  ['aspirin', 0, ''],
])('%s is shown in %i columns', (text, columns, shown) => {
  expect(cutText(text, columns)).toBe(shown);
  expect(stringWidth(cutText(text, columns))).toBeLessThanOrEqual(columns);
});

test('a line of several parts is cut to its total width, and ends with an ellipsis', () => {
  const line = [span('电荷', 'bad'), span('  '), span('mol-1')];
  expect(widthOf(line)).toBe(11);
  expect(painted(cut(line, 11), false)).toBe('电荷  mol-1');
  for (let columns = 1; columns < 11; columns += 1) {
    const shown = painted(cut(line, columns), false);
    expect(stringWidth(shown)).toBeLessThanOrEqual(columns);
    expect(shown.endsWith('…')).toBe(true);
  }
});

test('texts on the right are aligned in one column', () => {
  const left = [[span('电荷')], [], [span('a line that is far too long')]];
  const right = [[span('x')], [span('y')], [span('z')]];
  const lines = beside(left, right, 12).map((line) => painted(line, false));
  expect(lines.map((line) => stringWidth(line))).toEqual([13, 13, 13]);
});
