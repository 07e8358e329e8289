/**
 * A row that is written as a JSON value.
 */
import type { ColumnWatch } from './columns.ts';
import { isField } from './columns.ts';
import { complaint, type Complaint } from './problems.ts';
import type { RawRow } from './raw-row.ts';

/** Reads the JSON text of one row. */
export function jsonRow(text: string, line: number, columns: ColumnWatch): RawRow {
  let value: unknown;
  try {
    value = JSON.parse(text, asWritten);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const facts = { format: 'JSON', reason: withoutEcho(error.message) };
    return {
      line,
      cells: null,
      complaints: [complaint('MANIFEST_SYNTAX', facts, { value: text })],
    };
  }
  return objectRow(value, line, columns);
}

/** V8 repeats the text in its message, unescaped; we show it ourselves. */
function withoutEcho(message: string): string {
  return message.replace(/,? ?(\.\.\.)?".*$/s, '').replace(/\s*\(line.*$/s, '');
}

/** Numbers stay as they are written: `1.0`, `+` signs aside, and codes of twenty digits. */
function asWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? value) : value;
}

/** Takes a mapping of column names to values; lists become text with commas. */
export function objectRow(value: unknown, line: number, columns: ColumnWatch): RawRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const complaints = [complaint('MANIFEST_ROW_NOT_OBJECT', { found: describe(value) })];
    return { line, cells: null, complaints };
  }
  const entries = Object.entries(value).map(
    ([name, cell]) => [name.trim(), cell as unknown] as const,
  );
  const complaints: Complaint[] = columns.see(
    entries.map(([name]) => name),
    line,
  );
  const cells = entries.map(([column, cell]) => {
    if (isField(column) && isNested(cell, column)) {
      complaints.push(
        complaint('MANIFEST_VALUE_NESTED', { column }, { column, value: JSON.stringify(cell) }),
      );
    }
    return [column, textOf(cell)] as const;
  });
  return { line, cells: Object.fromEntries(cells), complaints };
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

/** Only `predictors` may be a list. */
function isNested(cell: unknown, column: string): boolean {
  if (typeof cell !== 'object' || cell === null) return false;
  return !(column === 'predictors' && Array.isArray(cell) && cell.every(isPlain));
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'string') return cell;
  if (Array.isArray(cell) && cell.every(isPlain)) return cell.map(textOf).join(',');
  return typeof cell === 'number' ? String(cell) : JSON.stringify(cell);
}
