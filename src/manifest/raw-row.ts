/**
 * What a reader of one of the formats yields, before any value is looked at.
 */
import type { Complaint } from './problems.ts';

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

export type RowReader = (text: AsyncIterable<string>) => AsyncGenerator<RawRow>;

/** A word about the file. */
export function aboutFile(...complaints: Complaint[]): RawRow {
  return { line: null, cells: null, complaints };
}
