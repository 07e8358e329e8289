/** The output of the format readers, before values are checked. */
import type { Complaint } from './problems/problems.ts';

export interface RawRow {
  /** Where the row begins, from 1; null for a problem of the whole file. */
  readonly line: number | null;
  /** Column → value as the user wrote it; null if the row could not be read. */
  readonly cells: Readonly<Record<string, string>> | null;
  readonly complaints: readonly Complaint[];
  /** The row's name in the source, if it is not in a cell: the id is made from it. */
  readonly nameHint?: string;
  /** The input, if it is in the source itself but not in a cell: a record of an SD file. */
  readonly carried?: { readonly extension: string; readonly text: string };
}

/** Facts about the file, for a reader that gets its text. */
export interface ReadFrom {
  /** The file name as the user sees it: `library.sdf.gz`. */
  readonly file: string;
  /** `library` */
  readonly stem: string;
  /** `.sdf` */
  readonly extension: string;
}

/** Rows come in batches, one per piece of text: a promise for each row would cost more than reading it. */
export type RowReader = (
  text: AsyncIterable<string>,
  from: ReadFrom,
) => AsyncGenerator<readonly RawRow[]>;

/** A problem of the file. */
export function aboutFile(...complaints: Complaint[]): RawRow {
  return { line: null, cells: null, complaints };
}
