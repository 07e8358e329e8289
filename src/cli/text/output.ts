/**
 * The output of a command goes to stdout: one JSON document, or lines and tables, so that `| grep`, `| sort` and
 * `| less` work. Progress, notes and warnings go to stderr (explain.ts).
 */
import { harmless } from '../../domain/plain-text.ts';
import { commandAfter } from './run-again.ts';
import { typeable } from './typeable.ts';

let documented = false;

/** The one document of `--json`. */
export function printDocument(document: unknown): void {
  documented = true;
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

/** Whether stdout already has (a part of) its document: a failure must not add another one. */
export function hasDocument(): boolean {
  return documented;
}

/** For a document that is written in parts. */
export function beginDocument(): void {
  documented = true;
}

export function printLine(line: string): void {
  const after = commandAfter(line);
  for (const one of after === null ? [line] : [line, after])
    process.stdout.write(`${typeable(harmless(one))}\n`);
}
