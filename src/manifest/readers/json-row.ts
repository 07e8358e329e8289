/** A row as a JSON value. */
import { fieldNames, isField, type ColumnWatch } from '../columns.ts';
import { complaint, type Complaint } from '../problems/problems.ts';
import type { RawRow } from '../raw-row.ts';

/** Reads the JSON text of one row. */
export function jsonRow(text: string, line: number, columns: ColumnWatch): RawRow {
  try {
    const value: unknown = JSON.parse(text, asWritten);
    return objectRow(value, line, columns);
  } catch (error) {
    const reason = brokenBecause(error);
    if (reason === null) throw error;
    const why = complaint('MANIFEST_SYNTAX', { format: 'JSON', reason }, { value: text });
    return { line, cells: null, complaints: [why] };
  }
}

/** Null if the text is not the cause. */
function brokenBecause(error: unknown): string | null {
  if (error instanceof SyntaxError) return withoutEcho(error.message);
  return isTooDeep(error) ? TOO_DEEP : null;
}

export const TOO_DEEP = 'it is nested too deeply';

/** A value with a hundred thousand levels exceeds the stack of recursive code. */
export function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}

/** V8 repeats the text in its message, unescaped; we show it ourselves. */
function withoutEcho(message: string): string {
  return message.replace(/,? ?(\.\.\.)?".*$/s, '').replace(/\s*\(line.*$/s, '');
}

/** Keeps the notation of numbers: `1.0`, exponents, and codes of twenty digits. */
function asWritten(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  return typeof value === 'number' ? (context?.source ?? value) : value;
}

/** Reads a mapping of column names to values; lists become comma-separated text. */
export function objectRow(value: unknown, line: number, columns: ColumnWatch): RawRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const complaints = [complaint('MANIFEST_ROW_NOT_OBJECT', { found: describe(value) })];
    return { line, cells: null, complaints };
  }
  const values: readonly unknown[] = Object.values(value);
  const names = fieldNames(Object.keys(value));
  const complaints: Complaint[] = columns.see(names, line);
  const cells = names.map((column, at) => {
    const cell = values[at];
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
