/** CSV and TSV (RFC 4180), parsed by csv-parse: the first line has the column names, every other line is a row. */
import { CsvError, parse } from 'csv-parse';
import { REASON_COLUMNS, unguardCell } from '../domain/plain-text.ts';
import { checkHeader, toFieldNames, listWorkFields } from './columns.ts';
import { createComplaint, type Complaint } from './problems.ts';
import { createFileRow, type RawRow, type RowReader } from './row.ts';
import { countLineBreaks, ROW_LIMIT, ROW_TOO_LONG } from './text.ts';

type Delimiter = ',' | ';' | '\t';

/** As csv-parse gives it with `raw`. */
interface Parsed {
  readonly record: readonly string[];
  /** As in the file, with the empty lines before it. */
  readonly raw: string;
}

interface DelimitedRow {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** As in the file. */
  readonly raw: string;
  /** The first cell whose quotes do not enclose it. */
  readonly misquoted: string | null;
}

export const readCsv: RowReader = (text) => readDelimited(text, [',', ';', '\t'], 'CSV');
export const readTsv: RowReader = (text) => readDelimited(text, ['\t'], 'TSV');

async function* readDelimited(
  text: AsyncIterable<string>,
  delimiters: readonly [Delimiter, ...Delimiter[]],
  format: string,
): AsyncGenerator<readonly RawRow[]> {
  let rows: ParsedRows | null = null;
  const table = new Table();
  for await (const piece of text) {
    rows ??= new ParsedRows(detectDelimiter(piece, delimiters));
    const read = table.read(rows.take(piece));
    if (read.length > 0) yield read;
    // Without an input column every row would be invalid: it is reported once.
    if (!table.isUsable || rows.failure !== null) break;
  }
  if (rows === null) return;
  if (table.isUsable && rows.failure === null) yield [...table.read(rows.end()), ...table.end()];
  if (table.isUsable && rows.failure !== null) {
    const { line, reason } = rows.failure;
    const complaints = [createComplaint('MANIFEST_SYNTAX', { format, reason })];
    yield [{ line, cells: null, complaints }];
  }
}

/** The rows of pieces of text. csv-parse counts a CRLF inside quotes twice, so lines are counted in what it read. */
class ParsedRows {
  readonly #parser;
  readonly #delimiter: Delimiter;
  /** Of the empty lines before the next row. */
  #line = 1;

  constructor(delimiter: Delimiter) {
    this.#delimiter = delimiter;
    this.#parser = parse({
      delimiter,
      raw: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      relax_column_count: true,
      // A misplaced quote must not hide the rows after it: it is found in `raw`.
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: ROW_LIMIT,
    });
    this.#parser.on('error', () => {
      // Told by `failure`; without a listener it would end the process.
    });
  }

  /** Why no row can follow, and where; the rows before it were read. */
  get failure(): { readonly line: number; readonly reason: string } | null {
    const { errored } = this.#parser;
    if (errored === null) return null;
    if (!(errored instanceof CsvError)) throw errored;
    const line = this.#line + countLineBreaks(emptyLines(String(errored['raw'])));
    return { line, reason: explainCsvError(errored) };
  }

  /** The rows that this piece completes; pieces never split a CRLF. */
  take(piece: string): DelimitedRow[] {
    this.#parser.write(piece);
    return this.#parsed();
  }

  /** The rows that the end of the text completes. */
  end(): DelimitedRow[] {
    this.#parser.end();
    return this.#parsed();
  }

  #parsed(): DelimitedRow[] {
    const rows: DelimitedRow[] = [];
    for (;;) {
      const parsed = this.#parser.read() as Parsed | null;
      if (parsed === null) return rows;
      const raw = parsed.raw.replace(/^[\r\n]+|[\r\n]+$/g, '');
      rows.push({
        line: this.#line + countLineBreaks(emptyLines(parsed.raw)),
        cells: parsed.record,
        raw,
        misquoted: findMisquotedCell(raw, this.#delimiter),
      });
      this.#line += countLineBreaks(parsed.raw);
    }
  }
}

/** `raw` begins with the empty lines before its row. */
function emptyLines(raw: string): string {
  return /^[\r\n]*/.exec(raw)?.[0] ?? '';
}

function explainCsvError({ code, message }: CsvError): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return ROW_TOO_LONG;
  if (code === 'CSV_QUOTE_NOT_CLOSED')
    return 'a double quote that is opened in this row is never closed';
  return message;
}

/**
 * Spreadsheet programs write semicolons if the comma is the decimal separator: uses the one with which the header names
 * an input.
 */
function detectDelimiter(
  piece: string,
  delimiters: readonly [Delimiter, ...Delimiter[]],
): Delimiter {
  const header = /^[^\r\n]*/.exec(piece.trimStart())?.[0] ?? '';
  const names = (delimiter: Delimiter): readonly string[] =>
    toFieldNames(header.split(delimiter).map((name) => name.replace(/^\s*"(.*)"\s*$/, '$1')));
  const isIn = (delimiter: Delimiter): boolean =>
    listWorkFields().some((field) => names(delimiter).includes(field));
  return delimiters.find(isIn) ?? delimiters[0];
}

