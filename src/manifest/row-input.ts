/**
 * The one input of a row: which column gives it, and its text.
 */
import { INPUT_FIELDS, type InputField } from './columns.ts';
import { readInputFile } from './input-file.ts';
import type { FieldValues } from './options.ts';
import { complaint, type Complaint } from './problems.ts';

export interface RowInput {
  readonly column: InputField;
  /** The cell, trimmed. */
  readonly value: string;
  /** Null when the file could not be read. */
  readonly text: string | null;
}

export interface ReadInput {
  /** Null when the row has none, or several. */
  readonly input: RowInput | null;
  readonly complaints: readonly Complaint[];
}

/** The column that a row without an input most likely lacks. */
const COLUMN_OF_KIND: ReadonlyMap<string, InputField> = new Map([
  ['molecule', 'smiles'],
  ['sequence', 'sequence'],
]);

export async function readInput(
  values: FieldValues,
  folder: string,
  allowOutside: boolean,
): Promise<ReadInput> {
  const columns = INPUT_FIELDS.filter((field) => values(field) !== '');
  const [column, ...others] = columns;
  if (column === undefined) {
    const kind = values('kind') === '' ? null : values('kind').toLowerCase();
    const where = { column: COLUMN_OF_KIND.get(kind ?? '') ?? 'file', value: '' };
    return { input: null, complaints: [complaint('MANIFEST_INPUT_MISSING', { kind }, where)] };
  }
  const value = values(column);
  if (others.length > 0) {
    const where = { column: others[0] ?? column, value: values(others[0] ?? column) };
    return { input: null, complaints: [complaint('MANIFEST_INPUT_REPEATED', { columns }, where)] };
  }
  if (column !== 'file') return { input: { column, value, text: value }, complaints: [] };
  const file = await readInputFile(value, folder, allowOutside);
  return file.type === 'text'
    ? { input: { column, value, text: file.text }, complaints: [] }
    : { input: { column, value, text: null }, complaints: [file.complaint] };
}
