/** The pure parts of `npm run bench:peers`: its counts, sums and pictures. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Arrival } from '../../bench/command.ts';
import { countRun, linesOf, nextAccepted, type Figures } from '../../bench/peers/figures.ts';
import { picture } from '../../bench/peers/picture.ts';
import { tables, withTables, type Measured } from '../../bench/peers/table.ts';
import { Family, parseStat, type Process } from '../../bench/peers/usage.ts';
import { lowerBound } from '../../bench/window.ts';

const CASE = { items: 100, limit: 20, windowSeconds: 10, jobSeconds: 1.5 };

const accepted = (at: number, name: string | null): Arrival => ({
  at,
  status: 200,
  accepted: 1,
  name,
});
const refused = (at: number, status: number, name: string): Arrival => ({
  at,
  status,
  accepted: 0,
  name,
});

describe('the lower bound', () => {
  test.each([
    [100, 41.5],
    [101, 51.5],
    [20, 1.5],
    [1, 1.5],
  ])('of %i items is %f s', (items, seconds) => {
    expect(lowerBound({ ...CASE, items })).toBe(seconds);
  });
});

describe('a run, counted from the journal of the service', () => {
  test('has refused, repeated and duplicate submissions, lost items and a makespan', () => {
    const arrivals = [
      refused(500, 429, 'a'),
      accepted(1_000, 'a'),
      accepted(1_100, 'b'),
      refused(1_200, 409, 'a'),
      accepted(4_000, 'a again'),
    ];
    const done = [
      { id: 'a', at: 3_000 },
      { id: 'b', at: 5_500 },
    ];
    expect(countRun(arrivals, done, 3)).toEqual({
      refused: 1,
      repeated: 1,
      duplicates: 0,
      lost: 1,
      makespan: 4.5,
    });
    expect(countRun(arrivals, done, 2).duplicates).toBe(1);
  });

  test('counts jobs without a name', () => {
    const arrivals = [accepted(1, null), accepted(2, null), accepted(3, null)];
    expect(countRun(arrivals, [{ id: 'a', at: 9 }], 2).duplicates).toBe(1);
  });

  test('counts an item with two files once', () => {
    const done = [
      { id: 'a', at: 1 },
      { id: 'a', at: 2 },
    ];
    expect(countRun([accepted(0, 'a')], done, 2).lost).toBe(1);
  });

  test('continues after a kill with the next accepted job', () => {
    const arrivals = [accepted(1_000, 'a'), refused(3_000, 429, 'b'), accepted(5_000, 'b')];
    expect(nextAccepted(arrivals, 2_000)).toBe(3);
    expect(nextAccepted(arrivals, 6_000)).toBe(Infinity);
  });
});

describe("lines of the user's program", () => {
  test('are those with more than a comment', () => {
    expect(linesOf('/** what\n * it is */\nconst a = 1; // one\n\n// no\n  # no\nb: 2\n')).toBe(2);
    expect(linesOf('"""What it is\nfor."""\nimport os\n')).toBe(1);
  });
});

