/** Errors, for people: what happened and what to do; a stack trace only for a mistake of ours. */
import { HundredfoldError } from '../domain/errors.ts';
import type { Problem } from '../domain/problem.ts';

export function explain(error: unknown): void {
  if (error instanceof HundredfoldError) {
    say(`hundredfold: ${error.message} [${error.code}]`);
    say(`  ${error.remedy}`);
    return;
  }
  const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  say(`hundredfold: something went wrong that should not: ${shown}`);
}

/** An error in a few words, for a line that has more to say. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? '';
}

/** A problem as an entry of a list that can be worked off: where, what, what to do. */
export function explainProblem(problem: Problem): void {
  const { file, line, id, column, value, severity, code, message, remedy } = problem;
  const place = [
    `${file}${line === null ? '' : `:${line}`}`,
    id && `item ${id}`,
    column && `column ${column}`,
  ];
  // Most messages quote the value already.
  const shown = value && !message.includes(value) ? ` (${value})` : '';
  say(`${severity}: ${place.filter(Boolean).join(', ')}: ${message}${shown} [${code}]`);
  say(`  ${remedy}`);
}

/** Human text goes to stderr: stdout is for `--json`. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
