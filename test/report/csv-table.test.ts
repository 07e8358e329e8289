import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { csvLine, type Row } from '../../src/report/csv-table.ts';
import { guarded, unguarded } from '../../src/domain/formula-guard.ts';
import { ownCells } from '../../src/report/own-columns.ts';

function textOf(header: Row, rows: readonly Row[]): string {
  return [header, ...rows].map(csvLine).join('');
}

describe('a CSV table', () => {
  test('is read back unchanged by a CSV reader, whatever its cells contain', () => {
    const cell = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('a\rb', 'a\nb', '"', '""', ' a ', ',', '-1', '', '\r\n', '>p1\nMKV'),
    );
    const row = fc.array(cell, { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), (rows) => {
        const text = textOf(['id', 'a', 'b'], rows);
        const read: unknown = parse(text, { record_delimiter: '\n' });
        expect(read).toEqual([['id', 'a', 'b'], ...rows.map((cells) => cells.map(guarded))]);
      }),
    );
  });

  test('is read back unchanged by a reader that trims cells and treats a lone CR as a line end', () => {
    const cells = ['a\rb', ' blank before', 'blank behind ', 'c'];
    const text = textOf(['1', '2', '3', '4'], [cells]);
    const read: string[][] = parse(text, { trim: true, record_delimiter: ['\r\n', '\n', '\r'] });
    expect(read[1]).toEqual(cells);
  });
});

describe('a cell that a spreadsheet would execute', () => {
  test.each([
    '=1+1',
    "=cmd|' /C calc'!A0",
    '+SUM(A1)',
    '-2+3+cmd|x',
    '@SUM(1)',
    "'=1",
    "''@x",
    '＝1',
    '- 1',
  ])('%j gets an apostrophe', (cell) => {
    expect(guarded(cell)).toBe(`'${cell}`);
    expect(unguarded(guarded(cell))).toBe(cell);
  });

  /** If a spreadsheet takes semicolons or tabs for separators, our quotes are part of its cells. */
  test.each([
    ['foo;=HYPERLINK("x")', `foo;'=HYPERLINK("x")`],
    ['foo\n=1+1', `foo\n'=1+1`],
    ['a;-1;+2;-2+cmd|x', `a;-1;+2;'-2+cmd|x`],
    ['a;"=1"', `a;'"=1"`],
    ['\t=1', `'\t'=1`],
    ['\r=1', `'\r'=1`],
    ['\r\n=1', `'\r\n'=1`],
  ])('%j gets an apostrophe in the middle', (cell, written) => {
    expect(guarded(cell)).toBe(written);
    expect(unguarded(written)).toBe(cell);
  });

  test.each([
    ['\u001b]0;title\u0007', '\\u{1b}]0;title\\u{7}'],
    ['\u001b[2J', '\\u{1b}[2J'],
    ['a\u009b31m\u0000', 'a\\u{9b}31m\\u{0}'],
    ['as \\u{1b} it was', 'as \\u{5c}u{1b} it was'],
    ['\u001b=1', '\\u{1b}=1'],
    ['F/C=C\\F', 'F/C=C\\F'],
  ])('the control codes of %j are escaped', (cell, written) => {
    expect(guarded(cell)).toBe(written);
    expect(unguarded(written)).toBe(cell);
  });

  test.each([
    '-1',
    '+1',
    '-1.5e-3',
    '-1,5',
    '+10%',
    '-',
    '--',
    '-item_7',
    'C=C',
    '[OH-]',
    '',
    "'",
    "'tis",
    "'-1",
  ])('but %j is not changed', (cell) => expect(guarded(cell)).toBe(cell));
});

test('only the added prefix of a cell is removed', () => {
  const sign = fc.constantFrom("'", '=', '+', '-', '@', '\t', '\r', '\n', '＝', '1', 'x', ' ', '(');
  const cell = fc.oneof(
    fc.string(),
    fc.array(sign, { maxLength: 6 }).map((all) => all.join('')),
  );
  fc.assert(
    fc.property(cell, (written) => {
      expect(unguarded(guarded(written))).toBe(written);
    }),
  );
});

describe("a user's column with one of our names", () => {
  test('gets the suffix _user, again if that name is in use too, and no value is lost', () => {
    const own = { state: '1', State: '2', state_user: '3', project: '4' };
    expect([...ownCells(own, ['id', 'state'])]).toEqual([
      ['state_user_user', '1'],
      ['State_user_user_user', '2'],
      ['state_user', '3'],
      ['project', '4'],
    ]);
  });

  test('a column without a name is called _user', () => {
    expect([...ownCells({ '': '1', x: '2' }, ['id'])]).toEqual([
      ['_user', '1'],
      ['x', '2'],
    ]);
  });
});