class Table {
  /** Null before the header. */
  #columns: readonly string[] | null = null;
  isUsable = true;
  #rows = 0;
  readonly #shifted: Complaint[] = [];
  /** A failed.csv: the apostrophes that keep a spreadsheet from evaluating a cell are removed again. */
  #isGuarded = false;

  read(rows: readonly DelimitedRow[]): RawRow[] {
    const filled = rows.filter(({ cells }) => !cells.every(isBlank));
    const header = this.#columns === null ? filled.shift() : undefined;
    const read = header === undefined ? [] : this.#readHeader(header);
    const columns = this.#columns;
    if (columns === null || !this.isUsable) return read;
    return [...read, ...filled.map((row) => this.#readRow(columns, row))];
  }

  #readHeader(row: DelimitedRow): RawRow[] {
    const { line } = row;
    this.#isGuarded = REASON_COLUMNS.every((name) => row.cells.includes(name));
    const cells = this.#isGuarded ? row.cells.map(unguardCell) : row.cells;
    const { usable, complaints } = checkHeader(cells, line);
    this.#columns = toFieldNames(cells);
    this.isUsable = usable;
    return complaints.length > 0 ? [createFileRow(...complaints)] : [];
  }

  /** Rows with empty cells too many: spreadsheets add them to all rows, an unquoted comma to one. */
  end(): RawRow[] {
    const isUsual = this.#shifted.length * 2 > this.#rows + 1;
    return isUsual || this.#shifted.length === 0 ? [] : [createFileRow(...this.#shifted)];
  }

  #readRow(columns: readonly string[], row: DelimitedRow): RawRow {
    const cells: Record<string, string> = {};
    for (const [at, column] of columns.entries()) {
      const written = row.cells[at] ?? '';
      const cell = this.#isGuarded ? unguardCell(written) : written;
      if (column === '__proto__') Object.defineProperty(cells, column, createOwnValue(cell));
      else if (column !== '') cells[column] = cell;
    }
    const complaints = checkCells(columns, row);
    this.#rows += 1;
    if (row.cells.length > columns.length && complaints.length === 0) {
      this.#shifted.push(checkShifted(columns, row));
    }
    return { line: row.line, cells, complaints };
  }
}

/** `cells.__proto__ = …` would set the prototype. */
function createOwnValue(value: string): PropertyDescriptor {
  return { value, enumerable: true, writable: true, configurable: true };
}

function checkCells(columns: readonly string[], row: DelimitedRow): Complaint[] {
  const complaints: Complaint[] = [];
  const counts = { cells: row.cells.length, columns: columns.length };
  if (row.misquoted !== null) {
    complaints.push(createComplaint('MANIFEST_ROW_QUOTES', {}, { value: row.misquoted }));
  }
  // Spreadsheets add empty cells without a column at the end of rows.
  if (row.cells.some((cell, at) => !isBlank(cell) && (columns[at] ?? '') === '')) {
    complaints.push(createComplaint('MANIFEST_ROW_LONG', counts, { value: row.raw }));
  } else if (counts.cells < counts.columns) {
    complaints.push(createComplaint('MANIFEST_ROW_SHORT', counts, { value: row.raw }));
  }
  return complaints;
}

/** After an unquoted comma, the rest of the cell usually begins with a blank. */
function checkShifted(columns: readonly string[], { cells, line }: DelimitedRow): Complaint {
  const at = cells.findIndex((cell, index) => index > 0 && /^ \S/.test(cell));
  const last = cells.findLastIndex((cell, index) => !isBlank(cell) && columns[index] !== undefined);
  const column = columns[last] ?? '';
  const facts = {
    cells: cells.length,
    columns: columns.length,
    cut: cells[at - 1] ?? '',
    last: column,
  };
  return createComplaint('MANIFEST_ROW_SHIFTED', facts, { line, column, value: cells[last] ?? '' });
}

/**
 * The first cell whose quotes do not enclose it: text after the closing one, or blanks before the opening one. csv-parse
 * reads both as part of the text, which is seldom meant.
 */
function findMisquotedCell(raw: string, delimiter: Delimiter): string | null {
  if (!raw.includes('"')) return null;
  for (const [cell] of raw.matchAll(CELLS[delimiter])) {
    if (/^(?: +"|"(?:[^"]|"")*"(?!")[^])/.test(cell)) return cell;
  }
  return null;
}

/** A quoted cell with what follows it, or a plain one. */
const CELLS: Readonly<Record<Delimiter, RegExp>> = {
  ',': /(?<=^|,)(?:"(?:[^"]|"")*"[^,]*|[^,]*)/g,
  ';': /(?<=^|;)(?:"(?:[^"]|"")*"[^;]*|[^;]*)/g,
  '\t': /(?<=^|\t)(?:"(?:[^"]|"")*"[^\t]*|[^\t]*)/g,
};

function isBlank(cell: string): boolean {
  return cell.trim() === '';
}
