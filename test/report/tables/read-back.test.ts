/** A published campaign's tables, read with DuckDB, pandas and MultiQC as docs/result-tables.md describes it. */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { DuckDBInstance, type DuckDBValue } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tableReaders } from '../../../scripts/python-environment.ts';
import type { Kind } from '../../../src/domain/campaign.ts';
import { unguardCell } from '../../../src/domain/plain-text.ts';
import { publishCampaign } from '../../../src/report/publish.ts';
import { type Column, ParquetFile, type RowBlock } from '../../../src/report/parquet.ts';
import { listTables } from '../../../src/report/result-tables.ts';
import { openFileStore } from '../../../src/store/file-store.ts';
import { MULTIQC, buildTableKey } from '../../../src/store/layout.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';
import { END } from '../a-campaign.ts';
import { everyKind, resultCampaign } from './result-campaign.ts';
import { listKindNames, findKind } from '../../../src/kinds/registry.ts';

type Rows = Record<string, DuckDBValue>[];

interface MultiQcFile {
  readonly data: Readonly<Record<string, Readonly<Record<string, string | number>>>>;
  readonly headers: Readonly<Record<string, object>>;
}

const PAGE = readFileSync(
  join(import.meta.dirname, '..', '..', '..', 'docs', 'result-tables.md'),
  'utf8',
);

/** Published once, with every kind and hostile columns of the user. */
const tree = mkdtempSync(join(tmpdir(), 'hundredfold-tables-'));
beforeAll(async () => {
  await publishCampaign(await resultCampaign(everyKind(), await openFileStore(tree)), END);
});
afterAll(() => {
  rmSync(tree, { recursive: true, force: true });
});

/** Runs one statement in its own database. */
async function query(sql: string, folder = tree): Promise<Rows> {
  const instance = await DuckDBInstance.create(':memory:', { file_search_path: folder });
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjects();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const TYPES = { text: 'VARCHAR', integer: 'INTEGER', number: 'DOUBLE', boolean: 'BOOLEAN' };

/** Only the CSV has the apostrophe that keeps a spreadsheet from executing a cell. */
const plain = (row: Rows[number]): Rows[number] =>
  Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [
      name,
      typeof cell === 'string' ? unguardCell(cell) : cell,
    ]),
  );

/** The columns as in Parquet, and the CSV read with these types. */
async function both(kind: Kind, folder = tree) {
  const source = quoted(buildTableKey(findKind(kind).table.name, 'parquet'));
  const described = await query(`DESCRIBE SELECT * FROM ${source}`, folder);
  const types = described.map((row) => [String(row['column_name']), String(row['column_type'])]);
  // Names in the CSV are guarded like cells: columns are identified by position.
  const given = types.map(([name = '', type = '']) => `${quoted(name)}: ${quoted(type)}`);
  const read = `header = true, auto_detect = false, quote = '"', escape = '"', delim = ','`;
  const csv = `read_csv(${quoted(buildTableKey(findKind(kind).table.name, 'csv'))}, ${read}, columns = {${given.join(', ')}})`;
  return {
    types,
    csv: (await query(`SELECT * FROM ${csv}`, folder)).map(plain),
    parquet: await query(`SELECT * FROM ${source}`, folder),
  };
}

/** The rows of the table below a heading; `<key>` stands for each name in the sentence that explains it. */
function listed(heading: string): Column[] {
  const section = PAGE.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const [, sentence = ''] = /`<key>` is (.*?) in turn/.exec(PAGE) ?? [];
  const keys = inCode(sentence);
  return [...section.matchAll(/^\| (`[^|]+`)\s*\| (\w+)/gm)].flatMap(([, cell = '', type = '']) => {
    const names = inCode(cell);
    const all = cell.includes('<key>')
      ? keys.flatMap((key) => names.map((name) => name.replace('<key>', key)))
      : names;
    return all.map((name): Column => ({ name, type: type as Column['type'] }));
  });
}

function inCode(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
}

/** All columns of a table: the first and the last ones are those of every table. */
function documented(heading: string): Column[] {
  const [first, ...last] = listed('In every table');
  return [...(first === undefined ? [] : [first]), ...listed(heading), ...last];
}

