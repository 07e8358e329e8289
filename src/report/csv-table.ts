/** The CSV of our tables: RFC 4180 with LF line ends, UTF-8 without BOM. */
import { stringify } from 'csv-stringify/sync';
import { guarded } from '../domain/formula-guard.ts';

export type Row = readonly string[];

/** csv-stringify would not quote these, but readers take a lone CR for a line end, and trim spaces. */
const QUOTED = /\r|^\s|\s$/;

const STYLE = { record_delimiter: '\n', quoted_match: QUOTED };

/** A cell as written to a table. */
export function csvCell(text: string): string {
  return text === '' ? '' : stringify([[guarded(text)]], { ...STYLE, eof: false });
}

/** A row with its line end. */
export function csvLine(row: Row): string {
  return stringify([row.map(guarded)], STYLE);
}
