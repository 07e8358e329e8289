/**
 * A part of `npm run verify:engines` that takes under three minutes: b2bTools against its recorded runs. Skipped if it
 * is not installed, or the sample data are missing.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { compareOutputs, predictionFailure } from '../../scripts/verify/compare-predictions.ts';
import { predictionRuns } from '../../scripts/verify/predictions.ts';
import { sampleOf } from '../../scripts/verify/sample.ts';
import { WarmB2bTools } from '../../src/local-services/engines/real/b2btools/warm.ts';
import { installedEngine } from '../../src/local-services/engines/real/installed.ts';

const DATA = join(import.meta.dirname, '..', '..', '..', 'shared', 'data');
const RUNS = 16;

const installed = installedEngine('b2btools');
const b2bTools = installed === null ? null : new WarmB2bTools(installed);
if (b2bTools === null) console.warn('skipped: b2bTools is not installed here (npm run engines)');

afterAll(async () => {
  await b2bTools?.close();
});

describe.each(['own', 'public'])('b2bTools and its recorded runs in %s', (part) => {
  const data = existsSync(join(DATA, part));
  if (!data) console.warn(`skipped: no sample data (${part}) beside the checkout`);
  const runs = b2bTools === null || !data ? [] : predictionRuns(join(DATA, part), b2bTools).runs;
  const sample = runs.length === 0 ? [] : sampleOf(runs, RUNS);

  // A suite without any test fails.
  if (sample.length === 0) test.skip('needs the engine (npm run engines) and the sample data');
  test.each(sample)('$key', async (run) => {
    expect(await run.verify()).toMatchObject({ same: true });
  });
});

describe('two predictions', () => {
  const result = (values: readonly (number | null)[], more: object = {}): string =>
    JSON.stringify({ proteins: { a: { seq: ['M', 'K'], backbone: values, ...more } } });
  const where = (now: string): string | null =>
    compareOutputs('result', result([0.5, null]), now).where;

  test('are the same within 1e-5, however long they took', () => {
    expect(where(result([0.500009, null], { dynamine_execution_time: 3 }))).toBeNull();
    expect(compareOutputs('result', result([0.5]), result([0.500004])).furthest).toBeCloseTo(4e-6);
  });

  test('differ by a value, a gap, a residue, a key', () => {
    expect(where(result([0.50002, null]))).toBe('result.proteins.a.backbone[0]: 0.5 → 0.50002');
    expect(where(result([0.5, 0]))).toContain('backbone[1]');
    expect(where(result([0.5]))).toContain('2 → 1 long');
    expect(where(result([0.5, null]).replace('"K"', '"X"'))).toContain('seq[1]');
    expect(where(result([0.5, null], { agmata: [] }))).toContain('agmata');
    expect(where('{}')).toContain('result.proteins');
  });

  test('of shifts are text, and compared as numbers', () => {
    const shifts = (value: string): string =>
      JSON.stringify([{ ID_file: value, shiftCrypt: [value] }]);
    expect(compareOutputs('result', shifts('0.512'), shifts('0.5120001')).where).toBeNull();
    expect(compareOutputs('result', shifts('0.512'), shifts('-10')).where).toContain('shiftCrypt');
  });

  test('have tables that are compared row by row, in any order, within their rounding', () => {
    const table = (...rows: string[]): string =>
      ['sequence_id,residue,residue_index,backbone', ...rows].join('\n');
    const recorded = table('a,M,0,0.795', 'b,K,0,');
    expect(compareOutputs('csv', recorded, table('b,K,0,', 'a,M,0,0.794')).where).toBeNull();
    expect(compareOutputs('csv', recorded, table('b,K,0,', 'a,M,0,0.793')).where).toContain('a 0');
    expect(compareOutputs('csv', recorded, table('a,M,0,0.795')).where).toContain('b 0');
  });

  test('fail in the same way if the engine reports the same exception', () => {
    expect(predictionFailure("An unexpected error of type 'KeyError' occurred: 1650")).toBe(
      'failed: KeyError',
    );
  });
});
