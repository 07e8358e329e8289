/** A CSV table (RFC 4180 with LF line ends, UTF-8 without BOM), row by row: memory stays flat. */
import { Readable, pipeline } from 'node:stream';
import { stringify } from 'csv-stringify';
import { guarded } from '../domain/formula-guard.ts';

export type Row = readonly string[];

/** Quoted though csv-stringify would not: readers take a lone CR for a line end, and trim blanks. */
const QUOTED = /\r|^\s|\s$/;

export function csvTable(header: Row, rows: AsyncIterable<Row>): AsyncIterable<Uint8Array> {
  const writer = stringify({ record_delimiter: '\n', quoted_match: QUOTED });
  // Nothing to do in the callback: an error of `rows` destroys the writer with it, and whoever
  // reads the table meets it there.
  pipeline(Readable.from(cells(header, rows)), writer, () => undefined);
  return writer;
}

async function* cells(header: Row, rows: AsyncIterable<Row>): AsyncGenerator<Row> {
  yield header.map(guarded);
  for await (const row of rows) yield row.map(guarded);
}
