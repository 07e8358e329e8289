/** Files with several inputs, one item per record: a list with one a line (SMILES), FASTA, SD files. */
import { listKinds, type AnyKind } from '../kinds/registry.ts';
import { isField } from './columns.ts';
import { MAX_INPUT_BYTES } from './input-file.ts';
import { createComplaint } from './problems.ts';
import type { RawRow, ReadFrom, RowReader } from './row.ts';
import { splitLines, LineTooLong, type TextLine } from './text.ts';

/** The kind whose inputs are the records of such a file. */
function recordKind({ extension }: ReadFrom): AnyKind {
  const kind = listKinds().find(({ input }) => input.records?.[extension] !== undefined);
  if (!kind) throw new RangeError(`no records in ${extension}`);
  return kind;
}

/**
 * One input per line, followed by a space or tab and its name (for SMILES: Daylight, OpenSMILES 4.5). Lines that begin
 * with `#` are comments; a first line whose first word is the name of the input's column is a header, as RDKit and ZINC
 * write it.
 */
export const readLines: RowReader = async function* (text, from) {
  const { column } = recordKind(from).input;
  const headers = [column?.name, ...(column?.synonyms ?? [])];
  let count = 0;
  let mayBeHeader = true;
  for await (const lines of splitLines(text)) {
    const rows: RawRow[] = [];
    for (const { text: line, number } of lines) {
      const content = line.trim();
      if (content === '' || content.startsWith('#')) continue;
      const [, input = content, name = ''] = /^(\S+)\s+(.*)$/s.exec(content) ?? [];
      const isHeader = mayBeHeader && headers.includes(input.toLowerCase());
      mayBeHeader = false;
      if (isHeader) continue;
      count += 1;
      const cells = { [column?.name ?? 'file']: input, ...(name !== '' && { name }) };
      // Tables with more columns begin with these two.
      const nameHint = name.split('\t')[0] || `${from.stem}-${String(count)}`;
      rows.push({ line: number, cells, complaints: [], nameHint });
    }
    yield rows;
  }
};

interface FileRecord {
  /** Of its first line. */
  readonly line: number;
  readonly text: string;
  /** The record's own name, for its id; may be empty. */
  readonly called: string;
  /** Cells besides the file. */
  readonly cells: Readonly<Record<string, string>>;
}

interface OpenRecord {
  readonly line: number;
  /** Characters so far. */
  readonly length: number;
  /** False if the line ends the record and belongs to none, `next` if it begins the next one. */
  take(line: string): true | false | 'next';
  /** Null if it is blank. */
  close(): FileRecord | null;
}

/** The rows of records. The only record of a file is named after the file, so the first is held back. */
class RecordRows {
  readonly #from: ReadFrom;
  readonly #extension: string;
  #held: FileRecord | null = null;
  #count = 0;

  constructor(from: ReadFrom, extension: string) {
    this.#from = from;
    this.#extension = extension;
  }

