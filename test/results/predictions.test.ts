/** Every recorded prediction of the real engines, compared with the CSV file that the engine wrote beside it. */
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import { readAlignment } from '../../src/results/alignment.ts';
import { readDistributions } from '../../src/results/distributions.ts';
import {
  SPREAD_KEYS,
  type AlignmentReading,
  type ProteinReading,
  type Track,
} from '../../src/results/reading.ts';
import { readSequences } from '../../src/results/sequence.ts';
import { readShifts } from '../../src/results/shifts.ts';
import { golden, goldens, hasGolden, isAbsent, OWNERS, type Owner } from './goldens.ts';

type Spreads = AlignmentReading['spreads'];
type Cells = Readonly<Record<string, string>>;

function results(owner: Owner, folder: string): string[] {
  return goldens(owner, `b2btools/${folder}`, '.json').filter(
    (file) => !file.endsWith('.distributions.json'),
  );
}

/** Null if there is none. */
function csvBeside(owner: Owner, file: string): Cells[] | null {
  const csv = file.replace(/\.json$/, '.csv');
  return hasGolden(owner, csv) ? parse(golden(owner, csv), { columns: true }) : null;
}

/** The engine's CSV has three decimals, and an empty cell for a missing value. */
function expectCell(value: Track[number], cell: string | undefined, what: string): void {
  if (cell === undefined || cell === '') expect(value, what).toBeNull();
  else if (typeof value === 'number')
    expect(Math.abs(value - Number(cell)), what).toBeLessThan(6e-4);
  else expect(value, what).toBe(cell.trim());
}

function expectRows(
  proteins: readonly ProteinReading[],
  rows: readonly Cells[],
  file: string,
): void {
  expect(proteins.flatMap(({ residues }) => [...residues]).join('')).toBe(
    rows.map(({ residue }) => residue).join(''),
  );
  let line = 0;
  for (const { residues, tracks, name } of proteins) {
    for (let index = 0; index < residues.length; index += 1, line += 1) {
      const cells = rows[line] ?? {};
      expect(cells['residue_index']).toBe(String(index));
      for (const [key, track] of Object.entries(tracks)) {
        expectCell(track[index] ?? null, cells[key], `${file} ${name} ${key} ${index}`);
      }
    }
  }
}

function expectSpreads(json: Spreads, csv: Spreads, file: string): void {
  expect(Object.keys(csv), file).toEqual(Object.keys(json));
  for (const [key, spread] of Object.entries(json)) {
    for (const name of SPREAD_KEYS) {
      for (const [column, value] of spread[name].entries()) {
        const cell = csv[key]?.[name][column] ?? null;
        expectCell(value, cell === null ? '' : String(cell), `${file} ${key} ${name} ${column}`);
      }
    }
  }
}

describe.each(OWNERS)('every prediction of the engine, %s', (owner) => {
  test.skipIf(isAbsent(owner))('sequences', () => {
    const files = [...results(owner, 'single'), ...results(owner, 'edge')];
    expect(files.length).toBeGreaterThan(20);
    let compared = 0;
    for (const file of files) {
      const reading = readSequences(golden(owner, file));
      if (reading === null) throw new Error(`${file} is unreadable`);
      for (const { residues, tracks } of reading.proteins) {
        for (const track of Object.values(tracks)) expect(track).toHaveLength(residues.length);
      }
      const rows = csvBeside(owner, file);
      if (rows === null) continue;
      expectRows(reading.proteins, rows, file);
      compared += 1;
    }
    expect(compared).toBeGreaterThan(5);
  });

  test.skipIf(isAbsent(owner))('alignments, with their distributions', () => {
    const files = results(owner, 'msa').filter((file) => !/malformed|unequal/.test(file));
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const json = golden(owner, file.replace(/\.json$/, '.distributions.json'));
      const reading = readAlignment(golden(owner, file), json);
      if (reading === null) throw new Error(`${file} is unreadable`);
      const { proteins, columns, spreads } = reading;
      const csv = file.replace(/\.json$/, '.distributions.csv');
      if (hasGolden(owner, csv))
        expectSpreads(spreads, readDistributions(golden(owner, csv), columns), file);
      expect(Object.keys(spreads)).toEqual(Object.keys(proteins[0]?.tracks ?? {}));
      expectRows(proteins, csvBeside(owner, file) ?? [], file);
      for (const [key, spread] of Object.entries(spreads)) {
        for (let column = 0; column < columns; column += 1) {
          const values = proteins.flatMap(({ tracks }) => tracks[key]?.[column] ?? []);
          const median = spread.median[column];
          expect(typeof median, `${file} ${key} ${column}`).toBe(
            values.length === 0 ? 'object' : 'number',
          );
        }
      }
    }
  });

  test.skipIf(isAbsent(owner))('shifts', () => {
    const files = results(owner, 'shiftcrypt');
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const cells = csvBeside(owner, file);
      if (cells === null) continue;
      const reading = readShifts(golden(owner, file));
      const rows = (reading?.chains ?? []).flatMap(({ chain, residues, numbers, shiftCrypt }) =>
        shiftCrypt.map((value, index) => [chain, String(numbers[index]), residues[index], value]),
      );
      expect(rows, file).toEqual(
        cells.map(({ chainCode, seqCode, residue, shiftCrypt }) => [
          ...[chainCode, seqCode, residue, Number(shiftCrypt)],
        ]),
      );
    }
  });
});

