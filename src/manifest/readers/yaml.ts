/**
 * YAML: a list of mappings, or a mapping with such a list under `items`. The document is read as a whole, because YAML
 * cannot be read row by row; large tables should be CSV or JSONL.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, visit } from 'yaml';
import type { Document, Node, ParsedNode } from 'yaml';
import { ColumnWatch } from '../columns.ts';
import { isTooDeep, objectRow, TOO_DEEP } from './json-row.ts';
import { complaint, type Complaint } from '../problems/problems.ts';
import { aboutFile, type RawRow, type RowReader } from '../raw-row.ts';

/** In characters; the tree takes about twenty times as many bytes. */
const TEXT_LIMIT = 16_000_000;
/** One mistake can cause a thousand of them. */
const ERRORS_SHOWN = 10;
/** Maximum number of resolved aliases per row: nested anchors grow exponentially. */
const ALIAS_LIMIT = 100;

export const readYaml: RowReader = async function* (pieces) {
  let text = '';
  for await (const piece of pieces) {
    text += piece;
    if (text.length > TEXT_LIMIT) {
      yield [aboutFile(complaint('MANIFEST_TOO_LARGE', { limitMegabytes: TEXT_LIMIT / 1e6 }))];
      return;
    }
  }
  try {
    yield documentRows(text);
  } catch (error) {
    if (!isTooDeep(error)) throw error;
    yield [aboutFile(complaint('MANIFEST_SYNTAX', { format: 'YAML', reason: TOO_DEEP }))];
  }
};

function documentRows(text: string): RawRow[] {
  const lines = new LineCounter();
  // All scalars stay text, as written: 1.0, +1, no, 0012.
  const parsed = parseAllDocuments(text, {
    lineCounter: lines,
    schema: 'failsafe',
    version: '1.2',
  });
  const [document, ...others] = [...parsed];
  if (document === undefined || document.contents === null) return [];
  const broken = document.errors.slice(0, ERRORS_SHOWN).map((error) => {
    const line = error.linePos?.[0].line ?? 1;
    const reason = (error.message.split('\n')[0] ?? '').replace(/ at line \d+.*$/, '');
    return complaint(
      'MANIFEST_SYNTAX',
      { format: 'YAML', reason: reason.replace(/[.:]$/, '') },
      { line },
    );
  });
  if (broken.length > 0) return [aboutFile(...broken)];
  if (others.length > 0) return [aboutFile(severalDocuments(others[0], lines))];
  return rowsOf(document, lines);
}

function severalDocuments(second: Document.Parsed | undefined, lines: LineCounter): Complaint {
  const reason = 'it contains several documents';
  const line = lines.linePos(second?.range[0] ?? 0).line;
  return complaint('MANIFEST_SYNTAX', { format: 'YAML', reason }, { line });
}

function rowsOf(document: Document.Parsed, lines: LineCounter): RawRow[] {
  const contents: ParsedNode | null = document.contents;
  const list = isMap(contents) ? contents.get('items', true) : contents;
  if (!isSeq(list)) {
    const reason = 'it must be a list of mappings, or a mapping with such a list under `items`';
    return [aboutFile(complaint('MANIFEST_SYNTAX', { format: 'YAML', reason }, { line: 1 }))];
  }
  const columns = new ColumnWatch();
  return (list.items as Node[]).map((node) =>
    rowOf(document, node, lines.linePos(node.range?.[0] ?? 0).line, columns),
  );
}

function rowOf(document: Document.Parsed, node: Node, line: number, columns: ColumnWatch): RawRow {
  try {
    return objectRow(
      withoutNulls(node).toJS(document, { maxAliasCount: ALIAS_LIMIT }),
      line,
      columns,
    );
  } catch (error) {
    if (!(error instanceof ReferenceError)) throw error;
    const facts = { format: 'YAML', reason: error.message };
    return { line, cells: null, complaints: [complaint('MANIFEST_SYNTAX', facts)] };
  }
}

/** The failsafe schema has no null: a plain `~` or `null` becomes an empty cell. */
function withoutNulls(node: Node): Node {
  if (isAlias(node)) return node;
  visit(node, {
    Scalar: (_, scalar) => {
      if (
        isScalar(scalar) &&
        scalar.type === 'PLAIN' &&
        /^(~|null|Null|NULL)$/.test(String(scalar.value))
      ) {
        scalar.value = '';
      }
    },
  });
  return node;
}
