/** Errors for users: what happened and what to do; a stack trace only for a bug. */
import { HundredfoldError } from '../../domain/errors.ts';
import { harmless } from '../../domain/plain-text.ts';
import type { Problem } from '../../domain/problem.ts';
import { commandAfter } from './run-again.ts';
import { typeable } from './typeable.ts';
import { isQuiet } from './verbosity.ts';

export function sayError(error: unknown): void {
  if (error instanceof HundredfoldError) {
    write(`hundredfold: ${error.message} [${error.code}]`);
    write(`  ${error.remedy}`);
    return;
  }
  const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  write(`hundredfold: internal error: ${shown}`);
}

/** A problem as an entry of a list: where, what, what to do. */
export function sayProblem(problem: Problem, print = write): void {
  const { file, line, id, column, value, severity, code, message, remedy } = problem;
  const place = [
    `${file}${line === null ? '' : `:${line}`}`,
    id && `item ${id}`,
    column && `column ${column}`,
  ];
  // Most messages already quote the value.
  const isShown = value === null || message.includes(value) || file.endsWith(value);
  const shown = value && !isShown ? ` (${value})` : '';
  print(`${severity}: ${place.filter(Boolean).join(', ')}: ${message}${shown} [${code}]`);
  print(`  ${remedy}`);
}

/** For progress, notes and warnings; the output of a command goes to stdout (output.ts). */
export function say(line: string): void {
  if (!isQuiet()) write(line);
}

function write(line: string): void {
  const after = commandAfter(line);
  for (const one of after === null ? [line] : [line, after])
    process.stderr.write(`${typeable(harmless(one))}\n`);
}
