/** The single input of a row: which column has it, and its text. */
import { ALL_KINDS } from '../kinds/registry.ts';
import { INPUT_FIELDS } from './columns.ts';
import { readFileName } from './sources/file-name.ts';
import { readInputFile } from './sources/input-file.ts';
import type { FieldValues } from './options.ts';
import { complaint, type Complaint } from './problems/problems.ts';
import type { RawRow } from './raw-row.ts';

export interface RowInput {
  /** `file`, or the column of a kind. */
  readonly column: string;
  /** The cell, trimmed. */
  readonly value: string;
  /** Of the file, in lower case with its dot and without `.gz`; empty if the cell itself has the input. */
  readonly extension: string;
  /** Null if the file could not be read. */
  readonly text: string | null;
}

export interface ReadInput {
  /** Null if the row has none, or several. */
  readonly input: RowInput | null;
  readonly complaints: readonly Complaint[];
}

/** The column that a row without an input probably lacks. */
function missingColumn(kind: string | null): string {
  return ALL_KINDS.find(({ name }) => name === kind)?.input.column?.name ?? 'file';
}

/** Only files are asynchronous: with a million rows, a promise per row would be noticeable. */
export function readInput(
  values: FieldValues,
  carried: RawRow['carried'],
  folder: string,
  allowOutside: boolean,
): ReadInput | Promise<ReadInput> {
  const columns = INPUT_FIELDS.filter((field) => values(field) !== '');
  const [column, ...others] = columns;
  if (column === undefined) {
    // The service already has the job's input.
    if (values('remote_id') !== '') return { input: null, complaints: [] };
    const kind = values('kind') === '' ? null : values('kind').toLowerCase();
    const where = { column: missingColumn(kind), value: '' };
    return { input: null, complaints: [complaint('MANIFEST_INPUT_MISSING', { kind }, where)] };
  }
  const value = values(column);
  if (others.length > 0) {
    const where = { column: others[0] ?? column, value: values(others[0] ?? column) };
    return { input: null, complaints: [complaint('MANIFEST_INPUT_REPEATED', { columns }, where)] };
  }
  if (column !== 'file') {
    return { input: { column, value, extension: '', text: value }, complaints: [] };
  }
  if (carried) return { input: { column, value, ...carried }, complaints: [] };
  return readFromFile(value, folder, allowOutside);
}

async function readFromFile(
  value: string,
  folder: string,
  allowOutside: boolean,
): Promise<ReadInput> {
  const file = await readInputFile(value, folder, allowOutside);
  const input = { column: 'file', value, extension: readFileName(value).extension } as const;
  return file.type === 'text'
    ? { input: { ...input, text: file.text }, complaints: [] }
    : { input: { ...input, text: null }, complaints: [file.complaint] };
}