describe('CPU time', () => {
  const one = (pid: number, parent: number, ticks: number, name = 'node'): Process => ({
    pid,
    parent,
    session: 1,
    name,
    ticks,
    startedAt: pid,
  });

  test('is read from a line of /proc, whatever characters the name of the program has', () => {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    expect(parseStat(stat)).toMatchObject({ pid: process.pid, parent: process.ppid });
    const words = Array.from({ length: 52 }, (_, n) => String(n + 1));
    const line = ['7', '(a b) c)', ...words.slice(2)].join(' ');
    expect(parseStat(line)).toEqual({
      pid: 7,
      parent: 4,
      session: 6,
      name: 'a b) c',
      ticks: 14 + 15 + 16 + 17,
      startedAt: 22,
    });
  });

  test('of an ended child is counted once', () => {
    const family = new Family([10]);
    family.look([one(10, 1, 100), one(11, 10, 50)]);
    expect(family.seconds('program')).toBe(1.5);
    // The parent has waited for it: its time is included in the parent's.
    family.look([one(10, 1, 160)]);
    expect(family.seconds('program')).toBe(1.6);
  });

  test('of a child whose parent was killed is kept', () => {
    const family = new Family([10]);
    family.look([one(10, 1, 100), one(11, 10, 50)]);
    family.look([{ ...one(11, 1, 80), session: 99 }]);
    expect(family.seconds('program')).toBe(1.8);
    family.look([]);
    expect(family.seconds('program')).toBe(1.8);
  });

  test('of a server started by a program is not counted as the program', () => {
    const family = new Family([10]);
    family.look([one(10, 1, 100), one(11, 10, 50, 'temporal')]);
    family.look([one(10, 1, 150)]);
    expect(family.seconds('server')).toBe(0.5);
    expect(family.seconds('program')).toBe(1);
  });

  test('of other processes does not count', () => {
    const family = new Family([10]);
    family.look([one(10, 1, 100), { ...one(12, 1, 900), session: 12 }]);
    expect(family.seconds('program')).toBe(1);
  });
});

const FIGURES: Figures = {
  refused: 3,
  repeated: 2,
  duplicates: 0,
  lost: 0,
  makespan: 83,
  whole: 90,
  usage: {
    program: { seconds: 1.23, megabytes: 45.6 },
    server: { seconds: 0.5, megabytes: 7 },
  },
};
const MEASURED: Measured = {
  about: 'a machine',
  case: CASE,
  rows: [
    {
      name: 'one',
      title: 'One',
      resumes: 'yes',
      lines: 12,
      shared: 34,
      versions: 'one 1.0.0',
      quiet: FIGURES,
      killed: { ...FIGURES, recovery: 4.21 },
    },
    { name: 'two', title: 'Two', resumes: 'yes', lines: 1, shared: 0, missing: 'no program' },
  ],
};

describe('the page', () => {
  test('has a row for each peer that ran, and lists those that did not', () => {
    const words = tables(MEASURED).replaceAll(/ +/g, ' ');
    expect(words).toContain('| One | 2.000 | 3 | 0 | 0 | 1.2 + 0.5 | 46 + 7 | 90.0 |');
    expect(words).toContain('| One | yes | 2.000 | 4.2 s | 3 | 2 | 0 | 0 |');
    expect(words).toContain('| One | 12 | 34 | one 1.0.0 |');
    expect(words).toContain('Two was skipped: no program.');
  });

  test('shows no makespan for a run that lost items', () => {
    const [one] = MEASURED.rows;
    const lost = { ...FIGURES, lost: 7 };
    const measured: Measured = { ...MEASURED, rows: one ? [{ ...one, quiet: lost }] : [] };
    expect(tables(measured).replaceAll(/ +/g, ' ')).toContain('| One | not finished | 3 | 0 | 7 |');
    expect(picture(measured)).toContain('not finished, 3 × 429, 2 POSTs repeated, 7 lost');
  });

  test('keeps the text around the tables', () => {
    const page = readFileSync(new URL('../../docs/peers.md', import.meta.url), 'utf8');
    const once = withTables(page, MEASURED);
    expect(once).toContain('| One ');
    expect(withTables(once, MEASURED)).toBe(once);
    expect(once.split('<!-- begin')[0]).toBe(page.split('<!-- begin')[0]);
    expect(once.split('<!-- end -->')[1]).toBe(page.split('<!-- end -->')[1]);
    expect(() => withTables('no marks', MEASURED)).toThrow('has no <!-- begin');
  });

  test('has a picture with a bar for each run', () => {
    const svg = picture(MEASURED);
    expect(svg.match(/class="(quiet|killed)" x="230"/g)).toEqual([
      'class="quiet" x="230"',
      'class="killed" x="230"',
    ]);
    expect(svg).toContain('2.00, 3 × 429, 2 POSTs repeated');
    expect(svg).not.toContain('Two');
  });
});
