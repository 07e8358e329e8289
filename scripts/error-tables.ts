/**
 * Writes the tables of docs/errors.md, that of what `export` leaves out, and what every error says into
 * test/goldens/errors.txt: `node scripts/error-tables.ts`. An error stands with its code, message and remedy where it is
 * thrown, and is read from there. A test compares the files (test/project/generated.test.ts), so that a change of any
 * message is seen as text.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { ERROR_EXITS, EXIT } from '../src/domain/errors.ts';
import { ITEM_END_FAMILIES, ITEM_ENDS } from '../src/domain/item-ends.ts';
import { LEFT_OUT } from '../src/export/format.ts';
import { modulesBelow } from './imports.ts';

type Row = readonly string[];

const ROOT = join(import.meta.dirname, '..');
const END = '<!-- end -->';

/** Constants of a module that are texts. */
type Constants = ReadonlyMap<string, string>;

/** What an error says; names in braces stand for what is filled in. */
export interface ErrorText {
  readonly code: keyof typeof ERROR_EXITS;
  readonly message: string;
  readonly remedy: string;
}

/** Everything that gives a code, a message and a remedy: the arguments of an error, or a row of a table of them. */
export function readErrorTexts(): readonly ErrorText[] {
  const found: ErrorText[] = [];
  for (const { path, text } of [
    ...modulesBelow(ROOT, 'src'),
    ...modulesBelow(ROOT, 'packages/local-services/src'),
  ]) {
    const constants = new Map<string, string>();
    const visit = (node: ts.Node): void => {
      if (
        ts.isVariableDeclaration(node) &&
        node.initializer &&
        ts.isStringLiteralLike(node.initializer)
      )
        constants.set((node.name as ts.Identifier).text, node.initializer.text);
      found.push(...textsIn(node, constants));
      node.forEachChild(visit);
    };
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  }
  return found;
}

function textsIn(node: ts.Node, constants: Constants): readonly ErrorText[] {
  const parts = listParts(node);
  const isCode = (part: ts.Expression) => ts.isStringLiteral(part) && part.text in ERROR_EXITS;
  const [code, message, remedy] = parts.slice(parts.findIndex(isCode));
  if (!code || !message || !remedy || !isCode(code) || isCode(message)) return [];
  return [
    {
      code: (code as ts.StringLiteral).text as ErrorText['code'],
      message: readWords(message, constants),
      remedy: readWords(remedy, constants),
    },
  ];
}

function listParts(node: ts.Node): readonly ts.Expression[] {
  if (ts.isArrayLiteralExpression(node)) return node.elements;
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) return node.arguments ?? [];
  if (!ts.isObjectLiteralExpression(node)) return [];
  // `{ code, why, remedy }`
  return node.properties.flatMap((one) => (ts.isPropertyAssignment(one) ? [one.initializer] : []));
}

/** A text as far as the source has it. */
function readWords(node: ts.Expression, constants: Constants): string {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isConditionalExpression(node))
    return `${readWords(node.whenTrue, constants)} / ${readWords(node.whenFalse, constants)}`;
  if (ts.isTemplateExpression(node))
    return (
      node.head.text +
      node.templateSpans
        .map(({ expression, literal }) => readName(expression, constants) + literal.text)
        .join('')
    );
  return readName(node, constants);
}

function readName(node: ts.Expression, constants: Constants): string {
  if (ts.isIdentifier(node)) return constants.get(node.text) ?? `{${node.text}}`;
  return ts.isPropertyAccessExpression(node) ? `{${node.name.text}}` : '{…}';
}

const TABLES: Readonly<Record<string, () => readonly Row[]>> = {
  items: () => [
    ['code', 'what happened', 'what to do'],
    ...ITEM_ENDS.map(({ codes, meaning, remedy }) => [inCode(codes), meaning, remedy]),
    ...ITEM_END_FAMILIES.map(({ prefixes, meaning, remedy }) => [
      inCode(prefixes.map((prefix) => `${prefix}…`)),
      meaning,
      remedy,
    ]),
  ],
  errors: () => [
    ['exit code', 'codes'],
    ...[...Map.groupBy(Object.entries(ERROR_EXITS), ([, exit]) => EXIT[exit])].map(
      ([exit, entries]) => [String(exit), inCode(entries.map(([code]) => code))],
    ),
  ],
  'left out': () => [
    ['left out because', 'meaning'],
    ...Object.entries(LEFT_OUT).map(([code, meaning]) => [inCode([code]), meaning]),
  ],
};

/** Page → its tables. */
const PAGE_TABLES: Readonly<Record<string, readonly string[]>> = {
  'errors.md': ['items', 'errors'],
  'export.md': ['left out'],
};

export const PAGES: readonly string[] = Object.keys(PAGE_TABLES);

function inCode(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

export const GOLDEN = join(ROOT, 'test', 'goldens', 'errors.txt');

/** Code, message and remedy of every error, each on a line of its own. */
export function errorTexts(): string {
  const lines = readErrorTexts().map(({ code, message, remedy }) =>
    [code, message, remedy].map((text) => text.replaceAll('\n', ' ').trim()).join('\n  '),
  );
  return `${lines.sort().join('\n')}\n`;
}

export function readPage(page: string): string {
  return readFileSync(join(ROOT, 'docs', page), 'utf8');
}

/** The page with its tables from the source. */
export function withCodes(page: string): string {
  const names = PAGE_TABLES[page] ?? [];
  return names.reduce(
    (text, name) => withTable(text, name, TABLES[name]?.() ?? []),
    readPage(page),
  );
}

function withTable(text: string, name: string, [header = [], ...rows]: readonly Row[]): string {
  const begin = `<!-- ${name}: made by scripts/error-tables.ts -->`;
  const from = text.indexOf(begin);
  const to = text.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`no place for a table: ${begin} … ${END}`);
  const lines = [header, header.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`);
  return [text.slice(0, from) + begin, '', ...lines, '', text.slice(to)].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  for (const page of PAGES) writeFileSync(join(ROOT, 'docs', page), withCodes(page));
  writeFileSync(GOLDEN, errorTexts());
}
