/** External texts in our markdown are shown literally. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { largest, oneLine, table, verbatim } from '../../../src/workflows/details/markdown.ts';

/** What a code span of CommonMark 0.31 (6.1) shows; null if the text is not a code span. */
function shown(markdown: string): string | null {
  const [, fence = '', inside = ''] = /^(`+)([^]*?)\1$/.exec(markdown) ?? [];
  const runs: string[] = inside.match(/`+/g) ?? [];
  if (fence === '' || inside.includes('\n') || runs.includes(fence)) return null;
  if (inside.startsWith('`') || inside.endsWith('`')) return null;
  const padded = /^ (.*[^ ].*) $/.exec(inside)?.[1];
  return padded ?? inside;
}

test.each([
  ['plain', 'plain'],
  ['<img src=x onerror=alert(1)>', '<img src=x onerror=alert(1)>'],
  ['[a](javascript:alert(1))', '[a](javascript:alert(1))'],
  ['a | b', 'a ¦ b'],
  ['`a` ``b``', '`a` ``b``'],
  ['# one\n| two\r\n---', '# one ¦ two ---'],
  ['\u202Egnp.exe', 'gnp.exe'],
])('%j is shown literally', (text, expected) => {
  expect(shown(verbatim(text))).toBe(expected);
});

test('an empty text is shown as a dash', () => {
  expect([verbatim(''), verbatim(' \n\u200b')]).toEqual(['—', '—']);
});

test('any text is one code span, on one line, without a cell separator', () => {
  const alphabet = fc.constantFrom(
    '`',
    '|',
    '\\',
    '<',
    '>',
    '[',
    ']',
    '(',
    ')',
    '*',
    '_',
    '#',
    '~',
    ' ',
    '\n',
    'a',
    '😀',
    '\u2028',
  );
  fc.assert(
    fc.property(fc.string({ unit: alphabet, maxLength: 40 }), (text) => {
      const markdown = verbatim(text);
      if (markdown === '—') return;
      expect(shown(markdown)).toBe(oneLine(text).replaceAll('|', '¦'));
      expect(markdown).not.toMatch(/[|\n]/);
    }),
  );
});

test('a long text is cut between characters', () => {
  expect(oneLine('😀'.repeat(10), 4)).toBe('😀😀😀…');
  expect(oneLine('😀'.repeat(4), 4)).toBe('😀😀😀😀');
});

test('a table has a rule, numbers aligned right, and space between its columns', () => {
  const columns = [{ title: 'code' }, { title: 'items', numbers: true }];
  expect(table(columns, [['`A`', 12]]).replaceAll('\u00a0', '.')).toBe(
    ['| code | ..items |', '| --- | ---: |', '| `A` | ..12 |'].join('\n'),
  );
});

test('of many counts the largest are shown, with the sum of the others', () => {
  expect(largest({ a: 1, b: 5, c: 3, d: 1 }, 2)).toEqual({
    shown: [
      ['b', 5],
      ['c', 3],
    ],
    others: 2,
  });
});
