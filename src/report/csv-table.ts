/** CSV as our tables have it: RFC 4180 with LF line ends, UTF-8 without BOM. */
import { stringify } from 'csv-stringify/sync';
import { guarded } from '../domain/formula-guard.ts';

export type Row = readonly string[];

/** Quoted though csv-stringify would not: readers take a lone CR for a line end, and trim blanks. */
const QUOTED = /\r|^\s|\s$/;

const STYLE = { record_delimiter: '\n', quoted_match: QUOTED };

/** A cell as it stands in a table. */
export function csvCell(text: string): string {
  return text === '' ? '' : stringify([[guarded(text)]], { ...STYLE, eof: false });
}

/** A row with its line end. */
export function csvLine(row: Row): string {
  return stringify([row.map(guarded)], STYLE);
}

/** The same for cells that came out of such a table, whose formulas are guarded already. */
export function plainCsvLine(row: Row): string {
  return stringify([[...row]], STYLE);
}
