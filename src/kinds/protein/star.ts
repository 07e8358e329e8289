/**
 * The part of the STAR format that NEF and NMR-STAR use: data blocks, save frames, tags, loops, values that are bare,
 * quoted or text blocks between semicolons (Hall & Cook 1995; the BMRB's description of NMR-STAR). One pass, without
 * regular expressions over the text, so that the cost is linear for any input.
 *
 * Own code, because the readers on npm read mmCIF only (Mol*, which is large) or a dialect.
 */

export interface StarRow {
  /** In the order of the loop's tags. */
  readonly values: readonly string[];
  /** Line of the first value, from 1. */
  readonly line: number;
}

export interface StarLoop {
  /** In lower case, with their category: `_atom_chem_shift.val`. */
  readonly tags: readonly string[];
  readonly rows: readonly StarRow[];
  readonly line: number;
}

export interface StarFrame {
  readonly name: string;
  /** Tag in lower case → value, for tags outside loops. */
  readonly items: ReadonlyMap<string, string>;
  readonly loops: readonly StarLoop[];
  readonly line: number;
}

type StarReading =
  | { readonly ok: true; readonly frames: readonly StarFrame[] }
  | { readonly ok: false; readonly line: number; readonly reason: string };

/** @returns the save frames; content outside of them becomes a frame without a name */
export function readStar(text: string): StarReading {
  try {
    return { ok: true, frames: new StarReader(text).read() };
  } catch (error) {
    if (error instanceof StarSyntaxError) {
      return { ok: false, line: error.line, reason: error.message };
    }
    throw error;
  }
}

class StarSyntaxError extends Error {
  readonly line: number;

  constructor(line: number, reason: string) {
    super(reason);
    this.line = line;
  }
}

interface Token {
  readonly text: string;
  readonly line: number;
  /** Not quoted and not a text block: only such a token can be a keyword or a tag. */
  readonly bare: boolean;
}

const NEWLINE = 10;
const isBlank = (code: number): boolean => code <= 32;

