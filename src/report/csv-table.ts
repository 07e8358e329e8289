/** A CSV table (RFC 4180 with LF line ends, UTF-8 without BOM), row by row: memory stays flat. */
import { Readable, pipeline } from 'node:stream';
import { stringify } from 'csv-stringify';
import { stringify as stringifyAtOnce } from 'csv-stringify/sync';
import { guarded } from '../domain/formula-guard.ts';

export type Row = readonly string[];

/** Quoted though csv-stringify would not: readers take a lone CR for a line end, and trim blanks. */
const QUOTED = /\r|^\s|\s$/;

const STYLE = { record_delimiter: '\n', quoted_match: QUOTED };

/** A cell as it stands in a table. */
export function csvCell(text: string): string {
  return text === '' ? '' : stringifyAtOnce([[guarded(text)]], { ...STYLE, eof: false });
}

export function csvTable(header: Row, rows: AsyncIterable<Row>): AsyncIterable<Uint8Array> {
  const writer = stringify(STYLE);
  // Nothing to do in the callback: an error of `rows` destroys the writer with it, and whoever
  // reads the table meets it there.
  pipeline(Readable.from(cells(header, rows)), writer, () => undefined);
  return writer;
}

async function* cells(header: Row, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  yield header.map(guarded);
  for await (const row of rows) yield row.map(guarded);
}
