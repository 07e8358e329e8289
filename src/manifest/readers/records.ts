/**
 * Files that hold one record after the other: how long one may be, what it is called, and the row that it makes.
 */
import { BYTES_LIMIT } from '../sources/input-file.ts';
import { complaint } from '../problems/problems.ts';
import type { RawRow, ReadFrom } from '../raw-row.ts';

/** Characters of a record at most, as of an input file. */
export const RECORD_LIMIT = BYTES_LIMIT;

export interface FileRecord {
  /** Of its first line. */
  readonly line: number;
  readonly text: string;
  /** What the record calls itself, for its id; may be empty. */
  readonly called: string;
  /** Cells beside the file. */
  readonly cells: Readonly<Record<string, string>>;
}

/** Makes rows of records, and holds the first one back: the only record of a file is named after the file. */
export class RecordRows {
  readonly #from: ReadFrom;
  readonly #extension: string;
  #held: FileRecord | null = null;
  #count = 0;

  /** `extension`: what a single record would be in a file of its own. */
  constructor(from: ReadFrom, extension: string) {
    this.#from = from;
    this.#extension = extension;
  }

  add(record: FileRecord): RawRow[] {
    this.#count += 1;
    if (this.#count === 1) {
      this.#held = record;
      return [];
    }
    return [...this.#release(), this.#row(record, this.#nameOf(record, this.#count))];
  }

  end(): RawRow[] {
    return this.#held === null ? [] : [this.#row(this.#held, this.#from.stem)];
  }

  /** For a record that does not end; nothing can be read after it. */
  tooLong(line: number, format: string): RawRow[] {
    const reason = `a record is longer than ${String(RECORD_LIMIT / 1e6)} MB`;
    const why = complaint('MANIFEST_SYNTAX', { format, reason });
    return [...this.#release(), { line, cells: null, complaints: [why] }];
  }

  #release(): RawRow[] {
    const held = this.#held;
    this.#held = null;
    return held === null ? [] : [this.#row(held, this.#nameOf(held, 1))];
  }

  #nameOf({ called }: FileRecord, number: number): string {
    return called === '' ? `${this.#from.stem}-${String(number)}` : called;
  }

  #row({ line, text, cells }: FileRecord, nameHint: string): RawRow {
    return {
      line,
      cells: { file: this.#from.file, ...cells },
      complaints: [],
      nameHint,
      carried: { extension: this.#extension, text },
    };
  }
}
