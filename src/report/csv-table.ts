/** The CSV of our tables: RFC 4180 with LF line ends, UTF-8 without BOM; and the user's own columns beside ours. */
import { guardCell } from '../domain/plain-text.ts';

/** Also those that RFC 4180 would not quote: readers take a lone CR for a line end, and trim spaces. */
const QUOTED = /[",\n\r]|^\s|\s$/;

/** A cell as written to a table. By csv-stringify, a publication would take twice the time. */
export function formatCsvCell(text: string): string {
  const cell = guardCell(text);
  return QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** A row with its line end. */
export function formatCsvLine(row: readonly string[]): string {
  return `${row.map(formatCsvCell).join(',')}\n`;
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
): Readonly<Record<string, string>> {
  const reserved = new Set(['', ...ours.map(foldName)]);
  const entries = Object.entries(own);
  const taken = new Set([...reserved, ...entries.map(([column]) => foldName(column))]);
  return Object.fromEntries(
    entries.map(([column, value]) => {
      let name = column;
      while (reserved.has(foldName(column)) && taken.has(foldName(name))) name += OWN_SUFFIX;
      taken.add(foldName(name));
      return [name, value];
    }),
  );
}

function foldName(name: string): string {
  return name.trim().toLowerCase();
}
