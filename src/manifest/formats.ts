/**
 * Rows of all formats but CSV. Files with several inputs, one item per record: a list with one a line (SMILES), FASTA, SD
 * files. And rows as objects: JSON Lines, one a line; JSON and YAML, as a list of them. A document is read as a whole, so
 * large tables should be CSV or JSONL. JSON is read as YAML, of which it is a part: for the line of each row.
 */
import { listKinds, type AnyKind } from '../kinds/registry.ts';
import { isField, ColumnWatch, toFieldNames } from './columns.ts';
import { type RawRow, type ReadFrom, type RowReader, createFileRow } from './row.ts';
import { splitLines, countLineBreaks } from './text.ts';
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseAllDocuments,
  visit,
  type Document,
  type Node,
  type ParsedNode,
} from 'yaml';
import { formatShown } from '../domain/plain-text.ts';
import { type Finding, createError } from '../kinds/kind.ts';

/* Records: one item each */

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
    yield { line: number, cells, findings: [], nameHint };
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
    findings: [],
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

/* Objects: JSON and YAML */

/** In characters; the tree takes about twenty times as many bytes. */
const MAX_DOCUMENT = 16_000_000;
/** One mistake can cause a thousand of them. */
const MAX_ERRORS = 10;
/** Maximum number of resolved aliases per row: nested anchors grow exponentially. */
const MAX_ALIASES = 100;

export const readYaml: RowReader = (text) => readDocument(text, 'YAML');
export const readJson: RowReader = (text) => readDocument(text, 'JSON');

export const readJsonl: RowReader = function* (text) {
  const columns = new ColumnWatch();
  for (const line of splitLines(text))
    if (line.text.trim() !== '') yield parseJsonRow(line.text, line.number, columns);
};

function parseJsonRow(text: string, line: number, columns: ColumnWatch): RawRow {
  const found = parseJson(text);
  return 'value' in found
    ? toRow(found.value, line, columns)
    : {
        line,
        cells: null,
        findings: [createSyntaxError('JSON', found.reason, { value: text })],
      };
}

function readDocument(text: string, format: 'YAML' | 'JSON'): readonly RawRow[] {
  if (text.length > MAX_DOCUMENT) return [createFileRow(createTableTooLarge(format, MAX_DOCUMENT))];
  try {
    const broken = format === 'JSON' && text.trim() !== '' ? findJsonFault(text) : null;
    return broken ? [createFileRow(broken)] : readDocumentRows(text, format);
  } catch (error) {
    if (!isTooDeep(error)) throw error;
    return [createFileRow(createSyntaxError(format, TOO_DEEP))];
  }
}

export function createTableTooLarge(format: string, limit: number): Finding {
  return createError(
    'MANIFEST_TOO_LARGE',
    `A ${format} manifest may have up to ${limit / 1e6} MB.`,
    'Divide it into several files, or write YAML and JSON as CSV or JSONL, which may be larger.',
  );
}

function findJsonFault(text: string): Finding | null {
  const found = parseJson(text);
  if ('value' in found) return null;
  const line = 1 + countLineBreaks(text.slice(0, found.position ?? text.trimEnd().length));
  return createSyntaxError('JSON', found.reason, { line });
}

function readDocumentRows(text: string, format: string): RawRow[] {
  const lines = new LineCounter();
  const lineAt = (node: Node | null): number => lines.linePos(node?.range?.[0] ?? 0).line;
  // All scalars stay text, as written: 1.0, +1, no, 0012.
  const parsed = parseAllDocuments(text, {
    lineCounter: lines,
    schema: 'failsafe',
    version: '1.2',
  });
  const [document, second] = [...parsed];
  if (document === undefined || document.contents === null) return [];
  const broken = document.errors.slice(0, MAX_ERRORS).map(({ linePos, message }) => {
    const reason = (message.split('\n')[0] ?? '').replace(/ at line \d+.*$/, '');
    return createSyntaxError(format, reason.replace(/[.:]$/, ''), {
      line: linePos?.[0].line ?? 1,
    });
  });
  if (broken.length > 0) return [createFileRow(...broken)];
  if (second !== undefined) {
    const { line } = lines.linePos(second.range[0]);
    return [createFileRow(createSyntaxError(format, 'it contains several documents', { line }))];
  }
  const contents: ParsedNode | null = document.contents;
  const list = isMap(contents) ? contents.get('items', true) : contents;
  if (!isSeq(list)) {
    const reason = 'it must be a list of mappings, or a mapping with such a list under `items`';
    return [createFileRow(createSyntaxError(format, reason, { line: 1 }))];
  }
  const columns = new ColumnWatch();
  return (list.items as Node[]).map((node) =>
    readNodeRow(document, node, { format, line: lineAt(node), columns }),
  );
}

