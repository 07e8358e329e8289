/**
 * SD files (BIOVIA, "CTfile formats"): molfiles, each followed by data items and `$$$$`. The molfile is the input,
 * its title line the name, and the data items are columns of the user's own.
 */
import { isField } from '../columns.ts';
import type { RawRow, RowReader } from '../raw-row.ts';
import { linesOf, LineTooLong, type Line } from './lines.ts';
import { RECORD_LIMIT, RecordRows, type FileRecord } from './records.ts';

const END = '$$$$';
/** Title, program and comment are free text, and may look like anything. */
const HEADER_LINES = 3;

export const readSdf: RowReader = async function* (text, from) {
  const rows = new RecordRows(from, '.sdf');
  let record = new OpenRecord(1);
  try {
    for await (const lines of linesOf(text)) {
      const read: RawRow[] = [];
      for (const line of lines) {
        if (record.take(line)) continue;
        read.push(...rows.add(record.close()));
        record = new OpenRecord(line.number + 1);
      }
      if (record.isTooLong) {
        yield [...read, ...rows.tooLong(record.line, 'SDF')];
        return;
      }
      yield read;
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    yield rows.tooLong(record.line, 'SDF');
    return;
  }
  // Nothing but blank lines follows the last record, or it is not ended.
  yield [...(record.isBlank ? [] : rows.add(record.close())), ...rows.end()];
};

class OpenRecord {
  readonly line: number;
  readonly #molfile: string[] = [];
  readonly #data = new Map<string, string[]>();
  /** The data item that is being read. */
  #item: string[] | null = null;
  #inData = false;
  #length = 0;
  isBlank = true;

  constructor(line: number) {
    this.line = line;
  }

  get isTooLong(): boolean {
    return this.#length > RECORD_LIMIT;
  }

  /** False at the line that ends the record. */
  take({ text }: Line): boolean {
    if (text.startsWith(END)) return false;
    this.isBlank &&= text.trim() === '';
    this.#length += text.length + 1;
    const name = this.#molfile.length > HEADER_LINES ? dataName(text) : null;
    if (name !== null) this.#begin(name);
    else if (!this.#inData) this.#molfile.push(text);
    else if (text.trim() === '') this.#item = null;
    else this.#item?.push(text);
    return true;
  }

  close(): FileRecord {
    while (this.#molfile.at(-1)?.trim() === '' && this.#molfile.length > HEADER_LINES + 1) {
      this.#molfile.pop();
    }
    const name = (this.#molfile[0] ?? '').trim();
    const data = [...this.#data].map(([column, lines]) => [column, lines.join('\n')] as const);
    const cells = Object.fromEntries([...(name === '' ? [] : [['name', name] as const]), ...data]);
    return { line: this.line, text: [...this.#molfile, END, ''].join('\n'), called: name, cells };
  }

  #begin(name: string): void {
    this.#inData = true;
    // What another program computed is no setting of a job here: `net_charge` becomes `sdf_net_charge`.
    const column = isField(name.toLowerCase()) ? `sdf_${name}` : name;
    this.#item = this.#data.get(column) ?? [];
    this.#data.set(column, this.#item);
  }
}

/** `> <MELTING.POINT>`, `> 25 <MELTING.POINT>`, `> DT12`; null when it begins no data item. */
function dataName(line: string): string | null {
  if (!line.startsWith('>')) return null;
  return (/<(.*)>/.exec(line)?.[1] ?? line.slice(1)).trim() || 'data';
}
