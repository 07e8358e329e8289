/** Files with several inputs, one item per record: a list with one a line (SMILES), FASTA, SD files. */
import { listKinds, type AnyKind } from '../kinds/registry.ts';
import { isField } from './columns.ts';
import type { RawRow, ReadFrom, RowReader } from './row.ts';
import { splitLines } from './text.ts';

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
export const readLines: RowReader = function* (text, from) {
  const { column } = recordKind(from).input;
  const headers = [column?.name, ...(column?.synonyms ?? [])];
  let count = 0;
  let mayBeHeader = true;
  for (const { text: line, number } of splitLines(text)) {
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
    yield { line: number, cells, complaints: [], nameHint };
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

/** The only record of a file is named after the file: each waits until it is known whether another one follows. */
function* toRows(
  records: Iterable<FileRecord>,
  { file, stem }: ReadFrom,
  extension: string,
): Generator<RawRow> {
  const toRow = ({ line, text, cells, called }: FileRecord, number: number): RawRow => ({
    line,
    cells: { file, ...cells },
    complaints: [],
    nameHint: called || `${stem}-${String(number)}`,
    carried: { extension, text },
  });
  let held: FileRecord | null = null;
  let count = 0;
  for (const record of records) {
    if (held !== null) yield toRow(held, count);
    held = record;
    count += 1;
  }
  if (held !== null) yield { ...toRow(held, count), ...(count === 1 && { nameHint: stem }) };
}

/**
 * SD files (BIOVIA, "CTfile formats"): molfiles, each followed by data items and `$$$$`. The molfile is the input, its
 * title line the name, and the data items are the user's own columns.
 */
export const readSdf: RowReader = (text, from) => toRows(splitSdf(text), from, '.sdf');

const SDF_END = '$$$$';
/** Title, program and comment are free text, and may contain anything. */
const SDF_HEADER = 3;

function* splitSdf(text: string): Generator<FileRecord> {
  let lines: string[] = [];
  let first = 1;
  for (const line of splitLines(text)) {
    if (lines.length === 0) first = line.number;
    const isEnd = line.text.startsWith(SDF_END);
    if (isEnd) yield readSdfRecord(lines, first);
    if (isEnd) lines = [];
    else lines.push(line.text);
  }
  // After the last record, blank lines are no record.
  if (lines.some((line) => line.trim() !== '')) yield readSdfRecord(lines, first);
}

function readSdfRecord(lines: readonly string[], line: number): FileRecord {
  const begin = lines.findIndex((one, at) => at > SDF_HEADER && parseDataName(one) !== null);
  const molfile = begin < 0 ? [...lines] : lines.slice(0, begin);
  while (molfile.at(-1)?.trim() === '' && molfile.length > SDF_HEADER + 1) molfile.pop();
  const name = (molfile[0] ?? '').trim();
  const data = begin < 0 ? [] : readDataItems(lines.slice(begin));
  const cells = Object.fromEntries([...(name === '' ? [] : [['name', name] as const]), ...data]);
  return { line, text: [...molfile, SDF_END, ''].join('\n'), called: name, cells };
}

function readDataItems(lines: readonly string[]): [string, string][] {
  const data = new Map<string, string[]>();
  let item: string[] | null = null;
  for (const line of lines) {
    const name = parseDataName(line);
    if (name !== null) {
      // A value computed by another program is not a job setting here: `net_charge` becomes `sdf_net_charge`.
      const column = isField(name.toLowerCase()) ? `sdf_${name}` : name;
      item = data.get(column) ?? [];
      data.set(column, item);
    } else if (line.trim() === '') item = null;
    else item?.push(line);
  }
  return Array.from(data, ([column, values]) => [column, values.join('\n')]);
}

/** `> <MELTING.POINT>`, `> 25 <MELTING.POINT>`, `> DT12`; null if it does not begin a data item. */
function parseDataName(line: string): string | null {
  if (!line.startsWith('>')) return null;
  return (/<(.*)>/.exec(line)?.[1] ?? line.slice(1)).trim() || 'data';
}

/** Characters that are examined to detect an alignment: a thousand rows of a thousand columns. */
const EXAMINED = 1_000_000;

/** FASTA files: one input per record, or one of another kind that recognises the file as a whole. */
export const readFastaFile: RowReader = (text, from) => {
  const kind = recordKind(from);
  const begun = text.slice(0, EXAMINED);
  // The last record may continue.
  const last = Math.max(begun.lastIndexOf('\n>'), begun.lastIndexOf('\r>'), 0);
  const beginning = text.length > EXAMINED ? begun.slice(0, last) : begun;
  const whole = listKinds().find(
    (one) =>
      one.name !== kind.name &&
      one.input.extensions.includes(from.extension) &&
      one.input.recognise?.(beginning) === true,
  );
  const records = splitFasta(text, whole?.name ?? kind.name, whole !== undefined);
  return toRows(records, from, from.extension);
};

/** @param isWhole all records together are one input */
function* splitFasta(text: string, kind: string, isWhole: boolean): Generator<FileRecord> {
  let lines: string[] = [];
  let first = 1;
  let hasHeader = false;
  for (const { text: line, number } of splitLines(text)) {
    const isHeader = line.startsWith('>');
    // Text before the first header stays in the record, so that the checks find it.
    if (isHeader && hasHeader && !isWhole) {
      yield readFastaRecord(lines, first, kind);
      lines = [];
    }
    hasHeader ||= isHeader;
    // Blank lines before a record are not its lines.
    if (lines.length === 0 && line.trim() === '' && !isWhole) continue;
    if (lines.length === 0) first = number;
    lines.push(line);
  }
  if (lines.every((line) => line.trim() === '')) return;
  const record = readFastaRecord(lines, first, kind);
  yield isWhole ? { ...record, called: '', cells: { kind } } : record;
}

function readFastaRecord(all: readonly string[], line: number, kind: string): FileRecord {
  const lines = all.slice(0, all.findLastIndex((one) => one.trim() !== '') + 1);
  const header = lines.findLast((one) => one.startsWith('>'));
  const name = header?.slice(1).trim() ?? '';
  // Without a header it may be something else, detected by its content.
  const cells = { ...(header !== undefined && { kind }), ...(name !== '' && { name }) };
  const called = name.split(/\s/, 1)[0] ?? '';
  return { line, text: `${lines.join('\n')}\n`, called, cells };
}
