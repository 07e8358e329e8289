/** The tables of measures, compared with the tables of values that they summarise, read with DuckDB. */
import { describe, expect, test } from 'vitest';
import { publishCampaign } from '../../../src/report/publish.ts';
import { END } from '../a-campaign.ts';
import { query, type Rows } from './duck.ts';
import { everyKind, HOSTILE_USER, resultCampaign } from './result-campaign.ts';

type Ask = (sql: string) => Promise<Rows>;

async function published(): Promise<Ask> {
  const store = await resultCampaign(everyKind());
  await publishCampaign(store, END);
  return (sql) => query(store.location, sql);
}

/** Rounded as in the tables. */
function expectClose(found: Rows, wanted: Rows): void {
  expect(found.length).toBeGreaterThan(0);
  expect(found.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
  for (const [place, row] of wanted.entries()) {
    for (const [name, value] of Object.entries(row)) {
      const cell = found[place]?.[name];
      if (typeof value === 'number')
        expect(Math.abs(Number(cell) - value), name).toBeLessThan(0.06);
      else expect(String(cell), name).toBe(String(value));
    }
  }
}

test('of sequences agree with their residues', async () => {
  const rowsOf = await published();
  const found = await rowsOf(`FROM 'tables/sequence-measures.parquet' ORDER BY id`);
  const wanted = await rowsOf(`
    SELECT id, count(*) AS residues, avg(backbone) AS backbone_mean,
      100.0 * count(*) FILTER (WHERE disordered) / nullif(count(disoMine), 0) AS disordered_percent,
      CASE WHEN count(earlyFolding) = 0 THEN NULL
           ELSE count(*) FILTER (WHERE early_folding) END AS early_folding_residues,
      max(protein_score) AS phase_separation_score
    FROM 'tables/residues.parquet' GROUP BY id ORDER BY id`);
  expectClose(found, wanted);
});

test('of alignments agree with their columns', async () => {
  const rowsOf = await published();
  const found = await rowsOf(`FROM 'tables/alignment-measures.parquet' ORDER BY id`);
  const wanted = await rowsOf(`
    SELECT id, max(sequences) AS sequences, count(*) AS columns,
      100 * avg(conservation) AS conservation_percent, avg(backbone_median) AS backbone_mean,
      avg(disoMine_thirdQuartile - disoMine_firstQuartile) AS disoMine_spread
    FROM 'tables/alignments.parquet' GROUP BY id ORDER BY id`);
  expectClose(found, wanted);
});

test('of shift files agree with their residues', async () => {
  const rowsOf = await published();
  const found = await rowsOf(`FROM 'tables/shift-measures.parquet' ORDER BY id`);
  const wanted = await rowsOf(`
    SELECT id, count(*) AS residues, 100.0 * count(*) FILTER (WHERE NOT missing) / count(*) AS measured_percent,
      avg(shiftCrypt) FILTER (WHERE NOT missing) AS shiftCrypt_mean
    FROM 'tables/shifts.parquet' GROUP BY id ORDER BY id`);
  expectClose(found, wanted);
});

describe.each(['sequence-measures', 'alignment-measures', 'shift-measures'])('%s', (name) => {
  test("has the same rows in both formats, and a user's column after ours", async () => {
    const rowsOf = await published();
    const parquet = await rowsOf(`FROM 'tables/${name}.parquet'`);
    const csv = await rowsOf(`FROM read_csv('tables/${name}.csv', all_varchar = true)`);
    const plain = (cell: unknown): unknown =>
      cell === null ? null : Number.isFinite(Number(cell)) ? Number(cell) : cell;
    // id and the first measures.
    const text = (rows: Rows) => rows.map((row) => Object.values(row).slice(0, 4).map(plain));
    expect(text(csv)).toEqual(text(parquet));
    const names = Object.keys(parquet[0] ?? {});
    const own = Object.keys(HOSTILE_USER).filter((one) => names.includes(one));
    if (own.length > 0)
      expect(names.indexOf(own[0] ?? '')).toBeGreaterThan(names.indexOf('engine_version'));
    expect(new Set(names.map((one) => one.toLowerCase())).size).toBe(names.length);
  });
});
