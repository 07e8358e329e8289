/** CSV and TSV (RFC 4180), parsed by csv-parse: the first line has the column names, every other line is a row. */
import { CsvError, parse } from 'csv-parse';
import { formatShown, quote, REASON_COLUMNS, unguardCell } from '../domain/plain-text.ts';
import { checkHeader, toFieldNames, listWorkFields } from './columns.ts';
import { createSyntaxError } from './formats.ts';
import { type Finding, createError, createWarning } from '../kinds/kind.ts';
import { createFileRow, type RawRow, type RowReader } from './row.ts';
import { countLineBreaks } from './text.ts';

type Delimiter = ',' | ';' | '\t';

interface DelimitedRow {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** As in the file. */
  readonly raw: string;
}

export const readCsv: RowReader = (text) => readDelimited(text, [',', ';', '\t'], 'CSV');
export const readTsv: RowReader = (text) => readDelimited(text, ['\t'], 'TSV');

function* readDelimited(
  text: string,
  delimiters: readonly [Delimiter, ...Delimiter[]],
  format: string,
): Generator<RawRow> {
  const delimiter = detectDelimiter(text, delimiters);
  let table: Table | null = null;
  try {
    for (const row of parseRows(text, delimiter)) {
      if (row.cells.every(isBlank)) continue;
      if (table !== null) yield table.readRow(row);
      else {
        table = new Table(row, delimiter);
        if (table.findings.length > 0) yield createFileRow(...table.findings);
        // Without an input column every row would be invalid: it is reported once.
        if (!table.isUsable) return;
      }
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const findings = [createSyntaxError(format, error.message)];
    yield { line: error.line, cells: null, findings };
    return;
  }
  const shifted = table?.listShifted() ?? [];
  if (shifted.length > 0) yield createFileRow(...shifted);
}

/** Why no row follows, and where. */
class Unreadable extends Error {
  readonly line: number;
  constructor(line: number, { code, message }: CsvError) {
    const isOpen = code === 'CSV_QUOTE_NOT_CLOSED';
    super(isOpen ? 'a double quote that is opened in this row is never closed' : message);
    this.line = line;
  }
}

/** As csv-parse gives it with `raw`. */
interface Parsed {
  readonly record: readonly string[];
  /** As in the file, with the empty lines before it. */
  readonly raw: string;
}

/** Bytes parsed at once. */
const PIECE = 64 * 1024;

/**
 * csv-parse counts a CRLF inside quotes twice, so lines are counted in what it read. Throws `Unreadable` after the rows
 * before.
 */
function* parseRows(text: string, delimiter: Delimiter): Generator<DelimitedRow> {
  const parser = parse({
    delimiter,
    raw: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A misplaced quote must not hide the rows after it: it is found in `raw`.
    relax_quotes: true,
    skip_empty_lines: true,
  });
  parser.on('error', () => {
    // It is thrown below; without a listener it would end the process.
  });
  const bytes = Buffer.from(text);
  let line = 1;
  for (let at = 0; at <= bytes.length; at += PIECE) {
    parser.write(bytes.subarray(at, at + PIECE));
    if (at + PIECE > bytes.length) parser.end();
    let parsed: Parsed | null;
    while ((parsed = parser.read() as Parsed | null) !== null) {
      const { record: cells, raw } = parsed;
      const begins = line + countLineBreaks(emptyLines(raw));
      yield { line: begins, cells, raw: raw.replace(/^[\r\n]+|[\r\n]+$/g, '') };
      line += countLineBreaks(raw);
    }
  }
  const { errored } = parser;
  if (errored === null) return;
  if (!(errored instanceof CsvError)) throw errored;
  throw new Unreadable(line + countLineBreaks(emptyLines(String(errored['raw']))), errored);
}

/** `raw` begins with the empty lines before its row. */
function emptyLines(raw: string): string {
  return /^[\r\n]*/.exec(raw)?.[0] ?? '';
}

/**
 * Spreadsheet programs write semicolons if the comma is the decimal separator: uses the one with which the header names
 * an input.
 */
function detectDelimiter(
  text: string,
  delimiters: readonly [Delimiter, ...Delimiter[]],
): Delimiter {
  const header = /^\s*([^\r\n]*)/.exec(text)?.[1] ?? '';
  const names = (delimiter: Delimiter): readonly string[] =>
    toFieldNames(header.split(delimiter).map((name) => name.replace(/^\s*"(.*)"\s*$/, '$1')));
  const isIn = (delimiter: Delimiter): boolean =>
    listWorkFields().some((field) => names(delimiter).includes(field));
  return delimiters.find(isIn) ?? delimiters[0];
}

class Table {
  readonly findings: readonly Finding[];
  readonly isUsable: boolean;
  readonly #columns: readonly string[];
  readonly #delimiter: Delimiter;
  /** A failed.csv: the apostrophes that keep a spreadsheet from evaluating a cell are removed again. */
  readonly #isGuarded: boolean;
  #rows = 0;
  readonly #shifted: Finding[] = [];

  constructor(header: DelimitedRow, delimiter: Delimiter) {
    this.#isGuarded = REASON_COLUMNS.every((name) => header.cells.includes(name));
    const cells = header.cells.map((cell) => this.#unguard(cell));
    const { usable, findings } = checkHeader(cells, header.line);
    this.isUsable = usable;
    this.findings = findings;
    this.#columns = toFieldNames(cells);
    this.#delimiter = delimiter;
  }

  #unguard(cell: string): string {
    return this.#isGuarded ? unguardCell(cell) : cell;
  }

  /** Rows with empty cells too many: spreadsheets add them to all rows, an unquoted comma to one. */
  listShifted(): readonly Finding[] {
    const isUsual = this.#shifted.length * 2 > this.#rows + 1;
    return isUsual ? [] : this.#shifted;
  }

  readRow(row: DelimitedRow): RawRow {
    const columns = this.#columns;
    const cells: Record<string, string> = {};
    for (const [at, column] of columns.entries()) {
      const cell = this.#unguard(row.cells[at] ?? '');
      if (column === '__proto__') Object.defineProperty(cells, column, createOwnValue(cell));
      else if (column !== '') cells[column] = cell;
    }
    const findings = checkCells(columns, row, this.#delimiter);
    this.#rows += 1;
    if (row.cells.length > columns.length && findings.length === 0) {
      this.#shifted.push(checkShifted(columns, row));
    }
    return { line: row.line, cells, findings };
  }
}

/** `cells.__proto__ = …` would set the prototype. */
function createOwnValue(value: string): PropertyDescriptor {
  return { value, enumerable: true, writable: true, configurable: true };
}

function checkCells(
  columns: readonly string[],
  row: DelimitedRow,
  delimiter: Delimiter,
): Finding[] {
  const findings: Finding[] = [];
  const misquoted = findMisquotedCell(row.raw, delimiter);
  if (misquoted !== null) {
    const unbalanced = createError(
      'MANIFEST_ROW_QUOTES',
      `The quotes in this row are not balanced: ${formatShown(misquoted)}`,
      'Close every double quote before the comma, write a quote inside a quoted cell twice, and put no space before the first one.',
      { value: misquoted },
    );
    findings.push(unbalanced);
  }
  const counts = describeCounts(columns, row);
  // Spreadsheets add empty cells without a column at the end of rows.
  if (row.cells.some((cell, at) => !isBlank(cell) && (columns[at] ?? '') === '')) {
    const tooLong = createError(
      'MANIFEST_ROW_LONG',
      `${counts}.`,
      'Put cells that contain a comma in double quotes, or separate predictors with `;`.',
      { value: row.raw },
    );
    findings.push(tooLong);
  } else if (row.cells.length < columns.length) {
    const tooShort = createWarning(
      'MANIFEST_ROW_SHORT',
      `${counts}; the missing ones count as empty.`,
      'Check that the row is complete, and write an empty cell for each value that you leave out.',
      { value: row.raw },
    );
    findings.push(tooShort);
  }
  return findings;
}

function describeCounts(columns: readonly string[], { cells }: DelimitedRow): string {
  return `The row has ${cells.length} cells, but the header has ${columns.length} columns`;
}

/** After an unquoted comma, the rest of the cell usually begins with a blank. */
function checkShifted(columns: readonly string[], row: DelimitedRow): Finding {
  const { cells, line } = row;
  const at = cells.findIndex((cell, index) => index > 0 && /^ \S/.test(cell));
  const last = cells.findLastIndex((cell, index) => !isBlank(cell) && columns[index] !== undefined);
  const [cut = '', column = '', value = ''] = [cells[at - 1], columns[last], cells[last]];
  const perhaps = cut === '' ? '' : `, perhaps after ${quote(cut)}`;
  return createWarning(
    'MANIFEST_ROW_SHIFTED',
    `${describeCounts(columns, row)}, and the last cell is empty: a comma in a cell without quotes moves all that follow it${perhaps}; ${quote(column)} is ${quote(value)}.`,
    'Put a cell that contains a comma in double quotes, or remove the last comma of the row.',
    { line, column, value },
  );
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
