/**
 * Reads the imports of `src/` and checks their directions (scripts/layers.js) and that there is no cycle.
 * Independent of the linter, whose rules can be switched off by a comment.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { importProblem } from './layers.js';
import type { Import } from './layers.js';

interface FileImport extends Import {
  /** Counted from 1. */
  readonly line: number;
}

function specifierOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) {
    return undefined;
  }
  return node.arguments[0];
}

function typeImport(node: ts.Node): ts.LiteralTypeNode | undefined {
  if (!ts.isImportTypeNode(node)) return undefined;
  return ts.isLiteralTypeNode(node.argument) ? node.argument : undefined;
}

function resolveTarget(from: string, specifier: string): string {
  return specifier.startsWith('.') ? posix.join(dirname(from), specifier) : specifier;
}

/** Every import, export from, dynamic import and import type of one file; `path` from the project's root. */
export function importsOf(path: string, text: string): readonly FileImport[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: FileImport[] = [];
  const add = (literal: ts.Node): void => {
    if (!ts.isStringLiteralLike(literal)) return;
    const line = file.getLineAndCharacterOfPosition(literal.getStart()).line + 1;
    found.push({ from: path, target: resolveTarget(path, literal.text), line });
  };
  const visit = (node: ts.Node): void => {
    const specifier = specifierOf(node);
    if (specifier !== undefined) add(specifier);
    const typed = typeImport(node);
    if (typed !== undefined) add(typed.literal);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** A path that is read or run instead of imported: the same folders are forbidden. */
export function checkoutPathsIn(path: string, text: string): readonly string[] {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) && /^(\.{1,2}\/)*(scripts|bench)(\/|$)/.test(node.text)) {
      const line = file.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push(`${path}:${line}: ${node.text}`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** A cycle of files, the first repeated at the end; null if there is none. */
function findCycle(imports: readonly Import[]): readonly string[] | null {
  const next = new Map<string, string[]>();
  for (const { from, target } of imports) next.set(from, [...(next.get(from) ?? []), target]);
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): readonly string[] | null => {
    if (trail.includes(path)) return [...trail.slice(trail.indexOf(path)), path];
    if (done.has(path)) return null;
    for (const target of next.get(path) ?? []) {
      const cycle = walk(target, [...trail, path]);
      if (cycle !== null) return cycle;
    }
    done.add(path);
    return null;
  };
  for (const path of next.keys()) {
    const cycle = walk(path, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

/** The errors in these imports, one sentence each. */
export function directionProblems(imports: readonly FileImport[]): readonly string[] {
  const wrong = imports.flatMap((imported) => {
    const reason = importProblem(imported);
    return reason === null ? [] : [`${imported.from}:${imported.line}: ${reason}`];
  });
  const cycle = findCycle(imports);
  return cycle === null ? wrong : [...wrong, `imports go in a circle: ${cycle.join(' → ')}`];
}

/** All imports of the modules below `folder` of the project. */
export function importsBelow(root: string, folder: string): readonly FileImport[] {
  return modulesBelow(root, folder).flatMap(({ path, text }) => importsOf(path, text));
}

/** The TypeScript and JavaScript files below `folder`, with their paths in the project. */
export function modulesBelow(
  root: string,
  folder: string,
): readonly { readonly path: string; readonly text: string }[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|js)$/.test(name))
    .map((name) => posix.join(folder, name))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}
