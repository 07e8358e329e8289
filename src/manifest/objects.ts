/**
 * Rows as objects: JSON Lines, one a line; JSON and YAML, as a list of them. A document is read as a whole, so large
 * tables should be CSV or JSONL. JSON is read as YAML, of which it is a part: for the line of each row.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, visit } from 'yaml';
import type { Document, Node, ParsedNode } from 'yaml';
import { formatShown } from '../domain/plain-text.ts';
import { listKinds } from '../kinds/registry.ts';
import { ColumnWatch, toFieldNames, isField } from './columns.ts';
import { createError, type Complaint } from './problems.ts';
import { createFileRow, type RawRow, type RowReader } from './row.ts';
import { countLineBreaks, splitLines } from './text.ts';

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
        complaints: [createSyntaxComplaint('JSON', found.reason, { value: text })],
      };
}

function readDocument(text: string, format: 'YAML' | 'JSON'): readonly RawRow[] {
  if (text.length > MAX_DOCUMENT) return [createFileRow(createTableTooLarge(format, MAX_DOCUMENT))];
  try {
    const broken = format === 'JSON' && text.trim() !== '' ? findJsonFault(text) : null;
    return broken ? [createFileRow(broken)] : readDocumentRows(text, format);
  } catch (error) {
    if (!isTooDeep(error)) throw error;
    return [createFileRow(createSyntaxComplaint(format, TOO_DEEP))];
  }
}

export function createTableTooLarge(format: string, limit: number): Complaint {
  return createError(
    'MANIFEST_TOO_LARGE',
    `A ${format} manifest may have up to ${limit / 1e6} MB.`,
    'Divide it into several files, or write YAML and JSON as CSV or JSONL, which may be larger.',
  );
}

function findJsonFault(text: string): Complaint | null {
  const found = parseJson(text);
  if ('value' in found) return null;
  const line = 1 + countLineBreaks(text.slice(0, found.position ?? text.trimEnd().length));
  return createSyntaxComplaint('JSON', found.reason, { line });
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
    return createSyntaxComplaint(format, reason.replace(/[.:]$/, ''), {
      line: linePos?.[0].line ?? 1,
    });
  });
  if (broken.length > 0) return [createFileRow(...broken)];
  if (second !== undefined) {
    const { line } = lines.linePos(second.range[0]);
    return [
      createFileRow(createSyntaxComplaint(format, 'it contains several documents', { line })),
    ];
  }
  const contents: ParsedNode | null = document.contents;
  const list = isMap(contents) ? contents.get('items', true) : contents;
  if (!isSeq(list)) {
    const reason = 'it must be a list of mappings, or a mapping with such a list under `items`';
    return [createFileRow(createSyntaxComplaint(format, reason, { line: 1 }))];
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
    return { line, cells: null, complaints: [createSyntaxComplaint(format, error.message)] };
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
    return { line, cells: null, complaints: [notObject] };
  }
  const values: readonly unknown[] = Object.values(value);
  const names = toFieldNames(Object.keys(value));
  const complaints: Complaint[] = columns.see(names, line);
  const cells = names.map((column, at) => {
    const cell = values[at];
    if (isField(column) && isNested(cell, column)) {
      const nested = createError(
        'MANIFEST_VALUE_NESTED',
        `\`${column}\` contains a list or a mapping, not text.`,
        'Write a single text; in YAML, quote a value that begins with [ or {, as in "[NH4+]".',
        { column, value: JSON.stringify(cell) },
      );
      complaints.push(nested);
    }
    return [column, toCell(cell)] as const;
  });
  return { line, cells: Object.fromEntries(cells), complaints };
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

export function createSyntaxComplaint(
  format: string,
  reason: string,
  where: { line?: number; value?: string } = {},
): Complaint {
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