class StarLexer {
  readonly #text: string;
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text.replace(/\r\n?/g, '\n');
  }

  get line(): number {
    return this.#line;
  }

  next(): Token | null {
    for (;;) {
      this.#skipBlanks();
      if (this.#at >= this.#text.length) return null;
      const first = this.#text.charAt(this.#at);
      if (first === '#') this.#at = this.#endOfLine();
      else if (first === ';' && this.#atLineStart()) return this.#textBlock();
      else if (first === "'" || first === '"') return this.#quoted(first);
      else return this.#word();
    }
  }

  #atLineStart(): boolean {
    return this.#at === 0 || this.#text.charCodeAt(this.#at - 1) === NEWLINE;
  }

  #endOfLine(): number {
    const end = this.#text.indexOf('\n', this.#at);
    return end === -1 ? this.#text.length : end;
  }

  #skipBlanks(): void {
    while (this.#at < this.#text.length && isBlank(this.#text.charCodeAt(this.#at))) {
      if (this.#text.charCodeAt(this.#at) === NEWLINE) this.#line += 1;
      this.#at += 1;
    }
  }

  #word(): Token {
    const start = this.#at;
    while (this.#at < this.#text.length && !isBlank(this.#text.charCodeAt(this.#at))) this.#at += 1;
    return { text: this.#text.slice(start, this.#at), line: this.#line, bare: true };
  }

  /** A quote ends the value only before white space: `'5'-end'` is one value. */
  #quoted(quote: string): Token {
    const end = this.#endOfLine();
    for (let at = this.#at + 1; at < end; at += 1) {
      if (this.#text[at] !== quote) continue;
      if (at + 1 < end && !isBlank(this.#text.charCodeAt(at + 1))) continue;
      const text = this.#text.slice(this.#at + 1, at);
      this.#at = at + 1;
      return { text, line: this.#line, bare: false };
    }
    throw new StarSyntaxError(this.#line, `the quote ${quote} is not closed`);
  }

  #textBlock(): Token {
    const line = this.#line;
    const end = this.#text.indexOf('\n;', this.#at);
    if (end === -1) throw new StarSyntaxError(line, 'the text after `;` has no end');
    const text = this.#text.slice(this.#at + 1, end);
    for (let at = this.#at; at <= end; at += 1) {
      if (this.#text.charCodeAt(at) === NEWLINE) this.#line += 1;
    }
    this.#at = end + 2;
    return { text, line, bare: false };
  }
}

interface OpenFrame extends StarFrame {
  readonly items: Map<string, string>;
  readonly loops: StarLoop[];
}

interface OpenLoop {
  readonly tags: string[];
  readonly values: string[];
  /** Line of each row's first value. */
  readonly lines: number[];
  readonly line: number;
}

class StarReader {
  readonly #lexer: StarLexer;
  readonly #frames: OpenFrame[] = [];
  #frame = newFrame('', 1);
  #loop: OpenLoop | null = null;
  /** A tag that waits for its value. */
  #tag: Token | null = null;
  #inSaveFrame = false;
  #blocks = 0;

  constructor(text: string) {
    this.#lexer = new StarLexer(text);
    this.#frames.push(this.#frame);
  }

  read(): readonly StarFrame[] {
    for (let token = this.#lexer.next(); token !== null; token = this.#lexer.next()) {
      if (!token.bare) this.#value(token);
      else if (token.text.startsWith('_')) this.#name(token);
      else if (!this.#keyword(token)) this.#value(token);
    }
    this.#endLoop();
    this.#endTag();
    if (this.#inSaveFrame) this.#fail('the file ends inside a save frame');
    return this.#frames;
  }

  #fail(reason: string, line = this.#lexer.line): never {
    throw new StarSyntaxError(line, reason);
  }

  #keyword({ text, line }: Token): boolean {
    const word = text.slice(0, 'global_'.length).toLowerCase();
    const known = ['data_', 'save_', 'loop_', 'stop_'].find((one) => word.startsWith(one));
    if (known === undefined) return false;
    if ((known === 'loop_' || known === 'stop_') && text.length > known.length) return false;
    const inLoop = this.#loop !== null;
    this.#endTag();
    this.#endLoop();
    if (known === 'stop_' && !inLoop) this.#fail('`stop_` without a loop', line);
    if (known === 'loop_') this.#loop = { tags: [], values: [], lines: [], line };
    if (known === 'save_') this.#save(text.slice(known.length), line);
    if (known === 'data_') this.#data(line);
    return true;
  }

  #data(line: number): void {
    if (this.#inSaveFrame) this.#fail('a data block begins inside a save frame', line);
    this.#blocks += 1;
    if (this.#blocks > 1) this.#fail('a second data block begins here; a row is one entry', line);
  }

  #save(name: string, line: number): void {
    if (name === '') {
      if (!this.#inSaveFrame) this.#fail('`save_` without a save frame', line);
      this.#inSaveFrame = false;
      this.#frame = newFrame('', line);
    } else {
      if (this.#inSaveFrame) this.#fail('a save frame begins inside another', line);
      this.#inSaveFrame = true;
      this.#frame = newFrame(name, line);
    }
    this.#frames.push(this.#frame);
  }

  #name(token: Token): void {
    if (this.#loop?.values.length === 0) {
      this.#loop.tags.push(token.text.toLowerCase());
      return;
    }
    this.#endTag();
    this.#endLoop();
    this.#tag = token;
  }

  #value({ text, line }: Token): void {
    if (this.#tag !== null) {
      this.#frame.items.set(this.#tag.text.toLowerCase(), text);
      this.#tag = null;
      return;
    }
    if (this.#loop === null) this.#fail('a value without a tag', line);
    if (this.#loop.tags.length === 0) this.#fail('the loop has values but no tags', line);
    if (this.#loop.values.length % this.#loop.tags.length === 0) this.#loop.lines.push(line);
    this.#loop.values.push(text);
  }

  #endTag(): void {
    if (this.#tag !== null) this.#fail('a tag has no value', this.#tag.line);
  }

  #endLoop(): void {
    if (this.#loop === null) return;
    const { tags, values, lines, line } = this.#loop;
    if (values.length % Math.max(1, tags.length) !== 0) {
      const row = lines.at(-1) ?? line;
      this.#fail(`the last row of the loop has fewer than ${String(tags.length)} values`, row);
    }
    const rows = lines.map((at, index) => ({
      values: values.slice(index * tags.length, (index + 1) * tags.length),
      line: at,
    }));
    this.#frame.loops.push({ tags, rows, line });
    this.#loop = null;
  }
}

function newFrame(name: string, line: number): OpenFrame {
  return { name, items: new Map(), loops: [], line };
}
