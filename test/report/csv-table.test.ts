/** What is written into a cell. That a reader gives it back: cells.property.test.ts. */
import { describe, expect, test } from 'vitest';
import { guardCell, unguardCell } from '../../src/domain/plain-text.ts';
import { renameOwnCells } from '../../src/report/csv-table.ts';

describe('a cell that a spreadsheet would execute gets an apostrophe, and control codes are escaped', () => {
  test.each([
    ['=1+1', "'=1+1"],
    ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
    ['+SUM(A1)', "'+SUM(A1)"],
    ['-2+3+cmd|x', "'-2+3+cmd|x"],
    ['@SUM(1)', "'@SUM(1)"],
    ["'=1", "''=1"],
    ['＝1', "'＝1"],
    ['- 1', "'- 1"],
    // If a spreadsheet takes semicolons or tabs for separators, our quotes are part of its cells.
    ['foo;=HYPERLINK("x")', `foo;'=HYPERLINK("x")`],
    ['foo\n=1+1', `foo\n'=1+1`],
    ['a;-1;+2;-2+cmd|x', `a;-1;+2;'-2+cmd|x`],
    ['a;"=1"', `a;'"=1"`],
    ['\t=1', `'\t'=1`],
    ['\r\n=1', `'\r\n'=1`],
    ['\u001b]0;title\u0007', '\\u{1b}]0;title\\u{7}'],
    ['a\u009b31m\u0000', 'a\\u{9b}31m\\u{0}'],
    ['as \\u{1b} it was', 'as \\u{5c}u{1b} it was'],
    ['F/C=C\\F', 'F/C=C\\F'],
  ])('%j', (cell, written) => {
    expect(guardCell(cell)).toBe(written);
    expect(unguardCell(written)).toBe(cell);
  });

  test.each([
    ...['-1', '+1', '-1.5e-3', '-1,5', '+10%', '-', '--', '-item_7', 'C=C', '[OH-]', '', "'"],
    ...["'tis", "'-1"],
  ])('but %j is not changed', (cell) => expect(guardCell(cell)).toBe(cell));
});

test("a user's column with one of our names gets the suffix _user, and no value is lost", () => {
  const own = { state: '1', State: '2', state_user: '3', project: '4', '': '5' };
  expect(Object.entries(renameOwnCells(own, ['id', 'state']))).toEqual([
    ['state_user_user', '1'],
    ['State_user_user_user', '2'],
    ['state_user', '3'],
    ['project', '4'],
    ['_user', '5'],
  ]);
});
