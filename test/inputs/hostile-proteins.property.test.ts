/** Whatever comes as a sequence, an alignment or a file of shifts: findings, never a throw, in time that grows with its length. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAlignmentInput } from '../../src/inputs/sequences/alignment.ts';
import { readFasta } from '../../src/inputs/sequences/fasta.ts';
import { readShiftsInput } from '../../src/inputs/shifts/nmr.ts';
import type { Reading } from '../../src/inputs/reading.ts';
import { readSequenceInput } from '../../src/inputs/sequences/sequence.ts';
import { PROBLEMS, toProblem, complaint } from '../../src/manifest/problems/problems.ts';

const BATCHES = path.join(import.meta.dirname, '..', '..', 'batches');
const sample = (name: string): string => readFileSync(path.join(BATCHES, name), 'utf8');

const READERS: Readonly<Record<string, (text: string) => Reading>> = {
  sequence: (text) =>
    readSequenceInput(text, { kind: 'sequence', predictors: ['dynamine', 'psper'] }, 'row'),
  alignment: readAlignmentInput,
  shifts: (text) =>
    readShiftsInput(text, { kind: 'shifts', modelClass: '1', originalNumbering: true }),
};

const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  sequence: [sample('demo/files/FER_PEPAS.fasta'), sample('invalid/files/three.fasta')],
  alignment: [
    sample('demo/files/gst2.fasta'),
    `${sample('invalid/files/cut_off.sto')}//\n`,
    'CLUSTAL W\n\none  MN-QQQTALN 9\ntwo  MNKQQQTALN 10\n     ** *******\n',
  ],
  shifts: [
    sample('invalid/files/few_values.nef'),
    sample('invalid/files/author_numbers.str'),
    sample('demo/files/bmr5387_ubiquitin.str').slice(0, 20_000),
  ],
};

/** Pieces that mean something to one of the formats. */
const piece = fc.oneof(
  fc.constantFrom(
    ...['>', '>x', '*', '-', '.', '\n', '\r', '\r\n', '\n;', ';', "'", '"', '#', '_', '//'],
    ...['loop_', 'stop_', 'save_', 'save_x', 'data_', 'data_y', '_nef_', '# STOCKHOLM 1.0\n'],
    ...['CLUSTAL\n', ' ', '\t', '\u0000', '\u2028', '\uFEFF', '__proto__', 'NaN', '1e999'],
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

const edit = fc.record({ at: fc.nat(), remove: fc.nat({ max: 40 }), insert: piece });

function mutated(text: string, edits: readonly { at: number; remove: number; insert: string }[]) {
  return edits.reduce((now, { at, remove, insert }) => {
    const place = at % (now.length + 1);
    return now.slice(0, place) + insert + now.slice(place + remove);
  }, text);
}

/** Findings that can all be put into words; an input unless one is an error; and what is sent reads back as itself. */
function sane(kind: string, text: string): void {
  const reading = READERS[kind]?.(text);
  expect(reading).toBeDefined();
  if (reading === undefined) return;
  const place = { file: 'm.csv', line: 2, id: 'row' };
  for (const { code, facts } of reading.findings) {
    const { message, remedy } = toProblem(complaint(code, facts as never), place);
    expect(message).not.toMatch(/undefined|\[object/);
    expect(message).not.toMatch(/\p{Cc}/u);
    expect(remedy).not.toBe('');
  }
  const refused = reading.findings.some(({ code }) => PROBLEMS[code].severity === 'error');
  if (refused) return;
  expect(reading.input).not.toBeNull();
  if (kind === 'shifts') return;
  const { input } = reading;
  const records = readFasta(input?.text ?? '').records;
  expect(records.map(({ residues }) => residues).join('')).toMatch(/^[A-Za-z-]+$/);
  const again = READERS[kind]?.(input?.text ?? '');
  expect(again?.input?.text).toBe(input?.text);
  expect(again?.canonical).toBe(reading.canonical);
}

describe.each(Object.keys(READERS))('%s', (kind) => {
  test('takes mutations of good files', () => {
    const text = fc.tuple(
      fc.constantFrom(...(SAMPLES[kind] ?? [])),
      fc.array(edit, { minLength: 1, maxLength: 6 }),
    );
    fc.assert(
      fc.property(text, ([good, edits]) => {
        sane(kind, mutated(good, edits));
      }),
      { numRuns: 300 },
    );
  });

  test('takes any text', () => {
    const text = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(text, (any) => {
        sane(kind, any);
        sane(kind, `data_x\n${any}`);
        sane(kind, `# STOCKHOLM 1.0\n${any}\n//\n`);
        sane(kind, `CLUSTAL\n${any}`);
      }),
      { numRuns: 300 },
    );
  });

  /** What makes a regular expression go back and forth: one sign again and again, then another. */
  test.each([
    ['blanks', ' '],
    ['tabs and letters', 'a\t'],
    ['line ends', '\n'],
    ['carriage returns', '\r'],
    ['letters', 'A'],
    ['gaps', '-.'],
    ['headers', '>a\n'],
    ['equal headers with a stop', '>a\nMN*\n'],
    ['quotes', `'" `],
    ['semicolons', '\n;'],
    ['tags', '_a '],
    ['loops', 'loop_ _a 1\n'],
    ['frames', 'save_a save_\n'],
    ['rows', 'name MN-Q\n\n'],
    ['rows of one block', 'name MN-Q\n'],
  ])('reads 300 kB of %s as fast as it is long', (_, unit) => {
    for (const start of [
      '',
      '>a\n',
      'data_x\n',
      '# STOCKHOLM 1.0\n',
      'CLUSTAL\n',
      'data_x\nloop_\n_a\n',
    ]) {
      const startedAt = performance.now();
      READERS[kind]?.(`${start}${unit.repeat(300_000 / unit.length)}!\n//\n`);
      // In quadratic time it would be minutes; the bound leaves room for a busy machine.
      expect(performance.now() - startedAt, JSON.stringify(start)).toBeLessThan(10_000);
    }
  });
});