  add(record: FileRecord | null): RawRow[] {
    if (record === null) return [];
    this.#count += 1;
    if (this.#count > 1) return [...this.release(), this.#row(record, this.#count)];
    this.#held = record;
    return [];
  }

  /** The first record, named as one of several. */
  release(): RawRow[] {
    const held = this.#held;
    this.#held = null;
    return held === null ? [] : [this.#row(held, 1)];
  }

  end(): RawRow[] {
    return this.#held === null ? [] : [{ ...this.#row(this.#held, 1), nameHint: this.#from.stem }];
  }

  #row({ line, text, cells, called }: FileRecord, number: number): RawRow {
    return {
      line,
      cells: { file: this.#from.file, ...cells },
      complaints: [],
      nameHint: called || `${this.#from.stem}-${String(number)}`,
      carried: { extension: this.#extension, text },
    };
  }
}

async function* readRecords(
  pieces: AsyncIterable<string>,
  from: ReadFrom,
  { format, extension, open }: RecordFormat,
): AsyncGenerator<readonly RawRow[]> {
  const rows = new RecordRows(from, extension);
  let record = null as OpenRecord | null;
  const tooLong = (line: number): RawRow[] => {
    const reason = `a record is longer than ${String(MAX_INPUT_BYTES / 1e6)} MB`;
    const complaints = [createComplaint('MANIFEST_SYNTAX', { format, reason })];
    return [...rows.release(), { line, cells: null, complaints }];
  };
  const take = ({ text, number }: TextLine): RawRow[] => {
    record ??= open(number);
    const taken = record.take(text);
    if (taken === true) return [];
    const ended = rows.add(record.close());
    record = taken === 'next' ? open(number) : null;
    record?.take(text);
    return ended;
  };
  try {
    for await (const lines of splitLines(pieces)) {
      yield lines.flatMap(take);
      if (record === null || record.length <= MAX_INPUT_BYTES) continue;
      yield tooLong(record.line);
      return;
    }
  } catch (error) {
    if (!(error instanceof LineTooLong)) throw error;
    yield tooLong(record?.line ?? error.line);
    return;
  }
  yield [...rows.add(record?.close() ?? null), ...rows.end()];
}

interface RecordFormat {
  readonly format: string;
  /** Of a single record in its own file. */
  readonly extension: string;
  readonly open: (line: number) => OpenRecord;
}

/**
 * SD files (BIOVIA, "CTfile formats"): molfiles, each followed by data items and `$$$$`. The molfile is the input, its
 * title line the name, and the data items are the user's own columns.
 */
export const readSdf: RowReader = (text, from) =>
  readRecords(text, from, {
    format: 'SDF',
    extension: '.sdf',
    open: (line) => new SdfRecord(line),
  });

const SDF_END = '$$$$';
/** Title, program and comment are free text, and may contain anything. */
const SDF_HEADER = 3;

class SdfRecord implements OpenRecord {
  readonly line: number;
  length = 0;
  readonly #molfile: string[] = [];
  readonly #data = new Map<string, string[]>();
  /** The current data item. */
  #item: string[] | null = null;
  #isBlank = true;
  #isEnded = false;

  constructor(line: number) {
    this.line = line;
  }

  take(text: string): boolean {
    this.#isEnded = text.startsWith(SDF_END);
    if (this.#isEnded) return false;
    this.#isBlank &&= text.trim() === '';
    this.length += text.length + 1;
    const name = this.#molfile.length > SDF_HEADER ? parseDataName(text) : null;
    if (name !== null) this.#begin(name);
    else if (this.#data.size === 0) this.#molfile.push(text);
    else if (text.trim() === '') this.#item = null;
    else this.#item?.push(text);
    return true;
  }

  /** After the last record, or without its end, blank lines are no record. */
  close(): FileRecord | null {
    if (this.#isBlank && !this.#isEnded) return null;
    while (this.#molfile.at(-1)?.trim() === '' && this.#molfile.length > SDF_HEADER + 1) {
      this.#molfile.pop();
    }
    const name = (this.#molfile[0] ?? '').trim();
    const data = [...this.#data].map(([column, lines]) => [column, lines.join('\n')] as const);
    const cells = Object.fromEntries([...(name === '' ? [] : [['name', name] as const]), ...data]);
    const text = [...this.#molfile, SDF_END, ''].join('\n');
    return { line: this.line, text, called: name, cells };
  }

  #begin(name: string): void {
    // A value computed by another program is not a job setting here: `net_charge` becomes `sdf_net_charge`.
    const column = isField(name.toLowerCase()) ? `sdf_${name}` : name;
    this.#item = this.#data.get(column) ?? [];
    this.#data.set(column, this.#item);
  }
}

/** `> <MELTING.POINT>`, `> 25 <MELTING.POINT>`, `> DT12`; null if it does not begin a data item. */
function parseDataName(line: string): string | null {
  if (!line.startsWith('>')) return null;
  return (/<(.*)>/.exec(line)?.[1] ?? line.slice(1)).trim() || 'data';
}

/** Characters that are examined to detect an alignment: a thousand rows of a thousand columns. */
const EXAMINED = 1_000_000;

/** FASTA files: one input per record, or one of another kind that recognises the file as a whole. */
export const readFastaFile: RowReader = async function* (text, from) {
  const pieces = text[Symbol.asyncIterator]();
  try {
    let begun = '';
    let isEnded = false;
    while (begun.length < EXAMINED && !isEnded) {
      const next = await pieces.next();
      if (next.done === true) isEnded = true;
      else begun += next.value;
    }
    const kind = recordKind(from);
    // The last record may continue in the next piece.
    const last = Math.max(begun.lastIndexOf('\n>'), begun.lastIndexOf('\r>'), 0);
    const beginning = isEnded ? begun : begun.slice(0, last);
    const whole = listKinds().find(
      (one) =>
        one.name !== kind.name &&
        one.input.extensions.includes(from.extension) &&
        one.input.recognise?.(beginning) === true,
    );
    const cells = { kind: (whole ?? kind).name };
    yield* readRecords(prependLine(begun, pieces), from, {
      format: 'FASTA',
      extension: from.extension,
      open: (line) => new FastaRecord(line, cells, whole !== undefined),
    });
  } finally {
    await pieces.return?.();
  }
};

async function* prependLine(begun: string, pieces: AsyncIterator<string>): AsyncGenerator<string> {
  yield begun;
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    yield next.value;
  }
}

class FastaRecord implements OpenRecord {
  readonly line: number;
  length = 0;
  readonly #cells: { readonly kind: string };
  readonly #isWhole: boolean;
  readonly #lines: string[] = [];
  #header: string | null = null;

  constructor(line: number, cells: { readonly kind: string }, isWhole: boolean) {
    this.line = line;
    this.#cells = cells;
    this.#isWhole = isWhole;
  }

  /** Text before the first header stays in the record, so that the checks find it. */
  take(text: string): true | 'next' | false {
    if (text.startsWith('>')) {
      if (this.#header !== null && !this.#isWhole) return 'next';
      this.#header = text.slice(1).trim();
    }
    // Blank lines before a record are not its lines.
    if (this.#lines.length === 0 && text.trim() === '' && !this.#isWhole) return false;
    this.#lines.push(text);
    this.length += text.length + 1;
    return true;
  }

  close(): FileRecord | null {
    if (this.#lines.every((text) => text.trim() === '')) return null;
    while (this.#lines.at(-1)?.trim() === '') this.#lines.pop();
    const text = `${this.#lines.join('\n')}\n`;
    if (this.#isWhole) return { line: this.line, text, called: '', cells: this.#cells };
    const name = this.#header ?? '';
    // Without a header it may be something else, detected by its content.
    const kind = this.#header === null ? null : this.#cells;
    const cells = { ...kind, ...(name === '' ? null : { name }) };
    return { line: this.line, text, called: name.split(/\s/, 1)[0] ?? '', cells };
  }
}