test.each(listKindNames())(
  '%s: CSV and Parquet have the documented columns and the same values',
  async (kind) => {
    const { csv, parquet, types } = await both(kind);
    const [{ columns: ours } = { columns: [] }] = listTables(findKind(kind));
    expect(documented(findKind(kind).table.name)).toEqual(ours);
    expect(types.slice(0, ours.length)).toEqual(ours.map(({ name, type }) => [name, TYPES[type]]));
    expect(types.slice(ours.length).every(([, type]) => type === 'VARCHAR')).toBe(true);
    const text = readFileSync(join(tree, buildTableKey(findKind(kind).table.name, 'csv')), 'utf8');
    expect(text.startsWith(ours.map(({ name }) => name).join(','))).toBe(true);
    expect(parquet.length).toBeGreaterThan(1);
    expect(csv).toEqual(parquet);
  },
);

test('the tables contain the successful items, mark values that were not computed, and have null for NaN', async () => {
  const sql = `SELECT id, engine, engine_version FROM 'tables/molecules.parquet'`;
  expect(await query(sql)).toEqual([
    { id: 'aspirin', engine: 'recorded, ACPYPE 2023.10.27', engine_version: '2023.10.27' },
    { id: 'choline', engine: null, engine_version: null },
    { id: 'shape', engine: 'synthetic', engine_version: null },
  ]);
  const nan = `SELECT earlyFolding, early_folding, backbone FROM 'tables/residues.csv' WHERE id = 'p1' LIMIT 1`;
  expect(await query(nan)).toEqual([{ earlyFolding: null, early_folding: null, backbone: 0.7382 }]);
});

describe.each(['sequence', 'alignment', 'shifts'] as const)('the measures of %s', (kind) => {
  const name = findKind(kind).measuresTable ?? '';
  /** What the tables of values give. */
  const WANTED = {
    sequence: `SELECT id, count(*) AS residues, avg(backbone) AS backbone_mean,
        100.0 * count(*) FILTER (WHERE disordered) / nullif(count(disoMine), 0) AS disordered_percent,
        CASE WHEN count(earlyFolding) = 0 THEN NULL
             ELSE count(*) FILTER (WHERE early_folding) END AS early_folding_residues,
        max(protein_score) AS phase_separation_score
      FROM 'tables/residues.parquet' GROUP BY id ORDER BY id`,
    alignment: `SELECT id, max(sequences) AS sequences, count(*) AS columns,
        100 * avg(conservation) AS conservation_percent, avg(backbone_median) AS backbone_mean,
        avg(disoMine_median) AS disoMine_mean
      FROM 'tables/alignments.parquet' GROUP BY id ORDER BY id`,
    shifts: `SELECT id, count(*) AS residues,
        100.0 * count(*) FILTER (WHERE NOT missing) / count(*) AS measured_percent,
        avg(shiftCrypt) FILTER (WHERE NOT missing) AS shiftCrypt_mean
      FROM 'tables/shifts.parquet' GROUP BY id ORDER BY id`,
  };

  test('agree with the values that they summarise, rounded', async () => {
    const found = await query(`FROM 'tables/${name}.parquet' ORDER BY id`);
    const expected = await query(WANTED[kind]);
    expect(found.length).toBeGreaterThan(0);
    expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    for (const [place, row] of expected.entries()) {
      for (const [column, value] of Object.entries(row)) {
        const cell = found[place]?.[column];
        if (typeof value !== 'number') expect(String(cell), column).toBe(String(value));
        else expect(Math.abs(Number(cell) - value), column).toBeLessThan(0.06);
      }
    }
  });

  test("have the documented columns, a user's after ours, and the same rows in both formats", async () => {
    const [, { columns: ours } = { columns: [] }] = listTables(findKind(kind));
    expect(documented(name)).toEqual(ours);
    const parquet = await query(`FROM 'tables/${name}.parquet'`);
    const csv = await query(`FROM read_csv('tables/${name}.csv', all_varchar = true)`);
    const value = (cell: unknown): unknown =>
      cell === null || !Number.isFinite(Number(cell)) ? cell : Number(cell);
    // id and the first measures.
    const first = (rows: Rows) => rows.map((row) => Object.values(row).slice(0, 4).map(value));
    expect(first(csv)).toEqual(first(parquet));
    const names = Object.keys(parquet[0] ?? {});
    expect(names.slice(0, ours.length)).toEqual(ours.map((column) => column.name));
    expect(new Set(names.map((one) => one.toLowerCase())).size).toBe(names.length);
  });
});

