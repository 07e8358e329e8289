import { describe, expect, test } from 'vitest';
import { readStar, type StarFrame } from '../../../src/kinds/protein/star.ts';

function frames(text: string): readonly StarFrame[] {
  return readStar(text).filter(({ items, loops }) => items.size > 0 || loops.length > 0);
}

const WHOLE = `# a comment
data_x
save_one   # another
   _A.Name     'it''s 5'-end'
   _A.Other    "two words"
   _A.Not_comment  a#b
   _A.Text
;
loop_ is a word here
save_ and # too
;
   loop_
      _B.ID
      _B.Value
      1 'x y' 2
      "."
      3 loop_5
   stop_
save_
`;

test('reads bare and quoted values and text blocks, in items and loops', () => {
  for (const text of [WHOLE, WHOLE.replaceAll('\n', '\r\n'), WHOLE.replaceAll('\n', '\r')]) {
    const [frame] = frames(text);
    expect(frame?.name).toBe('one');
    expect([...(frame?.items ?? [])]).toEqual([
      ['_a.name', "it''s 5'-end"],
      ['_a.other', 'two words'],
      ['_a.not_comment', 'a#b'],
      ['_a.text', '\nloop_ is a word here\nsave_ and # too'],
    ]);
    expect(frame?.loops).toEqual([
      {
        tags: ['_b.id', '_b.value'],
        line: 12,
        rows: [
          { values: ['1', 'x y'], line: 15 },
          { values: ['2', '.'], line: 15 },
          { values: ['3', 'loop_5'], line: 17 },
        ],
      },
    ]);
  }
});

test('a loop may end without stop_, and a tag may be outside save frames', () => {
  const text = 'data_x\n_top 1\nloop_ _a 1 2 loop_ _b 3\nsave_f _c 4 loop_ _d 5 save_\n';
  expect(frames(text).map(({ name, items, loops }) => [name, items.size, loops.length])).toEqual([
    ['', 1, 2],
    ['f', 1, 1],
  ]);
});

describe('invalid STAR is reported with its line', () => {
  test.each([
    ["data_x\n_a 'open\n_b 2\n", 2, /quote ' is not closed/],
    ['data_x\n_a\n;\nno end\n', 3, /has no end/],
    ['data_x\nvalue\n', 2, /without a tag/],
    ['data_x\nloop_\n1\n', 3, /no tags/],
    ['data_x\nloop_\n_a\n_b\n1 2\n3\nstop_\n', 6, /fewer than 2 values/],
    ['data_x\nsave_a\nsave_b\n', 3, /inside another/],
    ['data_x\nsave_a\n_a 1\n', 4, /ends inside a save frame/],
    ['data_x\n_a 1\ndata_y\n', 3, /second data block/],
  ])('%j', (text, line, reason) => {
    const message = expect.stringMatching(reason) as string;
    expect(() => readStar(text)).toThrow(expect.objectContaining({ line, message }));
  });
});
