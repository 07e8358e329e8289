/**
 * What a command writes. Its output goes to stdout: one JSON document, or lines and tables, so that `| grep`, `| sort` and
 * `| less` work. Progress, notes, warnings and errors go to stderr.
 */
import { spawn } from 'node:child_process';
import { resolve, sep } from 'node:path';
import { styleText } from 'node:util';
import sliceAnsi from 'slice-ansi';
import countColumns from 'string-width';
import { HundredfoldError } from '../domain/errors.ts';
import { escapeUnsafe, quoteWord } from '../domain/plain-text.ts';
import { BUILT, PROGRAM_FOLDER } from '../program.ts';
import type { FinalState } from '../domain/campaign.ts';
import type { LogLine } from '../runner/command-line.ts';
import { ATTRIBUTES, buildCampaignWorkflowId } from '../workflows/names.ts';

let level: 'quiet' | 'usual' | 'verbose' = 'usual';

export function setVerbosity(quiet = false, verbose = false): void {
  level = quiet ? 'quiet' : verbose ? 'verbose' : 'usual';
}

export const isQuiet = (): boolean => level === 'quiet';
export const isVerbose = (): boolean => level === 'verbose';

let hints: RegExp | null = null;

/**
 * Where npm or npx has started this command, hints are written as they can be typed again. The program's name within a
 * sentence is not changed, nor a line that names npx already.
 */
export function setCommandNames(names: readonly string[]): void {
  if (process.env['npm_command'] === undefined) return;
  const begin = `(?<=^|[\\s"'\`(])(?<!\\bnpx .*)`;
  hints = new RegExp(`${begin}hundredfold (?=(?:${names.join('|')})\\b)`, 'g');
}

/** What is typed in a folder to start the program: npx finds a checkout only from inside it. */
export function chooseTyped(folder: string): string {
  if (BUILT) return 'hundredfold';
  const isInside = `${folder}${sep}`.startsWith(PROGRAM_FOLDER);
  const prefix = isInside ? '' : `--prefix ${quoteWord(resolve(PROGRAM_FOLDER))} `;
  return `npx ${prefix}hundredfold`;
}

/** The exact command after a line that says to run it again: at seven in the morning nobody knows which one that was. */
let command: string | null = null;

/** Of the campaign that this command is about. */
export async function setRunCommand(name: string, folder?: string): Promise<void> {
  const { findRunCommand } = await import('../runner/command-line.ts');
  command = await findRunCommand(name, folder);
}

const SAYS_AGAIN = /"hundredfold run"( command|.* again)/;

/** A line, and after one that says to run the campaign again its command, if it is known. */
function write(stream: NodeJS.WriteStream, line: string): void {
  const isFollowed = command !== null && SAYS_AGAIN.test(line);
  const text = escapeUnsafe(isFollowed ? `${line}\n  That command: ${command}` : line);
  stream.write(
    `${hints === null ? text : text.replace(hints, `${chooseTyped(process.cwd())} `)}\n`,
  );
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
  write(process.stdout, line);
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

/** For progress, notes and warnings. */
export function say(line: string): void {
  if (!isQuiet()) writeError(line);
}

export function writeError(line: string): void {
  write(process.stderr, line);
}

/** `1 row`, `2 rows` */
export function formatCount(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

/** The first lines of a list, and how many more there are: a longer one is not useful on a screen. */
export function listFirst(
  lines: readonly string[],
  max: number,
  countRest: (n: number) => string,
): readonly string[] {
  if (lines.length <= max) return lines;
  return [...lines.slice(0, max), countRest(lines.length - max)];
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

/* ---- colours, widths, tables ---- */

/** The meaning of a text; colours add no information to it. */
const STYLE_OF = {
  plain: 'reset',
  strong: 'bold',
  faint: 'dim',
  good: 'green',
  bad: 'red',
  warning: 'yellow',
} as const;
export type Tone = keyof typeof STYLE_OF;

export const TONE_OF_STATE: Readonly<Record<FinalState, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  held: 'warning',
  cancelled: 'warning',
  invalid: 'bad',
};

/**
 * As written to stderr, which may have no colours. Text from services and file names may contain control codes and line
 * feeds: they are escaped.
 */
export function paint(text: string, tone: Tone = 'plain'): string {
  const safe = escapeUnsafe(text).replace(/[\n\t]+/g, ' ');
  return tone === 'plain' ? safe : styleText(STYLE_OF[tone], safe, { stream: process.stderr });
}

export { countColumns };

/** The text, shortened to this number of columns with an ellipsis; its colours stay whole. */
export function cutText(text: string, columns: number): string {
  if (countColumns(text) <= columns) return text;
  return columns < 1 ? '' : `${sliceAnsi(text, 0, columns - 1)}…`;
}

/** Of a path, the end is kept. */
export function cutPath(path: string, columns: number): string {
  return path.length <= columns ? path : `…${path.slice(path.length - Math.max(0, columns - 1))}`;
}

/** The text, padded with spaces to this width. */
export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - countColumns(text)));
}

/** Columns aligned below a header. An empty cell is `-`, so that columns can be counted. */
export function printTable(
  header: readonly string[],
  rows: readonly (readonly (string | null | undefined)[])[],
): void {
  const table = [header, ...rows.map((cells) => cells.map((cell) => toOneLine(cell ?? '')))];
  const widths = header.map((_, n) =>
    table.reduce((most, cells) => Math.max(most, countColumns(cells[n] ?? '')), 0),
  );
  for (const cells of table)
    printLine(fitToTerminal(cells.map((cell, n) => padText(cell, widths[n] ?? 0)).join('  ')));
}

/** Names of jobs and messages come from the service. */
function toOneLine(cell: string): string {
  return escapeUnsafe(cell).replace(/\s+/g, ' ').trim() || '-';
}

/** Cut to one terminal row; complete elsewhere. */
function fitToTerminal(text: string): string {
  return process.stdout.isTTY ? cutText(text.trimEnd(), process.stdout.columns) : text.trimEnd();
}

/* ---- the Temporal UI, and the browser ---- */

/** All workflows, or those of a campaign: one line per item. */
export function buildUiLink(ui: string, campaign?: string): string {
  const all = `${ui}/namespaces/default/workflows`;
  if (campaign === undefined) return all;
  return `${all}?query=${encodeURIComponent(`${ATTRIBUTES.campaign.name}="${campaign}"`)}`;
}

/** The campaign's own workflow: short enough for 80 columns. */
export function buildCampaignLink(ui: string, campaign: string): string {
  return `${buildUiLink(ui)}/${buildCampaignWorkflowId(campaign)}`;
}

/**
 * Shows it in the user's browser. `BROWSER` names another program, as for xdg-open.
 *
 * @returns whether there is such a program; the link is printed in any case
 */
export function openLink(link: string): boolean {
  const { BROWSER, DISPLAY, WAYLAND_DISPLAY } = process.env;
  const isMac = process.platform === 'darwin';
  // Over ssh, in a container or in a cluster job there is no screen.
  if (!BROWSER && !isMac && !DISPLAY && !WAYLAND_DISPLAY) return false;
  const child = spawn(BROWSER || (isMac ? 'open' : 'xdg-open'), [link], {
    stdio: 'ignore',
    detached: true,
  });
  // Without such a program it has no process id.
  child.on('error', () => undefined);
  child.unref();
  return child.pid !== undefined;
}
