/** Our columns (docs/manifest.md), and names that were probably meant to be one of them. */
import { complaint, type Complaint } from './problems/problems.ts';
import { ALL_KINDS } from '../kinds/registry.ts';
import { nearest } from './problems/nearest.ts';

/** Columns that may contain the input themselves. */
const CELLS = ALL_KINDS.flatMap(({ input }) => input.column ?? []);
const OPTIONS = ALL_KINDS.flatMap(({ options }) => Object.entries(options));

/** The columns that contain or name the input. */
export const INPUT_FIELDS: readonly string[] = ['file', ...CELLS.map(({ name }) => name)];
/**
 * The same, and the column that names an existing job, whose input the service has. A table without any of them has
 * nothing to run.
 */
export const WORK_FIELDS: readonly string[] = [...INPUT_FIELDS, 'remote_id'];

export const FIELDS: readonly string[] = [
  'id',
  'kind',
  ...WORK_FIELDS,
  ...OPTIONS.map(([name]) => name),
  'email',
  'title',
];

/** Names of our columns in other programs. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  id: ['name', 'identifier', 'compound_id', 'compound_name', 'compound', 'molecule_id', 'mol_id'],
  file: ['path', 'filename', 'file_name', 'filepath', 'file_path', 'input_file'],
  remote_id: ['request_id', 'hash_id'],
  ...Object.fromEntries(CELLS.map(({ name, synonyms }) => [name, synonyms])),
  ...Object.fromEntries(OPTIONS.map(([name, { synonyms = [] }]) => [name, synonyms])),
};

const FIELD_NAMES: ReadonlySet<string> = new Set(FIELDS);

export function isField(column: string): boolean {
  return FIELD_NAMES.has(column);
}

/** Columns by our names: `SMILES` becomes `smiles` if no other column has that name. Trimmed. */
export function fieldNames(columns: readonly string[]): string[] {
  const names = columns.map((column) => column.trim());
  const written = new Set(names);
  return names.map((name) => {
    const folded = name.toLowerCase();
    return isField(folded) && !written.has(folded) ? folded : name;
  });
}

/** Per table: the maximum of a spreadsheet. */
const COLUMNS_LIMIT = 16_384;

/** Problems of the header line; not `usable`: no row can be read with it. */
export function checkHeader(
  written: readonly string[],
  line: number,
): { readonly usable: boolean; readonly complaints: readonly Complaint[] } {
  if (written.length > COLUMNS_LIMIT) {
    const facts = { columns: written.length, limit: COLUMNS_LIMIT };
    return { usable: false, complaints: [complaint('MANIFEST_COLUMNS_TOO_MANY', facts, { line })] };
  }
  const columns = fieldNames(written).filter((column) => column !== '');
  const complaints: Complaint[] = [];
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const column of columns) (seen.has(column) ? repeated : seen).add(column);
  for (const column of repeated) {
    const where = { column, value: column, line };
    complaints.push(complaint('MANIFEST_COLUMN_REPEATED', { column }, where));
  }
  complaints.push(...new ColumnWatch().see(columns, line));
  const usable = WORK_FIELDS.some((field) => seen.has(field));
  if (!usable) {
    const where = { line, value: columns.join(',') };
    complaints.push(complaint('MANIFEST_COLUMNS_MISSING', { found: columns }, where));
  }
  return { usable, complaints };
}

/** Reports every column of a manifest once, at its first row. */
export class ColumnWatch {
  readonly #seen = new Set<string>();

  /** `columns`: all of one row. */
  see(columns: readonly string[], line: number): Complaint[] {
    const found: Complaint[] = [];
    for (const column of columns) {
      // Rows of JSON can have any number of new columns.
      if (this.#seen.has(column) || this.#seen.size > COLUMNS_LIMIT) continue;
      this.#seen.add(column);
      if (isField(column)) continue;
      const suggestion = meant(column, columns);
      if (suggestion === null) continue;
      const where = { column, value: column, line };
      found.push(complaint('MANIFEST_COLUMN_TYPO', { column, suggestion }, where));
    }
    return found;
  }
}

/** Our column that was probably meant; another program's name counts only if ours is missing. */
function meant(column: string, columns: readonly string[]): string | null {
  const plain = column
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  const near = nearest(plain, FIELDS);
  if (near !== null) return near;
  const field = FIELDS.find((known) => SYNONYMS[known]?.includes(plain));
  if (field === undefined) return null;
  const isInput = INPUT_FIELDS.some((known) => known === field);
  const rivals: readonly string[] = isInput ? INPUT_FIELDS : [field];
  return columns.some((name) => rivals.includes(name)) ? null : field;
}
