/** FASTA files given directly: one sequence per record, or one alignment. */
import { looksAligned } from '../../inputs/sequences/alignment.ts';
import { readFasta } from '../../inputs/sequences/fasta.ts';
import type { RawRow, ReadFrom, RowReader } from '../raw-row.ts';
import { linesOf, LineTooLong } from './lines.ts';
import { RECORD_LIMIT, RecordRows, type FileRecord } from './records.ts';

/** Characters that are examined to detect an alignment: a thousand rows of a thousand columns. */
const LOOK_AT = 1_000_000;

export const readFastaFile: RowReader = async function* (text, from) {
  const pieces = text[Symbol.asyncIterator]();
  try {
    let begun = '';
    let ended = false;
    while (begun.length < LOOK_AT && !ended) {
      const next = await pieces.next();
      if (next.done === true) ended = true;
      else begun += next.value;
    }
    const isAlignment = looksAligned(readFasta(ended ? begun : withoutLastRecord(begun)));
    const whole = continued(begun, pieces);
    yield* isAlignment ? alignmentRow(whole, from) : sequenceRows(whole, from);
  } finally {
    await pieces.return?.();
  }
};

/** The last record may continue in the next piece. */
function withoutLastRecord(text: string): string {
  return text.slice(0, Math.max(text.lastIndexOf('\n>'), text.lastIndexOf('\r>'), 0));
}

async function* continued(begun: string, pieces: AsyncIterator<string>): AsyncGenerator<string> {
  yield begun;
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    yield next.value;
  }
}

async function* alignmentRow(
  pieces: AsyncIterable<string>,
  from: ReadFrom,
): AsyncGenerator<readonly RawRow[]> {
  const rows = new RecordRows(from, '.fasta');
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length <= RECORD_LIMIT) continue;
    yield rows.tooLong(1, 'FASTA');
    return;
  }
  rows.add({ line: 1, text, called: '', cells: { kind: 'alignment' } });
  yield rows.end();
}

async function* sequenceRows(
  pieces: AsyncIterable<string>,
  from: ReadFrom,
): AsyncGenerator<readonly RawRow[]> {
  const rows = new RecordRows(from, '.fasta');
  let record = null as OpenRecord | null;
  try {
    for await (const lines of linesOf(pieces)) {
      const read: RawRow[] = [];
      for (const { text, number } of lines) {
        if (record?.isEndedBy(text) === true) {
          read.push(...rows.add(record.close()));
          record = null;
        }
        if (record === null && text.trim() !== '') record = new OpenRecord(number);
        record?.take(text);
      }
      if (record?.isTooLong === true) {
        yield [...read, ...rows.tooLong(record.line, 'FASTA')];
        return;
      }
      yield read;
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    yield rows.tooLong(error.line, 'FASTA');
    return;
  }
  yield [...(record === null ? [] : rows.add(record.close())), ...rows.end()];
}

class OpenRecord {
  readonly line: number;
  readonly #lines: string[] = [];
  #header: string | null = null;
  #length = 0;

  constructor(line: number) {
    this.line = line;
  }

  get isTooLong(): boolean {
    return this.#length > RECORD_LIMIT;
  }

  /** Text before the first header stays in the record, so that the checks find it. */
  isEndedBy(text: string): boolean {
    return text.startsWith('>') && this.#header !== null;
  }

  take(text: string): void {
    if (text.startsWith('>')) this.#header = text.slice(1).trim();
    this.#lines.push(text);
    this.#length += text.length + 1;
  }

  close(): FileRecord {
    while (this.#lines.at(-1)?.trim() === '') this.#lines.pop();
    const name = this.#header ?? '';
    // Without a header it may be an alignment in another format, detected by its content.
    const kind = this.#header === null ? null : { kind: 'sequence' };
    const cells = { ...kind, ...(name === '' ? null : { name }) };
    const called = name.split(/\s/, 1)[0] ?? '';
    return { line: this.line, text: `${this.#lines.join('\n')}\n`, called, cells };
  }
}
