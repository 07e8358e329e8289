/**
 * Reads the imports of `src/` and `packages/` and checks their directions (layers.ts) and that there is no cycle.
 * Not a rule of the linter, which a comment switches off and which sees no dynamic imports.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { importProblem, type Import } from './layers.ts';

interface FileImport extends Import {
  /** Counted from 1. */
  readonly line: number;
}

/** Every import, export from, dynamic import and import type of one file; `path` from the project's root. */
function importsOf(path: string, text: string): readonly FileImport[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName, pos }) => {
    const target = fileName.startsWith('.') ? posix.join(dirname(path), fileName) : fileName;
    return { from: path, target, line: text.slice(0, pos).split('\n').length };
  });
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
