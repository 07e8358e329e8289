/** A published campaign's tables, read with DuckDB: CSV and Parquet are the same table. */
import { describe, expect, test } from 'vitest';
import { KINDS, type Kind } from '../../../src/domain/item.ts';
import { unguarded } from '../../../src/domain/formula-guard.ts';
import { publishCampaign } from '../../../src/report/publish.ts';
import type { ColumnType } from '../../../src/report/tables/column.ts';
import { RESULT_COLUMNS } from '../../../src/report/tables/result-rows.ts';
import { resultTableKey } from '../../../src/store/layout.ts';
import type { Store } from '../../../src/store/store.ts';
import { END, endedCampaign } from '../a-campaign.ts';
import { described, query, type Rows } from './duck.ts';
import { everyKind, HOSTILE_USER, resultCampaign } from './result-campaign.ts';

const TYPES: Readonly<Record<ColumnType, string>> = {
  text: 'VARCHAR',
  integer: 'INTEGER',
  number: 'DOUBLE',
  boolean: 'BOOLEAN',
};

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** The columns as in Parquet, and the CSV read with these types. */
async function both(
  store: Store,
  kind: Kind,
): Promise<{ csv: Rows; parquet: Rows; types: [string, string][] }> {
  const types = await described(store.location, quoted(resultTableKey(kind, 'parquet')));
  // Names in the CSV are guarded like cells: columns are identified by position.
  const columns = types.map(([name, type]) => `${quoted(name)}: ${quoted(type)}`).join(', ');
  const csv = `read_csv(${quoted(resultTableKey(kind, 'csv'))}, header = true, auto_detect = false, quote = '"', escape = '"', delim = ',', columns = {${columns}})`;
  return {
    types,
    csv: await query(store.location, `SELECT * FROM ${csv}`),
    parquet: await query(
      store.location,
      `SELECT * FROM ${quoted(resultTableKey(kind, 'parquet'))}`,
    ),
  };
}

/** Only the CSV has the apostrophe that keeps a spreadsheet from executing a cell. */
const plain = (rows: Rows): Rows =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, cell]) => [
        name,
        typeof cell === 'string' ? unguarded(cell) : cell,
      ]),
    ),
  );

describe('the tables of a published campaign', () => {
  test.each(KINDS)(
    '%s: CSV and Parquet have the same columns and the same values',
    async (kind) => {
      const store = await resultCampaign(everyKind());
      await publishCampaign(store, END);
      const { csv, parquet, types } = await both(store, kind);
      const ours = RESULT_COLUMNS[kind];
      expect(types.slice(0, ours.length)).toEqual(
        ours.map(({ name, type }) => [name, TYPES[type]]),
      );
      expect(types.slice(ours.length).every(([, type]) => type === 'VARCHAR')).toBe(true);
      const text = (await store.readText(resultTableKey(kind, 'csv'))) ?? '';
      expect(text.split('\n')[0]?.startsWith(ours.map(({ name }) => name).join(','))).toBe(true);
      expect(parquet.length).toBeGreaterThan(1);
      expect(plain(csv)).toEqual(parquet);
    },
  );

  test('keep hostile columns of the user unchanged, beside ours', async () => {
    const store = await resultCampaign(everyKind());
    await publishCampaign(store, END);
    const { parquet, types } = await both(store, 'molecule');
    const { Atoms, ...others } = HOSTILE_USER;
    expect(parquet[0]).toMatchObject({
      ...others,
      id: 'aspirin',
      Atoms_user: Atoms,
      atoms: 21,
      empty: null,
      other: null,
    });
    expect(parquet[1]).toMatchObject({ id: 'choline', other: 'choline only', project: null });
    // Also for rows without a result: the columns are the same when there is one.
    expect(types.map(([name]) => name)).toContain('of the lost');
    const residues = await both(store, 'sequence');
    expect(residues.parquet[3]).toMatchObject({ residue_index: 3, Residue_Index_user: '7' });
    const csv = await store.readText('tables/molecules.csv');
    expect(csv?.split('\n')[0]).toContain(`'=1+1`);
    expect(csv).toContain(`"'=cmd|""/c calc""!A1"`);
  });

  test('contain the successful items, and mark values that were not computed', async () => {
    const store = await resultCampaign(everyKind());
    await publishCampaign(store, END);
    const sql = `SELECT id, engine, engine_version FROM 'tables/molecules.parquet'`;
    expect(await query(store.location, sql)).toEqual([
      { id: 'aspirin', engine: 'recorded, ACPYPE 2023.10.27', engine_version: '2023.10.27' },
      { id: 'choline', engine: null, engine_version: null },
      { id: 'shape', engine: 'synthetic', engine_version: null },
    ]);
  });

  test('have null where the service returned NaN', async () => {
    const store = await resultCampaign(everyKind());
    await publishCampaign(store, END);
    const sql = `SELECT earlyFolding, early_folding, backbone FROM 'tables/residues.csv' WHERE id = 'p1' LIMIT 1`;
    expect(await query(store.location, sql)).toEqual([
      { earlyFolding: null, early_folding: null, backbone: 0.7382 },
    ]);
  });

  test('exist without rows if the campaign has no result', async () => {
    const store = await endedCampaign([]);
    await publishCampaign(store, END);
    for (const kind of KINDS) {
      const { csv, parquet, types } = await both(store, kind);
      expect([csv, parquet]).toEqual([[], []]);
      expect(types.map(([name]) => name)).toEqual(RESULT_COLUMNS[kind].map(({ name }) => name));
    }
  });
});
