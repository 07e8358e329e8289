/** CSV and TSV: the first line has the column names, every other line is a row. */
import { REASON_COLUMNS, unguarded } from '../../domain/formula-guard.ts';
import { checkHeader, fieldNames, WORK_FIELDS } from '../columns.ts';
import { complaint, type Complaint } from '../problems/problems.ts';
import { aboutFile, type RawRow, type RowReader } from '../raw-row.ts';
import { DelimitedRows, type DelimitedRow, type Delimiter } from './delimited-rows.ts';
import { ROW_TOO_LONG } from './lines.ts';

export const readCsv: RowReader = (text) => readDelimited(text, [',', ';', '\t'], 'CSV');
export const readTsv: RowReader = (text) => readDelimited(text, ['\t'], 'TSV');

async function* readDelimited(
  text: AsyncIterable<string>,
  delimiters: readonly [Delimiter, ...Delimiter[]],
  format: string,
): AsyncGenerator<readonly RawRow[]> {
  let rows = new DelimitedRows(delimiters[0]);
  let begun = false;
  const table = new Table();
  for await (const piece of text) {
    if (!begun) rows = new DelimitedRows(delimiterOf(piece, delimiters));
    begun = true;
    const read = table.read(rows.take(piece));
    if (read.length > 0) yield read;
    // Without an input column every row would be invalid: it is reported once.
    if (!table.isUsable) return;
    if (rows.isTooLong) {
      yield [broken(rows.line, format, ROW_TOO_LONG)];
      return;
    }
  }
  yield table.read(rows.end());
  if (table.isUsable && rows.isOpen) {
    yield [broken(rows.line, format, 'a double quote that is opened in this row is never closed')];
  }
}

/**
 * Spreadsheet programs write semicolons if the comma is the decimal separator: uses the one with which the header names
 * an input.
 */
function delimiterOf(piece: string, delimiters: readonly [Delimiter, ...Delimiter[]]): Delimiter {
  const header = /^[^\r\n]*/.exec(piece.trimStart())?.[0] ?? '';
  const names = (delimiter: Delimiter): readonly string[] =>
    fieldNames(header.split(delimiter).map((name) => name.replace(/^\s*"(.*)"\s*$/, '$1')));
  const isIn = (delimiter: Delimiter): boolean =>
    WORK_FIELDS.some((field) => names(delimiter).includes(field));
  return delimiters.find(isIn) ?? delimiters[0];
}

function broken(line: number, format: string, reason: string): RawRow {
  return { line, cells: null, complaints: [complaint('MANIFEST_SYNTAX', { format, reason })] };
}

class Table {
  /** Null before the header. */
  #columns: readonly string[] | null = null;
  isUsable = true;
  /** A failed.csv: the apostrophes that keep a spreadsheet from evaluating a cell are removed again. */
  #isGuarded = false;

  read(rows: readonly DelimitedRow[]): RawRow[] {
    const read: RawRow[] = [];
    for (const row of rows) {
      if (!this.isUsable) break;
      if (row.cells.every(isBlank)) continue;
      if (this.#columns === null) read.push(...this.#readHeader(row));
      else read.push(rowOf(this.#columns, row, this.#isGuarded));
    }
    return read;
  }

  #readHeader(row: DelimitedRow): RawRow[] {
    const { line } = row;
    this.#isGuarded = REASON_COLUMNS.every((name) => row.cells.includes(name));
    const cells = this.#isGuarded ? row.cells.map(unguarded) : row.cells;
    const { usable, complaints } = checkHeader(cells, line);
    this.#columns = fieldNames(cells);
    this.isUsable = usable;
    return complaints.length > 0 ? [aboutFile(...complaints)] : [];
  }
}

const NOTHING: readonly Complaint[] = [];

function rowOf(columns: readonly string[], row: DelimitedRow, isGuarded: boolean): RawRow {
  const cells: Record<string, string> = {};
  for (let at = 0; at < columns.length; at += 1) {
    const column = columns[at] ?? '';
    const written = row.cells[at] ?? '';
    const cell = isGuarded ? unguarded(written) : written;
    if (column === '__proto__') Object.defineProperty(cells, column, ownValue(cell));
    else if (column !== '') cells[column] = cell;
  }
  const isWhole = row.cells.length === columns.length && row.misquoted === null;
  const complaints = isWhole && !columns.includes('') ? NOTHING : cellComplaints(columns, row);
  return { line: row.line, cells, complaints };
}

/** `cells.__proto__ = …` would set the prototype. */
function ownValue(value: string): PropertyDescriptor {
  return { value, enumerable: true, writable: true, configurable: true };
}

function cellComplaints(columns: readonly string[], row: DelimitedRow): Complaint[] {
  const complaints: Complaint[] = [];
  const counts = { cells: row.cells.length, columns: columns.length };
  if (row.misquoted !== null) {
    complaints.push(complaint('MANIFEST_ROW_QUOTES', {}, { value: row.misquoted }));
  }
  // Spreadsheets add empty cells without a column at the end of rows.
  if (row.cells.some((cell, at) => !isBlank(cell) && (columns[at] ?? '') === '')) {
    complaints.push(complaint('MANIFEST_ROW_LONG', counts, { value: row.raw() }));
  } else if (counts.cells < counts.columns) {
    complaints.push(complaint('MANIFEST_ROW_SHORT', counts, { value: row.raw() }));
  }
  return complaints;
}

function isBlank(cell: string): boolean {
  return cell.trim() === '';
}
