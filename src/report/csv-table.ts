/** The CSV of our tables: RFC 4180 with LF line ends, UTF-8 without BOM; and the user's own columns beside ours. */
import { stringify } from 'csv-stringify/sync';
import { guardCell } from '../domain/plain-text.ts';

export type Row = readonly string[];

/** csv-stringify would not quote these, but readers take a lone CR for a line end, and trim spaces. */
const QUOTED = /\r|^\s|\s$/;

const STYLE = { record_delimiter: '\n', quoted_match: QUOTED };

/** A cell as written to a table. */
export function formatCsvCell(text: string): string {
  return text === '' ? '' : stringify([[guardCell(text)]], { ...STYLE, eof: false });
}

/** A row with its line end. */
export function formatCsvLine(row: Row): string {
  return stringify([row.map(guardCell)], STYLE);
}

/**
 * Appended to the name of an own column that is also one of ours, or that is empty: JSON allows that, a table does not.
 */
const OWN_SUFFIX = '_user';

/**
 * The own cells by the name of their column in the table. Names are compared case-insensitively: databases and
 * spreadsheets do not distinguish `State` from `state`.
 */
export function renameOwnCells(
  own: Readonly<Record<string, string>>,
  ours: readonly string[],
): ReadonlyMap<string, string> {
  const reserved = listReserved(ours);
  const entries = Object.entries(own);
  // The common case: no column has to be renamed.
  if (!entries.some(([column]) => reserved.has(foldName(column)))) return new Map(entries);
  const taken = new Set([...reserved, ...Object.keys(own).map(foldName)]);
  return new Map(
    entries.map(([column, value]) => {
      let name = column;
      if (reserved.has(foldName(column))) {
        while (taken.has(foldName(name))) name += OWN_SUFFIX;
        taken.add(foldName(name));
      }
      return [name, value];
    }),
  );
}

/** Per list of our columns, of which there are few: this is called several times per item. */
const reservedNames = new WeakMap<readonly string[], ReadonlySet<string>>();

function listReserved(ours: readonly string[]): ReadonlySet<string> {
  let names = reservedNames.get(ours);
  if (names === undefined) reservedNames.set(ours, (names = new Set(['', ...ours.map(foldName)])));
  return names;
}

function foldName(name: string): string {
  return name.trim().toLowerCase();
}
