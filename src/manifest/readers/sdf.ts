/**
 * SD files (BIOVIA, "CTfile formats"): molfiles, each followed by data items and `$$$$`. The molfile is the input, its
 * title line the name, and the data items are the user's own columns.
 */
import { isField } from '../columns.ts';
import type { RawRow, RowReader } from '../raw-row.ts';
import { linesOf, LineTooLong, type TextLine } from './lines.ts';
import { RECORD_LIMIT, RecordRows, type FileRecord } from './records.ts';

const END = '$$$$';
/** Title, program and comment are free text, and may contain anything. */
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
  // Only blank lines follow the last record, or it is unterminated.
  yield [...(record.isBlank ? [] : rows.add(record.close())), ...rows.end()];
};

class OpenRecord {
  readonly line: number;
  readonly #molfile: string[] = [];
  readonly #data = new Map<string, string[]>();
  /** The current data item. */
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
  take({ text }: TextLine): boolean {
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
    // A value computed by another program is not a job setting here: `net_charge` becomes `sdf_net_charge`.
    const column = isField(name.toLowerCase()) ? `sdf_${name}` : name;
    this.#item = this.#data.get(column) ?? [];
    this.#data.set(column, this.#item);
  }
}

/** `> <MELTING.POINT>`, `> 25 <MELTING.POINT>`, `> DT12`; null if it does not begin a data item. */
function dataName(line: string): string | null {
  if (!line.startsWith('>')) return null;
  return (/<(.*)>/.exec(line)?.[1] ?? line.slice(1)).trim() || 'data';
}
