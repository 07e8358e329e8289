/** Any text as a sequence, an alignment or a file of shifts: gives findings, never an exception, in linear time. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readAlignmentInput } from '../../src/inputs/sequences/alignment.ts';
import { readFasta } from '../../src/inputs/sequences/fasta.ts';
import { readShiftsInput } from '../../src/inputs/shifts/nmr.ts';
import type { Reading } from '../../src/inputs/reading.ts';
import { readSequenceInput } from '../../src/inputs/sequences/sequence.ts';
import { PROBLEMS } from '../../src/manifest/problems/problems.ts';
import { expectWords, mutations, sample } from './mutations.ts';

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

/** Fragments that mean something in one of the formats. */
const piece = fc.oneof(
  fc.constantFrom(
    ...['>', '>x', '*', '-', '.', '\n', '\r', '\r\n', '\n;', ';', "'", '"', '#', '_', '//'],
    ...['loop_', 'stop_', 'save_', 'save_x', 'data_', 'data_y', '_nef_', '# STOCKHOLM 1.0\n'],
    ...['CLUSTAL\n', ' ', '\t', '\u0000', '\u2028', '\uFEFF', '__proto__', 'NaN', '1e999'],
  ),
  fc.string({ unit: 'binary', maxLength: 6 }),
);

/**
 * All findings have a message; there is an input unless one is an error; and what is sent can be read back unchanged.
 */
function sane(kind: string, text: string): void {
  const reading = READERS[kind]?.(text);
  expect(reading).toBeDefined();
  if (reading === undefined) return;
  expectWords(reading.findings);
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
  test('reads mutations of valid files', () => {
    fc.assert(
      fc.property(mutations(SAMPLES[kind] ?? [], piece), (text) => {
        sane(kind, text);
      }),
      { numRuns: 300 },
    );
  });

  test('reads any text', () => {
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

  /** Input that makes a regular expression backtrack: one character many times, then another. It would take minutes. */
  test.each([
    ['blanks', ' '],
    ['line ends', '\n'],
    ['letters', 'A'],
    ['gaps', '-.'],
    ['equal headers with a stop', '>a\nMN*\n'],
    ['quotes', `'" `],
    ['loops', 'loop_ _a 1\n'],
    ['frames', 'save_a save_\n'],
    ['rows of one block', 'name MN-Q\n'],
  ])('reads 300 kB of %s in linear time', (_, unit) => {
    for (const start of [
      '',
      '>a\n',
      'data_x\n',
      '# STOCKHOLM 1.0\n',
      'CLUSTAL\n',
      'data_x\nloop_\n_a\n',
    ]) {
      READERS[kind]?.(`${start}${unit.repeat(300_000 / unit.length)}!\n//\n`);
    }
  });
});
