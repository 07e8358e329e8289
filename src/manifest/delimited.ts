/**
 * CSV and TSV (RFC 4180: quotes, quoted line breaks), row by row.
 */
import { CsvError, parse, type Parser } from 'csv-parse';
import { REASON_COLUMNS, unguarded } from '../domain/formula-guard.ts';
import { ColumnWatch, INPUT_FIELDS } from './columns.ts';
import { lineBreaks } from './lines.ts';
import { complaint, type Complaint } from './problems.ts';
import { aboutFile, type RawRow, type RowReader } from './raw-row.ts';

/** Bytes of one row at most: a quote that is never closed must not swallow the memory. */
const ROW_LIMIT = 32 * 1024 * 1024;

type Delimiter = ',' | '\t';

/**
 * A row whose cells are quoted whole, or do not begin with a quote. The relaxed parser hands a cell with a
 * misplaced quote on as it stands, and with it whatever it swallowed.
 */
const WELL_QUOTED: Readonly<Record<Delimiter, RegExp>> = {
  ',': /^(?:"[^"]*(?:""[^"]*)*"|(?! *")[^,\r\n]*)(?:,(?:"[^"]*(?:""[^"]*)*"|(?! *")[^,\r\n]*))*$/,
  '\t': /^(?:"[^"]*(?:""[^"]*)*"|(?! *")[^\t\r\n]*)(?:\t(?:"[^"]*(?:""[^"]*)*"|(?! *")[^\t\r\n]*))*$/,
};

interface Parsed {
  readonly raw: string;
  readonly record: readonly string[];
}

export const readCsv: RowReader = (text) => readDelimited(text, ',', 'CSV');
export const readTsv: RowReader = (text) => readDelimited(text, '\t', 'TSV');

async function* readDelimited(
  text: AsyncIterable<string>,
  delimiter: Delimiter,
  format: string,
): AsyncGenerator<RawRow> {
  let line = 1;
  let columns: readonly string[] | null = null;
  let written = asItStands;
  try {
    for await (const { raw, record } of rowsOf(text, delimiter)) {
      const begins = line;
      // csv-parse counts a quoted CRLF twice and keeps CR only of the one that ends a row: count for ourselves.
      line += lineBreaks(raw);
      if (record.every((cell) => cell.trim() === '')) continue;
      if (columns === null) {
        written = REASON_COLUMNS.every((name) => record.includes(name)) ? unguarded : asItStands;
        columns = record.map((name) => written(name.trim()));
        const { usable, complaints } = checkHeader(columns, begins);
        if (complaints.length > 0) yield aboutFile(...complaints);
        // Without an input column every single row would be wrong: say it once.
        if (!usable) return;
      } else yield rowOf(columns, { raw, record: record.map(written) }, begins, delimiter);
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    yield { line, cells: null, complaints: [syntaxComplaint(error, format)] };
  }
}

/** In a failed.csv the apostrophes that keep a spreadsheet from running a cell are taken off again. */
const asItStands = (cell: string): string => cell;

/**
 * The rows are taken from the parser as it makes them, not from its stream: that would drop what it has read
 * but not yet given out when it meets an error.
 */
async function* rowsOf(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<Parsed> {
  const rows: Parsed[] = [];
  const parser = parse({
    delimiter,
    raw: true,
    // All three, so that a file of mixed line ends loses no row.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    // A stray quote is kept and reported by us; strict mode gives up on the whole rest of the file.
    relax_quotes: true,
    max_record_size: ROW_LIMIT,
    on_record: (row: unknown) => {
      // With `raw` a record is this pair.
      rows.push(row as Parsed);
      return null;
    },
  });
  // Errors are awaited where they arise, in the write.
  parser.on('error', () => undefined).resume();
  try {
    for await (const piece of text) {
      const error = await feed(parser, piece);
      yield* rows.splice(0);
      if (error !== null) throw error;
    }
    const error = await feed(parser, null);
    yield* rows.splice(0);
    if (error !== null) throw error;
  } finally {
    parser.destroy();
  }
}

/** Gives the parser a piece of text, or its end; returns the error it meets. */
function feed(parser: Parser, piece: string | null): Promise<Error | null> {
  return new Promise((resolve) => {
    const done = (error?: Error | null): void => {
      resolve(error ?? null);
    };
    if (piece === null) parser.end(done);
    else parser.write(piece, done);
  });
}

function checkHeader(
  columns: readonly string[],
  line: number,
): { usable: boolean; complaints: Complaint[] } {
  const complaints: Complaint[] = [];
  const named = columns.filter((column) => column !== '');
  const repeated = new Set(named.filter((column, index) => named.indexOf(column) !== index));
  for (const column of repeated) {
    complaints.push(
      complaint('MANIFEST_COLUMN_REPEATED', { column }, { column, value: column, line }),
    );
  }
  complaints.push(...new ColumnWatch().see(new Set(named), line));
  const usable = INPUT_FIELDS.some((field) => named.includes(field));
  if (!usable)
    complaints.push(
      complaint('MANIFEST_COLUMNS_MISSING', { found: named }, { line, value: named.join(',') }),
    );
  return { usable, complaints };
}

function rowOf(
  columns: readonly string[],
  { raw, record }: Parsed,
  line: number,
  delimiter: Delimiter,
): RawRow {
  const complaints: Complaint[] = [];
  const counts = { cells: record.length, columns: columns.length };
  const suspect = record.find((cell) => /^ *"/.test(cell));
  if (suspect !== undefined && !WELL_QUOTED[delimiter].test(raw.trimEnd())) {
    complaints.push(complaint('MANIFEST_ROW_QUOTES', {}, { value: suspect }));
  }
  // Spreadsheets end rows with empty cells that no column names.
  if (record.some((cell, index) => cell.trim() !== '' && (columns[index] ?? '') === '')) {
    complaints.push(complaint('MANIFEST_ROW_LONG', counts, { value: raw.trimEnd() }));
  } else if (counts.cells < counts.columns) {
    complaints.push(complaint('MANIFEST_ROW_SHORT', counts, { value: raw.trimEnd() }));
  }
  const entries = columns.flatMap((column, index) =>
    column === '' ? [] : [[column, record[index] ?? ''] as const],
  );
  return { line, cells: Object.fromEntries(entries), complaints };
}

function syntaxComplaint(error: CsvError, format: string): Complaint {
  const reason =
    error.code === 'CSV_MAX_RECORD_SIZE'
      ? 'a row is longer than 32 MB'
      : 'a double quote that is opened in this row is never closed';
  return complaint('MANIFEST_SYNTAX', { format, reason });
}
