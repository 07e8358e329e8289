/**
 * Parses CSV and TSV (RFC 4180), piece of text by piece: rows, their lines, and unbalanced quotes.
 *
 * Own code, because of what csv-parse lacks (test/manifest/csv-parse.test.ts): the line of a row after quoted line breaks
 * of every type, rows that continue after a misplaced quote, and a million rows in a fifth of the time.
 */
import { lineBreaks, ROW_LIMIT } from './lines.ts';

const QUOTE = 0x22;
const LF = 0x0a;
const CR = 0x0d;
const BLANK = 0x20;

export type Delimiter = ',' | ';' | '\t';

export interface DelimitedRow {
  /** Where it begins, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** The cell with a misplaced quote, including the text after it. */
  readonly misquoted: string | null;
  /** As in the file, without its line end. */
  readonly raw: () => string;
}

export class DelimitedRows {
  readonly #delimiter: number;
  #text = '';
  /** Start of the current row in `#text`. */
  #begins = 0;
  /**
   * An unfinished row is parsed again only when the text has doubled, so that a long one is not parsed over and over.
   */
  #waitFor = 0;
  #cells: string[] = [];
  #misquoted: string | null = null;
  #innerBreaks = 0;
  line = 1;

  constructor(delimiter: Delimiter) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** The rows that this piece completes; pieces never split a CRLF. */
  take(piece: string): DelimitedRow[] {
    this.#text += piece;
    return this.#text.length < this.#waitFor ? [] : this.#finished(false);
  }

  /** The rows that the end of the text completes. */
  end(): DelimitedRow[] {
    return this.#finished(true);
  }

  /** After `end`: a quote is still open. */
  get isOpen(): boolean {
    return this.#text !== '';
  }

  get isTooLong(): boolean {
    return this.#text.length > ROW_LIMIT;
  }

  #finished(last: boolean): DelimitedRow[] {
    const text = this.#text;
    const rows: DelimitedRow[] = [];
    let begins = 0;
    while (begins < text.length) {
      this.#cells = [];
      this.#misquoted = null;
      this.#innerBreaks = 0;
      this.#begins = begins;
      const end = this.#readRow(last);
      if (end < 0) break;
      const from = begins;
      rows.push({
        line: this.line,
        cells: this.#cells,
        misquoted: this.#misquoted,
        raw: () => text.slice(from, end),
      });
      this.line += this.#innerBreaks;
      begins = end;
      if (end < text.length) {
        this.line += 1;
        begins += text.charCodeAt(end) === CR && text.charCodeAt(end + 1) === LF ? 2 : 1;
      }
    }
    this.#text = text.slice(begins);
    this.#waitFor = 2 * this.#text.length;
    return rows;
  }

  /** Reads the cells of one row; returns the offset of its line end, or -1 if it is not complete. */
  #readRow(last: boolean): number {
    const text = this.#text;
    let at = this.#begins;
    for (;;) {
      at = text.charCodeAt(at) === QUOTE ? this.#readQuoted(at) : this.#readPlain(at);
      if (at < 0 || (at >= text.length && !last)) return -1;
      if (text.charCodeAt(at) !== this.#delimiter) return at;
      at += 1;
    }
  }

  #readPlain(from: number): number {
    const end = this.#cellEnd(from);
    const cell = this.#text.slice(from, end);
    this.#cells.push(cell);
    if (cell.charCodeAt(0) === BLANK && cell.trimStart().startsWith('"')) this.#misquoted ??= cell;
    return end;
  }

  #readQuoted(from: number): number {
    const text = this.#text;
    let close = text.indexOf('"', from + 1);
    let isDoubled = false;
    while (close >= 0 && text.charCodeAt(close + 1) === QUOTE) {
      isDoubled = true;
      close = text.indexOf('"', close + 2);
    }
    if (close < 0) return -1;
    const end = this.#cellEnd(close + 1);
    const inner = text.slice(from + 1, close);
    this.#innerBreaks += lineBreaks(inner);
    if (end === close + 1) {
      this.#cells.push(isDoubled ? inner.replaceAll('""', '"') : inner);
    } else {
      const cell = text.slice(from, end);
      this.#cells.push(cell);
      this.#misquoted ??= cell;
    }
    return end;
  }

  /** The next delimiter or line end, or the end of the text. */
  #cellEnd(from: number): number {
    const text = this.#text;
    const delimiter = this.#delimiter;
    let at = from;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === delimiter || code === LF || code === CR) break;
    }
    return at;
  }
}
