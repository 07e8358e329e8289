/** Every recorded prediction of the real engines, compared with the CSV file that the engine wrote beside it. */
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import {
  readAlignment,
  readSequences,
  readShifts,
  readDistributions,
} from '../../../src/kinds/protein/payload.ts';
import {
  type AlignmentReading,
  type ProteinReading,
  SPREAD_KEYS,
  type Track,
} from '../../../src/kinds/protein/reading.ts';
import { golden, goldens, hasGolden } from '../goldens.ts';

type Spreads = AlignmentReading['spreads'];
type Cells = Readonly<Record<string, string>>;

function results(folder: string): string[] {
  return goldens(`b2btools/${folder}`, '.json').filter(
    (file) => !file.endsWith('.distributions.json'),
  );
}

/** Null if there is none. */
function csvBeside(file: string): Cells[] | null {
  const csv = file.replace(/\.json$/, '.csv');
  return hasGolden(csv) ? parse(golden(csv), { columns: true }) : null;
}

/** The engine's CSV has three decimals, and an empty cell for a missing value. */
function expectCell(value: Track[number], cell: string | undefined, what: string): void {
  const isNear = typeof value === 'number' && Math.abs(value - Number(cell)) < 6e-4;
  const isSame =
    cell === undefined || cell === '' ? value === null : isNear || value === cell.trim();
  // There are a million cells.
  if (!isSame) expect.fail(`${what}: ${String(value)}, not ${String(cell)}`);
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

test('every prediction of sequences', () => {
  const files = [...results('single'), ...results('edge')];
  expect(files.length).toBeGreaterThan(20);
  let compared = 0;
  for (const file of files) {
    const reading = readSequences(golden(file));
    if (reading === null) throw new Error(`${file} is unreadable`);
    for (const { residues, tracks } of reading.proteins) {
      for (const track of Object.values(tracks)) expect(track).toHaveLength(residues.length);
    }
    const rows = csvBeside(file);
    if (rows === null) continue;
    expectRows(reading.proteins, rows, file);
    compared += 1;
  }
  expect(compared).toBeGreaterThan(5);
});

test('every prediction of alignments, with their distributions', () => {
  const files = results('msa').filter((file) => !/malformed|unequal/.test(file));
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) {
    const json = golden(file.replace(/\.json$/, '.distributions.json'));
    const reading = readAlignment(golden(file), json);
    if (reading === null) throw new Error(`${file} is unreadable`);
    const { proteins, columns, spreads } = reading;
    const csv = file.replace(/\.json$/, '.distributions.csv');
    if (hasGolden(csv)) expectSpreads(spreads, readDistributions(golden(csv)), file);
    expect(Object.keys(spreads)).toEqual(Object.keys(proteins[0]?.tracks ?? {}));
    expectRows(proteins, csvBeside(file) ?? [], file);
    for (const [key, { median }] of Object.entries(spreads)) {
      const valued = Array.from({ length: columns }, (_, column) =>
        proteins.some(({ tracks }) => typeof tracks[key]?.[column] === 'number'),
      );
      expect(
        median.map((one) => one !== null),
        `${file} ${key}`,
      ).toEqual(valued);
    }
  }
});

test('every prediction of shifts', () => {
  const files = results('shiftcrypt');
  expect(files.length).toBeGreaterThan(2);
  for (const file of files) {
    const cells = csvBeside(file);
    if (cells === null) continue;
    const reading = readShifts(golden(file));
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

test('a sequence has the name given by the user, and its tracks in a fixed order, without execution times', () => {
  const entry = {
    seq: 'MK',
    other: [1, 2],
    viterbi: [' PLD', ''],
    disoMine: [0.1, 0.2],
    backbone: [0.5, 0.6],
    dynamine_execution_time: 3,
    protein_score: 0.4,
  };
  const proteins = { a_b: entry, constructor: { seq: 'M', agmata: [1] } };
  const [first, second] = readSequences(JSON.stringify({ proteins }), { a_b: 'a|b' })!.proteins;
  expect([first?.name, second?.name]).toEqual(['a|b', 'constructor']);
  expect(Object.entries(first?.tracks ?? {})).toEqual([
    ['backbone', [0.5, 0.6]],
    ['disoMine', [0.1, 0.2]],
    ['viterbi', ['PLD', null]],
    ['other', [1, 2]],
  ]);
  expect(first?.scores).toEqual({ protein_score: 0.4 });
});

test('a value that the service does not have is null', () => {
  const sequence =
    '{"proteins":{"a":{"seq":"MKL","backbone":[NaN,"0.5",null],"agmata":["x",1,""]}}}';
  expect(readSequences(sequence)?.proteins[0]?.tracks).toEqual({
    backbone: [null, 0.5, null],
    agmata: [null, 1, null],
  });
  const { backbone } = readDistributions('{"backbone":{"median":[NaN,1]}}');
  expect(backbone?.median).toEqual([null, 1]);
  expect(backbone?.topOutlier).toEqual([]);
});
