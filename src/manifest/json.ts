/**
 * A JSON array of objects, element by element: the text of each is cut out by its brackets and parsed alone,
 * so that memory stays flat, every row has its line, and one broken row does not hide the others.
 */
import { ColumnWatch } from './columns.ts';
import { jsonRow } from './json-row.ts';
import { complaint } from './problems.ts';
import { aboutFile, type RawRow, type RowReader } from './raw-row.ts';

interface Element {
  readonly text: string;
  readonly line: number;
}

/** Where the scanner is; `text` holds the element that is being collected. */
class Scan {
  line = 1;
  state: 'before' | 'inside' | 'after' = 'before';
  text = '';
  begins = 1;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #commaSeen = false;
  /** Set once, when what follows makes no sense any more. */
  broken: string | null = null;

  /** Takes one character; returns an element when it ends one. */
  take(character: string): Element | null {
    if (this.state === 'before') {
      if (character === '[') this.state = 'inside';
      else if (!isBlank(character)) this.broken = 'it has to be an array of objects';
      return null;
    }
    if (this.state === 'after') {
      if (!isBlank(character)) this.broken = 'there is text after the array';
      return null;
    }
    if (this.#depth === 0 && !this.#inString && (character === ',' || character === ']')) {
      return this.#endElement(character === ']');
    }
    this.#collect(character);
    return null;
  }

  #collect(character: string): void {
    if (this.text === '' && isBlank(character)) return;
    if (this.text === '') this.begins = this.line;
    this.text += character;
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (character === '\\') this.#escaped = true;
      else if (character === '"') this.#inString = false;
    } else if (character === '"') this.#inString = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (character === '}' || character === ']') this.#depth -= 1;
  }

  #endElement(last: boolean): Element | null {
    const text = this.text.trimEnd();
    const line = text === '' ? this.line : this.begins;
    const isEmptyArray = last && text === '' && !this.#commaSeen;
    this.text = '';
    this.#commaSeen = !last;
    if (last) this.state = 'after';
    return isEmptyArray ? null : { text, line };
  }
}

export const readJson: RowReader = async function* (text) {
  const scan = new Scan();
  const columns = new ColumnWatch();
  for await (const piece of text) {
    for (const element of elementsOf(scan, piece)) {
      yield jsonRow(element.text, element.line, columns);
    }
    if (scan.broken !== null) break;
  }
  const ending = endOf(scan);
  if (ending !== null) yield ending;
};

function* elementsOf(scan: Scan, piece: string): Generator<Element> {
  for (let at = 0; at < piece.length && scan.broken === null; at += 1) {
    const character = piece.charAt(at);
    const element = scan.take(character);
    if (element !== null) yield element;
    if (character === '\n' || (character === '\r' && piece.charAt(at + 1) !== '\n')) scan.line += 1;
  }
}

/** What is left when the text ends or stops making sense: an array that is cut off loses its last row visibly. */
function endOf(scan: Scan): RawRow | null {
  if (scan.state === 'inside' && scan.broken === null) {
    const facts = { format: 'JSON', reason: 'the array is never closed' };
    const why = complaint('MANIFEST_SYNTAX', facts, { value: scan.text === '' ? null : scan.text });
    return scan.text === ''
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
