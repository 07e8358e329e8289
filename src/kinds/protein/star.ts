/**
 * The part of the STAR format that NEF and NMR-STAR use: data blocks, save frames, tags, loops, values that are bare,
 * quoted or text blocks between semicolons (Hall & Cook 1995; the BMRB's description of NMR-STAR). One pass, whose cost
 * is linear for any input.
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
}

type StarReading =
  | { readonly ok: true; readonly frames: readonly StarFrame[] }
  | { readonly ok: false; readonly line: number; readonly reason: string };

/** @returns the save frames; content outside of them becomes a frame without a name */
export function readStar(text: string): StarReading {
  try {
    return { ok: true, frames: new StarReader().read(text) };
  } catch (error) {
    if (!(error instanceof StarSyntaxError)) throw error;
    return { ok: false, line: error.line, reason: error.message };
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
  readonly isBare: boolean;
}

/** A quote ends a value only before white space: `'5'-end'` is one value. */
const TOKEN =
  /\n|[\0-\t\v- ]+|#[^\n]*|(?<![^\n]);(?<block>[^]*?)\n;|(?<quote>['"])(?<quoted>[^\n]*?)\k<quote>(?![^\0- ])|(?<bare>[^\0- ]+)/g;

function* tokensOf(text: string): Generator<Token> {
  let line = 1;
  for (const { 0: whole, index, groups = {} } of text.matchAll(TOKEN)) {
    const { block, quoted, bare } = groups;
    if (bare?.startsWith('"') === true || bare?.startsWith("'") === true) {
      throw new StarSyntaxError(line, `the quote ${bare.charAt(0)} is not closed`);
    }
    if (bare?.startsWith(';') === true && (index === 0 || text[index - 1] === '\n')) {
      throw new StarSyntaxError(line, 'the text after `;` has no end');
    }
    const value = block ?? quoted ?? bare;
    if (value !== undefined) yield { text: value, line, isBare: value === bare };
    if (whole === '\n') line += 1;
    if (block !== undefined) line += whole.split('\n').length - 1;
  }
}

interface OpenFrame extends StarFrame {
  readonly items: Map<string, string>;
  readonly loops: StarLoop[];
}

interface OpenLoop {
  readonly tags: string[];
  readonly rows: { readonly values: string[]; readonly line: number }[];
  readonly line: number;
}

class StarReader {
  readonly #frames: OpenFrame[] = [];
  #loop: OpenLoop | null = null;
  /** A tag that waits for its value. */
  #tag: Token | null = null;
  #isInSaveFrame = false;
  #blocks = 0;

  read(text: string): readonly StarFrame[] {
    const normal = text.replace(/\r\n?/g, '\n');
    this.#begin('');
    for (const token of tokensOf(normal)) {
      const keyword = token.isBare
        ? /^(?:data_|save_|(?:loop_|stop_)$)/i.exec(token.text)?.[0].toLowerCase()
        : undefined;
      if (keyword !== undefined) this.#keyword(keyword, token);
      else if (token.isBare && token.text.startsWith('_')) this.#name(token);
      else this.#value(token);
    }
    this.#close();
    if (this.#isInSaveFrame) {
      throw new StarSyntaxError(normal.split('\n').length, 'the file ends inside a save frame');
    }
    return this.#frames;
  }

  #begin(name: string): void {
    this.#frames.push({ name, items: new Map(), loops: [] });
  }

  #keyword(keyword: string, { text, line }: Token): void {
    const refuse = (isWrong: boolean, reason: string): void => {
      if (isWrong) throw new StarSyntaxError(line, reason);
    };
    const wasInLoop = this.#loop !== null;
    this.#close();
    const name = text.slice(keyword.length);
    if (keyword === 'loop_') this.#loop = { tags: [], rows: [], line };
    else if (keyword === 'stop_') refuse(!wasInLoop, '`stop_` without a loop');
    else if (keyword === 'data_') {
      refuse(this.#isInSaveFrame, 'a data block begins inside a save frame');
      this.#blocks += 1;
      refuse(this.#blocks > 1, 'a second data block begins here; a row is one entry');
    } else {
      refuse(name === '' && !this.#isInSaveFrame, '`save_` without a save frame');
      refuse(name !== '' && this.#isInSaveFrame, 'a save frame begins inside another');
      this.#isInSaveFrame = name !== '';
      this.#begin(name);
    }
  }

  #name(token: Token): void {
    if (this.#loop?.rows.length === 0) {
      this.#loop.tags.push(token.text.toLowerCase());
      return;
    }
    this.#close();
    this.#tag = token;
  }

  #value({ text, line }: Token): void {
    if (this.#tag !== null) {
      this.#frames.at(-1)?.items.set(this.#tag.text.toLowerCase(), text);
      this.#tag = null;
      return;
    }
    if (this.#loop === null) throw new StarSyntaxError(line, 'a value without a tag');
    const { tags, rows } = this.#loop;
    if (tags.length === 0) throw new StarSyntaxError(line, 'the loop has values but no tags');
    const row = rows.at(-1);
    if (row === undefined || row.values.length === tags.length) rows.push({ values: [text], line });
    else row.values.push(text);
  }

  /** Ends the tag or the loop that is open. */
  #close(): void {
    if (this.#tag !== null) throw new StarSyntaxError(this.#tag.line, 'a tag has no value');
    if (this.#loop === null) return;
    const { tags, rows } = this.#loop;
    const last = rows.at(-1);
    if (last !== undefined && last.values.length < tags.length) {
      const reason = `the last row of the loop has fewer than ${tags.length} values`;
      throw new StarSyntaxError(last.line, reason);
    }
    this.#frames.at(-1)?.loops.push(this.#loop);
    this.#loop = null;
  }
}
