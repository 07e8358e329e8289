/**
 * The columns that are ours (docs/manifest.md), and names that were probably meant to be.
 */
import { complaint, type Complaint } from './problems.ts';
import { nearest } from './nearest.ts';

export const FIELDS = [
  'id',
  'kind',
  'file',
  'smiles',
  'sequence',
  'predictors',
  'charge_method',
  'net_charge',
  'atom_type',
  'model_class',
  'original_numbering',
  'email',
  'title',
] as const;
export type Field = (typeof FIELDS)[number];

/** The columns that can hold or name the input. */
export const INPUT_FIELDS = ['file', 'smiles', 'sequence'] as const;
export type InputField = (typeof INPUT_FIELDS)[number];

export function isField(column: string): column is Field {
  return (FIELDS as readonly string[]).includes(column);
}

/** Reports every column of a manifest once, at the row where it first appears. */
export class ColumnWatch {
  readonly #seen = new Set<string>();

  see(columns: Iterable<string>, line: number): Complaint[] {
    const found: Complaint[] = [];
    for (const column of columns) {
      if (this.#seen.has(column)) continue;
      this.#seen.add(column);
      if (isField(column)) continue;
      const suggestion = nearest(column.replace(/[\s-]+/g, '_'), FIELDS);
      if (suggestion !== null) {
        found.push(
          complaint(
            'MANIFEST_COLUMN_TYPO',
            { column, suggestion },
            { column, value: column, line },
          ),
        );
      }
    }
    return found;
  }
}