test('the examples of the page run', async () => {
  const blocks = [...PAGE.matchAll(/^```sql\n([\s\S]*?)^```$/gm)];
  const [mean = '', measured = '', whole = '', view = ''] = blocks.map(([, sql = '']) => sql);
  for (const sql of [mean, whole]) {
    const rows = await query(sql);
    expect(rows.map(({ id, residues }) => [id, Number(residues)])).toEqual([
      ['p1', 20],
      ['p2', 5],
    ]);
  }
  const out = await temporaryFolder();
  for (const campaign of ['night', 'day'])
    cpSync(join(tree, 'tables'), join(out, campaign, 'tables'), { recursive: true });
  const counted =
    'SELECT campaign, count(*)::INTEGER AS rows FROM residues GROUP BY ALL ORDER BY ALL';
  expect(await query(`${view}${counted}`, out)).toEqual(
    ['day', 'night'].map((campaign) => ({
      campaign: expect.stringContaining(`${campaign}/tables`),
      rows: 25,
    })),
  );
  const target = join(out, 'measured.csv');
  await query(measured.replace('measured.csv', target));
  const lines = readFileSync(target, 'utf8').split('\n');
  expect(lines.slice(0, 2)).toEqual([
    'id,residue_number,shiftCrypt',
    'talin,1651,0.694564967269671',
  ]);
});

const readers = await tableReaders();
const missing = 'missing' in readers ? readers.missing : '';

describe.skipIf(missing !== '')(`Python${missing === '' ? '' : ` (skipped: ${missing})`}`, () => {
  const python = async (args: readonly string[]): Promise<string> => {
    if ('missing' in readers) throw new Error(readers.missing);
    return (await promisify(execFile)(readers.python, args, { cwd: tree })).stdout;
  };

  test('pandas runs the example of the page', { timeout: 120_000 }, async () => {
    const [, example = ''] = /^```python\n([\s\S]*?)^```$/m.exec(PAGE) ?? [];
    expect(await python(['-c', example])).toMatch(/^p1 +\S+ +20 .*\n *p2 +\S+ +5 /m);
  });

  test('MultiQC shows every item with its measures', { timeout: 120_000 }, async () => {
    const out = await temporaryFolder();
    await python(['-m', 'multiqc', '--cl-config', 'no_version_check: true', '--outdir', out, '.']);
    const shown = `FROM read_csv('multiqc_data/multiqc_hundredfold_items.txt', all_varchar = true)`;
    const { data, headers } = JSON.parse(readFileSync(join(tree, MULTIQC), 'utf8')) as MultiQcFile;
    const names = Object.keys(headers);
    const expected = Object.keys(data).map((Sample) => ({
      Sample,
      ...Object.fromEntries(
        names.map((name) => [name, String(data[Sample]?.[name] ?? '') || null]),
      ),
    }));
    expect(await query(`${shown} ORDER BY Sample`, out)).toEqual(
      expected.sort((one, other) => (one.Sample < other.Sample ? -1 : 1)),
    );
  });
});

const COLUMNS: readonly Column[] = [
  { name: 'item', type: 'text' },
  { name: 'residue', type: 'text' },
  { name: 'position', type: 'integer' },
  { name: 'backbone', type: 'number' },
  { name: 'helix', type: 'number' },
];
const positions = Array.from({ length: 130 }, (_, at) => at + 1);

/** A protein: every seventh value of the last column is missing. */
function protein(item: number): RowBlock {
  const cells = [
    `protein-${item}`,
    positions.map((at) => 'ACDEFGHIKL'[(at + item) % 10] ?? null),
    positions,
    positions.map((at) => item + at / 1_000),
    positions.map((at) => (at % 7 === 0 ? null : at / 2 - item)),
  ];
  return { rows: positions.length, cells };
}

test('a Parquet file of several row groups has every row once, in order, with its values', async () => {
  const folder = await temporaryFolder();
  const groups = new ParquetFile(COLUMNS);
  const proteins = Array.from({ length: 140 }, (_, item) => protein(item));
  const pieces = [...proteins.map((one) => groups.add(one)), groups.end()];
  writeFileSync(join(folder, 'table.parquet'), Buffer.concat(pieces));
  const counted = `SELECT count(DISTINCT row_group_id)::INTEGER AS groups FROM parquet_metadata('table.parquet')`;
  expect(await query(counted, folder)).toEqual([{ groups: 3 }]);
  const expected = proteins.flatMap(({ rows, cells }) =>
    Array.from({ length: rows }, (_, row) =>
      Object.fromEntries(
        COLUMNS.map(({ name }, index) => {
          const cell = cells[index] ?? null;
          return [name, typeof cell === 'object' ? (cell?.[row] ?? null) : cell];
        }),
      ),
    ),
  );
  expect(await query(`SELECT * FROM 'table.parquet'`, folder)).toEqual(expected);
});
