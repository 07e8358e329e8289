/**
 * What a command writes. Its output goes to stdout: one JSON document, or lines and tables, so that `| grep`, `| sort` and
 * `| less` work. Progress, notes, warnings and errors go to stderr.
 */
import { HundredfoldError } from '../../domain/errors.ts';
import { escapeUnsafe } from '../../domain/plain-text.ts';
import type { Problem } from '../../domain/problem.ts';
import type { LogLine } from '../../runner/command-line.ts';

let level: 'quiet' | 'usual' | 'verbose' = 'usual';

export function setVerbosity({
  quiet = false,
  verbose = false,
}: {
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}): void {
  level = quiet ? 'quiet' : verbose ? 'verbose' : 'usual';
}

export const isQuiet = (): boolean => level === 'quiet';
export const isVerbose = (): boolean => level === 'verbose';

/** Everything that hints may name; the program's name within a sentence is not changed. */
export const HINTED = [
  ...'adopt cancel doctor export init items'.split(' '),
  ...'logs pause plan pull report resume retry run services'.split(' '),
  ...'setup status stop ui verify watch worker'.split(' '),
];

/** Not where the line names npx already, as that of `init` does. */
const COMMAND = new RegExp(
  `(?<=^|[\\s"'\`(])(?<!\\bnpx .*)hundredfold (?=(?:${HINTED.join('|')})\\b)`,
  'g',
);

/**
 * @param environment of a command that npm has started; `npm_command` says how
 * @param script the running program
 */
function toTypedCommand(text: string, environment = process.env, script = process.argv[1]): string {
  const byNpm = environment['npm_command'] !== undefined;
  // In npx's own cache: the package is not installed here, so its name alone would not work.
  const elsewhere = script?.includes('_npx') === true;
  return byNpm && !elsewhere ? text.replace(COMMAND, 'npx hundredfold ') : text;
}

/** The exact command after a line that says to run it again: at seven in the morning nobody knows which one that was. */
let command: string | null = null;

/** Of the campaign that this command is about. */
export async function setRunCommand(name: string, folder?: string): Promise<void> {
  const { findRunCommand } = await import('../../runner/command-line.ts');
  command = await findRunCommand(name, folder);
}

const SAYS_AGAIN = /"hundredfold run"( command|.* again)/;

/** Null if the line says nothing of that, or the command is not known. */
function findCommandAfter(line: string): string | null {
  return command !== null && SAYS_AGAIN.test(line) ? `  That command: ${command}` : null;
}

let documented = false;

/** The one document of `--json`. */
export function printDocument(document: unknown): void {
  documented = true;
  process.stdout.write(`${JSON.stringify(document)}\n`);
}

/** Whether stdout already has its document: a failure must not add another one. */
export function hasDocument(): boolean {
  return documented;
}

export function printLine(line: string): void {
  const after = findCommandAfter(line);
  for (const one of after === null ? [line] : [line, after])
    process.stdout.write(`${toTypedCommand(escapeUnsafe(one))}\n`);
}

export function printError(error: unknown): void {
  if (error instanceof HundredfoldError) {
    writeError(`hundredfold: ${error.message} [${error.code}]`);
    writeError(`  ${error.remedy}`);
    return;
  }
  const shown = error instanceof Error ? (error.stack ?? error.message) : String(error);
  writeError(`hundredfold: internal error: ${shown}`);
}

/** A problem as an entry of a list: where, what, what to do. */
export function printProblem(problem: Problem, print = writeError): void {
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
  if (!isQuiet()) writeError(line);
}

function writeError(line: string): void {
  const after = findCommandAfter(line);
  for (const one of after === null ? [line] : [line, after])
    process.stderr.write(`${toTypedCommand(escapeUnsafe(one))}\n`);
}

const SHOW_INTERVAL_MS = 5_000;

/** Says the line of the progress that is reported, at most every few seconds. */
export function throttleProgress<T extends readonly unknown[]>(
  progressLine: (...progress: T) => string,
): (...progress: T) => void {
  let shownAt = performance.now();
  return (...progress) => {
    if (performance.now() - shownAt < SHOW_INTERVAL_MS) return;
    shownAt = performance.now();
    say(progressLine(...progress));
  };
}

/** Fields of the SDK, and fields that repeat others. */
const LEFT_OUT = new Set([
  ...['time', 'level', 'message', 'campaign', 'sdkComponent', 'target', 'taskToken', 'isLocal'],
  ...['namespace', 'taskQueue', 'activityId', 'workflowId', 'workflowRunId', 'workflowType'],
]);

/** `2026-11-22T23:35:00.362Z  INFO  item ended  item=item:night:a state=failed code=JOB_FAILED` */
export function formatLogLine(line: LogLine): string {
  const fields = Object.entries(line)
    .filter(([name]) => !LEFT_OUT.has(name))
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return [line.time, line.level, line.message, fields.join(' ')].filter(Boolean).join('  ');
}

/** With `--verbose`, the log of the worker in this process is also told on the terminal. */
export function logToTerminal(): { readonly onLog?: (line: LogLine) => void } {
  return isVerbose() ? { onLog: (line) => say(formatLogLine(line)) } : {};
}
