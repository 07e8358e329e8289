/** `plan --fixes FILE`: a table in which inputs that were refused have likely corrections, such as salts their largest part. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { stringify } from 'csv-stringify/sync';
import type { CheckedRow } from '../domain/campaign.ts';
import { HundredfoldError } from '../domain/errors.ts';
import { findKind, listKinds } from '../kinds/registry.ts';
import { readFileName } from './sources.ts';

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
  const read = checked.filter(({ row }) => row !== null);
  const rows: Cells[] = [];
  let fixed = 0;
  for (const row of read.filter((one) => !isRecord(one))) {
    const cells = buildCells(row, path.dirname(path.resolve(file)));
    const repaired = await repairRow(row);
    if (repaired !== null) fixed += 1;
    rows.push({ id: row.id ?? '', ...cells, ...repaired });
  }
  if (fixed > 0) {
    const columns = [...new Set(rows.flatMap((cells) => Object.keys(cells)))];
    checkAbsent(file);
    await writeFile(file, stringify(rows, { header: true, columns }), { flag: 'wx' });
  }
  return { fixed, rows: rows.length, leftOut: read.length - rows.length };
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

/** Nothing is replaced. Throws USAGE. */
export function checkAbsent(file: string): void {
  if (!existsSync(file)) return;
  const expected = 'Name a file that does not exist yet: nothing is replaced.';
  throw new HundredfoldError('USAGE', `--fixes is "${file}"`, expected);
}
