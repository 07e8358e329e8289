/** Text in terminal columns: its colour, its width, and tables on stdout for users and pipes. */
import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import type stringWidth from 'string-width';
import { escapeUnsafe } from '../../domain/plain-text.ts';
import type { FinalState } from '../../domain/item.ts';
import { printLine } from './output.ts';

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

/** All text of the view itself takes one column per character; only external text and colours have to be measured. */
const ONE_COLUMN_EACH = /^[ -~·…█░]*$/;

const require = createRequire(import.meta.url);
let measure: typeof stringWidth | null = null;

export function countColumns(text: string): number {
  if (ONE_COLUMN_EACH.test(text)) return text.length;
  // Loaded at the first text of this kind: it takes 20 ms, and most tables are ASCII.
  measure ??= (require('string-width') as { default: typeof stringWidth }).default;
  return measure(text);
}

const segmenter = new Intl.Segmenter();
const COLOUR = new RegExp(`(${String.fromCharCode(27)}\\[\\d+m)`);

/** The text, shortened to this number of columns with an ellipsis; its colours stay whole. */
export function cutText(text: string, columns: number): string {
  if (countColumns(text) <= columns) return text;
  if (columns < 1) return '';
  let kept = '';
  // One column is for the ellipsis; below zero once it is there.
  let room = columns - 1;
  for (const piece of text.split(COLOUR)) {
    const segments = COLOUR.test(piece) ? [] : [...segmenter.segment(piece)];
    if (segments.length === 0) kept += piece;
    for (const { segment } of segments) {
      if (room < 0) break;
      const width = countColumns(segment);
      kept += width <= room ? segment : '…';
      room = width <= room ? room - width : -1;
    }
  }
  return kept;
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
