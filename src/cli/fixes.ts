/**
 * `plan --fixes`: the table with likely corrections of the rows that were refused, and the original beside each, for
 * review. A table that exists is never replaced.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'csv-stringify/sync';
import { hasErrno } from '../domain/process.ts';
import { HundredfoldError } from '../domain/errors.ts';
import type { CheckedRow } from '../domain/item.ts';
import { listKinds, findKind } from '../kinds/registry.ts';
import { readFileName } from '../manifest/sources.ts';

interface Fixes {
  /** Rows whose input was corrected. */
  readonly fixed: number;
  /** Rows in the table. */
  readonly rows: number;
  /** Records of files with several, which a table cannot hold. */
  readonly leftOut: number;
}

type Cells = Record<string, string>;

/** Writes nothing if there is nothing to correct. Throws USAGE if the file exists. */
export async function writeFixes(file: string, checked: readonly CheckedRow[]): Promise<Fixes> {
  const rows: Cells[] = [];
  let [fixed, leftOut] = [0, 0];
  for (const row of checked) {
    if (row.row === null) continue;
    if (isRecord(row)) {
      leftOut += 1;
      continue;
    }
    const cells = buildCells(row, path.dirname(path.resolve(file)));
    const repaired = await repairRow(row);
    if (repaired !== null) fixed += 1;
    rows.push({ id: row.id ?? '', ...cells, ...repaired });
  }
  if (fixed > 0) await writeNew(file, rows);
  return { fixed, rows: rows.length, leftOut };
}

function isRecord({ row, source }: CheckedRow): boolean {
  const { extension } = readFileName(source.file);
  const isLibrary = listKinds().some(({ input }) => input.records?.[extension] !== undefined);
  return isLibrary && row?.['file'] !== undefined;
}

/** Paths are relative to the folder of the new table. */
function buildCells({ row, source }: CheckedRow, folder: string): Cells {
  const file = (row?.['file'] ?? '').trim();
  if (file === '') return { ...row };
  const there = path.resolve(path.dirname(source.file), file);
  return { ...row, file: path.relative(folder, there) };
}

async function repairRow({ item, kind, row }: CheckedRow): Promise<Cells | null> {
  if (item !== null || kind === null) return null;
  const { input } = findKind(kind);
  const column = input.column?.name;
  const text = column === undefined ? '' : (row?.[column] ?? '').trim();
  if (column === undefined || text === '') return null;
  const repaired = await input.repair?.(text);
  return repaired == null ? null : { [column]: repaired, [`original_${column}`]: text };
}

async function writeNew(file: string, rows: readonly Cells[]): Promise<void> {
  const columns = [...new Set(rows.flatMap((cells) => Object.keys(cells)))];
  try {
    await writeFile(file, stringify([...rows], { header: true, columns }), { flag: 'wx' });
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error;
    throw createExistsError(file);
  }
}

export function createExistsError(file: string): Error {
  const expected = 'Name a file that does not exist yet: nothing is replaced.';
  return new HundredfoldError('USAGE', `--fixes is "${file}"`, expected);
}
