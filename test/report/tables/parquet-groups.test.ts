/** A Parquet file with more rows than a row group has, read with DuckDB. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { columns, type Slab } from '../../../src/report/tables/column.ts';
import { ParquetGroups } from '../../../src/report/tables/parquet-groups.ts';
import { temporaryFolder } from '../../store/temporary-folder.ts';
import { query } from './duck.ts';

const COLUMNS = [
  ...columns('text', 'item', 'residue'),
  ...columns('integer', 'position'),
  ...columns('number', 'backbone', 'helix'),
];
const ITEMS = 350;
const RESIDUES = 130;

/** A protein: every seventh value of the last column is missing. */
function protein(item: number): Slab {
  const positions = Array.from({ length: RESIDUES }, (_, at) => at + 1);
  return {
    rows: RESIDUES,
    cells: [
      `protein-${item}`,
      positions.map((at) => 'ACDEFGHIKL'[(at + item) % 10] ?? null),
      positions,
      positions.map((at) => item + at / 1_000),
      positions.map((at) => (at % 7 === 0 ? null : at / 2 - item)),
    ],
  };
}

test('a table of several row groups has every row once, in order, with its values', async () => {
  const folder = await temporaryFolder();
  const groups = new ParquetGroups(COLUMNS);
  const pieces: Uint8Array[] = [];
  for (let item = 0; item < ITEMS; item += 1) pieces.push(groups.add(protein(item)));
  pieces.push(groups.end());
  await writeFile(join(folder, 'table.parquet'), Buffer.concat(pieces));

  const [{ groups: found } = {}] = await query(
    folder,
    `SELECT count(DISTINCT row_group_id)::INTEGER AS groups FROM parquet_metadata('table.parquet')`,
  );
  expect(found).toBe(3);
  const rows = await query(folder, `SELECT * FROM 'table.parquet'`);
  const expected = Array.from({ length: ITEMS }, (_, item) => rowsOf(protein(item))).flat();
  expect(rows).toEqual(expected);
});

function rowsOf({ rows, cells }: Slab) {
  return Array.from({ length: rows }, (_, row) =>
    Object.fromEntries(
      COLUMNS.map(({ name }, index) => {
        const cell = cells[index] ?? null;
        return [name, typeof cell === 'object' ? (cell?.[row] ?? null) : cell];
      }),
    ),
  );
}