function readNodeRow(
  document: Document.Parsed,
  node: Node,
  { format, line, columns }: { format: string; line: number; columns: ColumnWatch },
): RawRow {
  try {
    const value: unknown = removeNulls(node).toJS(document, { maxAliasCount: MAX_ALIASES });
    return toRow(value, line, columns);
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    return { line, cells: null, findings: [createSyntaxError(format, error.message)] };
  }
}

/** The failsafe schema has no null: a plain `~` or `null` becomes an empty cell. */
function removeNulls(node: Node): Node {
  if (isAlias(node)) return node;
  visit(node, {
    Scalar: (_, scalar) => {
      if (!isScalar(scalar) || scalar.type !== 'PLAIN') return;
      if (/^(~|null|Null|NULL)$/.test(String(scalar.value))) scalar.value = '';
    },
  });
  return node;
}

/** Reads a mapping of column names to values; lists become comma-separated text. */
function toRow(value: unknown, line: number, columns: ColumnWatch): RawRow {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const notObject = createError(
      'MANIFEST_ROW_NOT_OBJECT',
      `A row is a mapping of column names to values; this is ${describe(value)}.`,
      'Write rows like {"id": "ethanol", "smiles": "CCO"}.',
    );
    return { line, cells: null, findings: [notObject] };
  }
  const values: readonly unknown[] = Object.values(value);
  const names = toFieldNames(Object.keys(value));
  const findings: Finding[] = columns.see(names, line);
  const cells = names.map((column, at) => {
    const cell = values[at];
    if (isField(column) && isNested(cell, column)) {
      const nested = createError(
        'MANIFEST_VALUE_NESTED',
        `\`${column}\` contains a list or a mapping, not text.`,
        'Write a single text; in YAML, quote a value that begins with [ or {, as in "[NH4+]".',
        { column, value: JSON.stringify(cell) },
      );
      findings.push(nested);
    }
    return [column, toCell(cell)] as const;
  });
  return { line, cells: Object.fromEntries(cells), findings };
}

function describe(value: unknown): string {
  if (value === null || value === undefined) return 'empty';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'string' ? 'a text' : `a ${typeof value}`;
}

/** Only a column with a list of words may be a list. */
function isNested(cell: unknown, column: string): boolean {
  if (typeof cell !== 'object' || cell === null) return false;
  const isList = listKinds().some(({ options }) => options[column]?.type === 'list');
  return !(isList && Array.isArray(cell) && cell.every(isPlain));
}

function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

function toCell(cell: unknown): string {
  if (cell === null || cell === undefined) return '';
  if (typeof cell === 'string') return cell;
  if (Array.isArray(cell) && cell.every(isPlain)) return cell.map(toCell).join(',');
  return typeof cell === 'number' ? String(cell) : JSON.stringify(cell);
}

export function createSyntaxError(
  format: string,
  reason: string,
  where: { line?: number; value?: string } = {},
): Finding {
  const remedy =
    format === 'CSV' || format === 'TSV'
      ? 'Close every double quote, and write a quote inside a quoted cell twice.'
      : `Correct the ${format}; what follows could not be read.`;
  const message = `This is not valid ${format}: ${formatShown(reason)}.`;
  return createError('MANIFEST_SYNTAX', message, remedy, where);
}

type Parsed =
  { readonly value: unknown } | { readonly reason: string; readonly position: number | null };

/** Keeps the notation of numbers: `1.0`, exponents, and codes of twenty digits. */
function parseJson(text: string): Parsed {
  try {
    const value: unknown = JSON.parse(text, (_key, one: unknown, context?: { source?: string }) =>
      typeof one === 'number' ? (context?.source ?? one) : one,
    );
    return { value };
  } catch (error) {
    if (isTooDeep(error)) return { reason: TOO_DEEP, position: 0 };
    if (!(error instanceof SyntaxError)) throw error;
    const { message } = error;
    // V8 repeats the text in its message, unescaped; we show it ourselves.
    const reason = message.replace(/,? ?(\.\.\.)?".*$/s, '').replace(/\s*\(line.*$/s, '');
    return { reason, position: parsePosition(message, text) };
  }
}

/** V8 says it, or quotes ten characters before it and after it. */
function parsePosition(message: string, text: string): number | null {
  const said = / at position (\d+)/.exec(message)?.[1];
  if (said !== undefined) return Number(said);
  const quoted = /, \.\.\."(.*)"(?:\.\.\.)? is not valid/s.exec(message)?.[1];
  return quoted === undefined ? null : text.indexOf(quoted) + 10;
}

const TOO_DEEP = 'it is nested too deeply';

/** A value with a hundred thousand levels exceeds the stack of recursive code. */
function isTooDeep(error: unknown): boolean {
  return error instanceof RangeError && error.message.includes('call stack');
}
