/** Files with several records: the size limit of a record, its name, and its row. */
import { BYTES_LIMIT } from '../sources/input-file.ts';
import { complaint } from '../problems/problems.ts';
import type { RawRow, ReadFrom } from '../raw-row.ts';

/** Maximum characters of a record, as of an input file. */
export const RECORD_LIMIT = BYTES_LIMIT;

export interface FileRecord {
  /** Of its first line. */
  readonly line: number;
  readonly text: string;
  /** The record's own name, for its id; may be empty. */
  readonly called: string;
  /** Cells besides the file. */
  readonly cells: Readonly<Record<string, string>>;
}

/** Makes rows from records, and holds the first one back: the only record of a file is named after the file. */
export class RecordRows {
  readonly #from: ReadFrom;
  readonly #extension: string;
  #held: FileRecord | null = null;
  #count = 0;

  /** `extension`: the extension for a single record in its own file. */
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

  /** For a record without end; nothing after it can be read. */
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
