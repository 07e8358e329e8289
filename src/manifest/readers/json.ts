/**
 * A JSON array of objects, element by element: the text of each is cut out by its brackets and parsed alone, so that
 * memory stays constant, every row has its line, and one broken row does not hide the others.
 */
import { ColumnWatch } from '../columns.ts';
import { complaint } from '../problems/problems.ts';
import { aboutFile, type RawRow, type RowReader } from '../raw-row.ts';
import { jsonRow } from './json-row.ts';
import { ROW_LIMIT, ROW_TOO_LONG } from './lines.ts';

interface Element {
  readonly text: string;
  readonly line: number;
}

export const readJson: RowReader = async function* (text) {
  const scan = new Scan();
  const columns = new ColumnWatch();
  for await (const piece of text) {
    const rows = scan.take(piece).map((element) => jsonRow(element.text, element.line, columns));
    if (rows.length > 0) yield rows;
    if (scan.broken !== null) break;
  }
  const ending = endOf(scan);
  if (ending !== null) yield [ending];
};

/** Scans the text and splits it at the commas of the outermost array. */
class Scan {
  line = 1;
  state: 'before' | 'inside' | 'after' = 'before';
  /** Set once, if the rest is not valid. */
  broken: string | null = null;
  /** The line where the current element begins. */
  begins = 1;
  #parts: string[] = [];
  #length = 0;
  #begun = false;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #commaSeen = false;

  /** The elements that this piece completes; pieces never split a CRLF. */
  take(piece: string): Element[] {
    const elements: Element[] = [];
    let from = 0;
    for (let at = 0; at < piece.length && this.broken === null; at += 1) {
      const character = piece.charAt(at);
      if (this.state !== 'inside') {
        this.#outside(character);
        from = at + 1;
      } else if (this.#ends(character)) {
        this.#keep(piece.slice(from, at));
        elements.push(...this.#endElement(character === ']'));
        from = at + 1;
      } else if (!this.#begun && isBlank(character)) from = at + 1;
      else {
        if (!this.#begun) this.begins = this.line;
        this.#begun = true;
        this.#inside(character);
      }
      if (character === '\n' || (character === '\r' && piece.charAt(at + 1) !== '\n'))
        this.line += 1;
    }
    if (this.state === 'inside') this.#keep(piece.slice(from));
    if (this.#length > ROW_LIMIT) this.broken = ROW_TOO_LONG;
    return elements;
  }

  /** The text of the current element. */
  unfinished(): string {
    return this.#parts.join('');
  }

  #keep(text: string): void {
    if (text === '') return;
    this.#parts.push(text);
    this.#length += text.length;
  }

  #outside(character: string): void {
    if (isBlank(character)) return;
    if (this.state === 'after') this.broken = 'there is text after the array';
    else if (character === '[') this.state = 'inside';
    else this.broken = 'it must be an array of objects';
  }

  #ends(character: string): boolean {
    return this.#depth === 0 && !this.#inString && (character === ',' || character === ']');
  }

  #inside(character: string): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (character === '\\') this.#escaped = true;
      else if (character === '"') this.#inString = false;
    } else if (character === '"') this.#inString = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') this.#depth -= 1;
  }

  #endElement(last: boolean): Element[] {
    const text = this.unfinished().trimEnd();
    const line = text === '' ? this.line : this.begins;
    const isEmptyArray = last && text === '' && !this.#commaSeen;
    this.#parts = [];
    this.#length = 0;
    this.#begun = false;
    this.#commaSeen = !last;
    if (last) this.state = 'after';
    return isEmptyArray ? [] : [{ text, line }];
  }
}

/** The rest when the text ends or becomes invalid: a truncated array must not lose its last row silently. */
function endOf(scan: Scan): RawRow | null {
  if (scan.state === 'inside') {
    const facts = { format: 'JSON', reason: scan.broken ?? 'the array is never closed' };
    const text = scan.unfinished();
    const why = complaint('MANIFEST_SYNTAX', facts, { value: text === '' ? null : text });
    return text === ''
      ? aboutFile({ ...why, line: scan.line })
      : { line: scan.begins, cells: null, complaints: [why] };
  }
  if (scan.broken === null) return null;
  const facts = { format: 'JSON', reason: scan.broken };
  return aboutFile(complaint('MANIFEST_SYNTAX', facts, { line: scan.line }));
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r';
}
