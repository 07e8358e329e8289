/**
 * What a reader of one of the formats yields, before any value is looked at.
 */
import type { Complaint } from './problems/problems.ts';

export interface RawRow {
  /** Where the row begins, from 1; null when it tells of the whole file and is no row. */
  readonly line: number | null;
  /** Column → value as the user wrote it; null when the row could not be read. */
  readonly cells: Readonly<Record<string, string>> | null;
  readonly complaints: readonly Complaint[];
  /** What the source calls the row, where no cell does: an id is made of it. */
  readonly nameHint?: string;
  /** The input, where it stands in the source itself and no cell can hold it: a record of an SD file. */
  readonly carried?: { readonly extension: string; readonly text: string };
}

/** What a reader knows of the file beside its text. */
export interface ReadFrom {
  /** Its last part as the user sees it: `library.sdf.gz`. */
  readonly file: string;
  /** `library` */
  readonly stem: string;
  /** `.sdf` */
  readonly extension: string;
}

/** Rows come in handfuls, as a piece of text holds them: a promise for each would cost more than the reading. */
export type RowReader = (
  text: AsyncIterable<string>,
  from: ReadFrom,
) => AsyncGenerator<readonly RawRow[]>;

/** A word about the file. */
export function aboutFile(...complaints: Complaint[]): RawRow {
  return { line: null, cells: null, complaints };
}