describe('a sequence', () => {
  const payload = (proteins: unknown): string => JSON.stringify({ proteins });

  test('has the name given by the user, also if the service has changed it', () => {
    const text = payload({
      a_b: { seq: 'MK', backbone: [1, 2] },
      constructor: { seq: 'M', agmata: [1] },
    });
    const names = readSequences(text, { a_b: 'a|b' })?.proteins.map(({ name }) => name);
    expect(names).toEqual(['a|b', 'constructor']);
  });

  test('has its tracks in a fixed order, those of unknown predictors last, without execution times', () => {
    const entry = {
      seq: 'MK',
      other: [1, 2],
      viterbi: [' PLD', ''],
      disoMine: [0.1, 0.2],
      backbone: [0.5, 0.6],
      dynamine_execution_time: 3,
      protein_score: 0.4,
    };
    const [protein] = readSequences(payload({ a: entry }))?.proteins ?? [];
    expect(Object.entries(protein?.tracks ?? {})).toEqual([
      ['backbone', [0.5, 0.6]],
      ['disoMine', [0.1, 0.2]],
      ['viterbi', ['PLD', null]],
      ['other', [1, 2]],
    ]);
    expect(protein?.scores).toEqual({ protein_score: 0.4 });
  });

  test('has null if the service has no number', () => {
    const text = '{"proteins":{"a":{"seq":"MKL","backbone":[NaN,"0.5",null],"agmata":[1]}}}';
    expect(readSequences(text)?.proteins[0]?.tracks).toEqual({
      backbone: [null, 0.5, null],
      agmata: [1, null, null],
    });
  });
});

describe('distributions', () => {
  const csv = `residue_index,agmata_median,backbone_bottomOutlier,backbone_firstQuartile,backbone_median,backbone_thirdQuartile,backbone_topOutlier,tyr_median
0,,0.1,0.2,0.3,0.4,0.5,
1,0.01,,,,,,
`;
  const backbone = {
    median: [0.3, null],
    firstQuartile: [0.2, null],
    thirdQuartile: [0.4, null],
    topOutlier: [0.5, null],
    bottomOutlier: [0.1, null],
  };

  test('CSV and JSON agree', () => {
    const found = readDistributions(csv, 2);
    expect(Object.keys(found)).toEqual(['backbone', 'agmata']);
    expect(found['backbone']).toEqual(backbone);
    expect(found['agmata']?.median).toEqual([null, 0.01]);
    for (const json of [{ results: { backbone }, metadata: {} }, { backbone }]) {
      expect(readDistributions(JSON.stringify(json), 2)).toEqual({ backbone });
    }
  });

  test('a missing figure is null in every column', () => {
    const found = readDistributions('{"backbone":{"median":[NaN,1]}}', 3);
    expect(found['backbone']?.median).toEqual([null, 1, null]);
    expect(found['backbone']?.topOutlier).toEqual([null, null, null]);
  });
});

describe('shifts', () => {
  test('have -10 as a value, null for a missing one, and residue numbers with letters', () => {
    const chain = {
      ID_file: 'x',
      sequence: ['M', 'K', 'L'],
      seqCodes: [7, '7A', 8],
      shiftCrypt: ['-10.0', 'nan', '0.512'],
      chainCode: 'B',
    };
    expect(readShifts(JSON.stringify([chain]))?.chains).toEqual([
      {
        name: 'x',
        chain: 'B',
        residues: 'MKL',
        numbers: [7, '7A', 8],
        shiftCrypt: [-10, null, 0.512],
      },
    ]);
  });
});
