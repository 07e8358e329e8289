/** Rows of a result table as a Parquet file, in row groups. */
import { ByteWriter, ParquetWriter, type ColumnSource } from 'hyparquet-writer';
import { isList, type Cell, type Column, type ColumnType, type Slab } from './column.ts';

/**
 * The rows of a group are held in memory, about 16 bytes a cell, and its metadata until the end, some 800 bytes a
 * column: with 5,000 rows, the metadata of 30,000 proteins took 30 MB.
 */
const GROUP_ROWS = 20_000;

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

const TYPES: Readonly<Record<ColumnType, Partial<SchemaElement>>> = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  integer: { type: 'INT32' },
  number: { type: 'DOUBLE' },
  boolean: { type: 'BOOLEAN' },
};

/** Measured values hardly repeat: a dictionary, statistics or compression cost more than they save. */
const MEASURED = { encoding: 'PLAIN', codec: 'UNCOMPRESSED', statistics: false } as const;

export class ParquetGroups {
  readonly #columns: readonly Column[];
  readonly #bytes = new ByteWriter();
  readonly #writer: ParquetWriter;
  /** The slabs of the current group. */
  #slabs: Slab[] = [];
  #rows = 0;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    const schema = [
      { name: 'root', num_children: columns.length },
      ...columns.map(({ name, type }) => ({
        name,
        repetition_type: 'OPTIONAL' as const,
        ...TYPES[type],
      })),
    ];
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema, createdBy: 'hundredfold' });
  }

  /** @returns the bytes of the file that are ready; empty until a group is full */
  add(slab: Slab): Uint8Array<ArrayBuffer> {
    this.#slabs.push(slab);
    this.#rows += slab.rows;
    return this.#rows < GROUP_ROWS ? new Uint8Array() : this.#group();
  }

  /** @returns the rest of the file */
  end(): Uint8Array<ArrayBuffer> {
    const group = this.#rows === 0 ? new Uint8Array() : this.#group();
    void this.#writer.finish();
    const rest = this.#taken();
    const bytes = new Uint8Array(group.length + rest.length);
    bytes.set(group);
    bytes.set(rest, group.length);
    return bytes;
  }

  #group(): Uint8Array<ArrayBuffer> {
    // Writes synchronously, as its writer has no `flush`.
    void this.#writer.write({
      columnData: this.#columns.map((column, index) => this.#sourceOf(column, index)),
      rowGroupSize: this.#rows,
    });
    this.#slabs = [];
    this.#rows = 0;
    return this.#taken();
  }

  #sourceOf({ name, type }: Column, index: number): ColumnSource {
    const [slabs, rows] = [this.#slabs, this.#rows];
    return {
      name,
      // The writer reads one column after the other: only one is put together at a time.
      get data() {
        return columnOf(slabs, index, rows);
      },
      ...(type === 'number' && MEASURED),
    };
  }

  #taken(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes.getBytes().slice();
    // The position in the file stays in `offset`.
    this.#bytes.index = 0;
    return bytes;
  }
}

function columnOf(slabs: readonly Slab[], index: number, rows: number): Cell[] {
  const column = new Array<Cell>(rows);
  let at = 0;
  for (const slab of slabs) {
    const cell = slab.cells[index] ?? null;
    for (let row = 0; row < slab.rows; row += 1) {
      column[at++] = isList(cell) ? (cell[row] ?? null) : cell;
    }
  }
  return column;
}
