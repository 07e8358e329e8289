/** A line of the live view: styled text, measured in terminal columns. Pure. */
import { createRequire } from 'node:module';
import { styleText } from 'node:util';
import type stringWidth from 'string-width';
import { escapeUnsafe } from '../../domain/plain-text.ts';
import type { FinalState } from '../../domain/item.ts';

/** The meaning of a text; colours add no information to the text. */
export type Tone = 'plain' | 'strong' | 'faint' | 'good' | 'bad' | 'warning';

export const TONE_OF_STATE: Readonly<Record<FinalState, Tone>> = {
  succeeded: 'good',
  failed: 'bad',
  held: 'warning',
  cancelled: 'warning',
  invalid: 'bad',
};

export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

export type Line = readonly Span[];

/** Text from services and file names may contain control codes and line feeds: they are escaped. */
export function createSpan(text: string, tone: Tone = 'plain'): Span {
  return { text: escapeUnsafe(text).replace(/[\n\t]+/g, ' '), tone };
}

/** All text of the view itself takes one column per character; only external text has to be measured. */
const ONE_COLUMN_EACH = /^[ -~·…█░▁-▇]*$/;

const require = createRequire(import.meta.url);
let measure: typeof stringWidth | null = null;

export function countColumns(text: string): number {
  if (ONE_COLUMN_EACH.test(text)) return text.length;
  // Loaded at the first text of this kind: it takes 20 ms, and most tables are ASCII.
  measure ??= (require('string-width') as { default: typeof stringWidth }).default;
  return measure(text);
}

export function countWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + countColumns(text), 0);
}

const segmenter = new Intl.Segmenter();

/** The text, shortened to this number of columns with an ellipsis. */
export function cutText(text: string, columns: number): string {
  if (countColumns(text) <= columns) return text;
  if (columns < 1) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter.segment(text)) {
    const width = countColumns(segment);
    // One column is for the ellipsis.
    if (used + width > columns - 1) break;
    kept += segment;
    used += width;
  }
  return `${kept}…`;
}

/** Of a path, the end is kept. */
export function cutPath(path: string, columns: number): string {
  return path.length <= columns ? path : `…${path.slice(path.length - Math.max(0, columns - 1))}`;
}

export function cutLine(line: Line, columns: number): Line {
  if (countWidth(line) <= columns) return line;
  const kept: Span[] = [];
  let left = columns;
  for (const { text, tone } of line) {
    const width = countColumns(text);
    // Everything after this is cut too: the ellipsis goes into the last remaining text.
    const cutHere = width >= left;
    kept.push({ text: cutHere ? cutText(`${text} `, left) : text, tone });
    if (cutHere) break;
    left -= width;
  }
  return kept;
}

/** The text, padded with spaces to this width. */
export function padText(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - countColumns(text)));
}

const STYLE_OF = {
  strong: 'bold',
  faint: 'dim',
  good: 'green',
  bad: 'red',
  warning: 'yellow',
} as const;

/** As written to a terminal. */
export function paintLine(line: Line, colours: boolean): string {
  return line
    .map(({ text, tone }) =>
      tone === 'plain' || !colours
        ? text
        : styleText(STYLE_OF[tone], text, { validateStream: false }),
    )
    .join('')
    .trimEnd();
}
