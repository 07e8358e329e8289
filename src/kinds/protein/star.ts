/**
 * The part of the STAR format that NEF and NMR-STAR use: data blocks, save frames, tags, loops, values that are bare,
 * quoted or text blocks between semicolons (Hall & Cook 1995; the BMRB's description of NMR-STAR). One pass, whose cost
 * is linear for any input.
 *
 * Own code, because the readers on npm read mmCIF only (Mol*, which is large) or a dialect.
 */

export interface StarRow {
  /** In the order of the loop's tags. */
  readonly values: string[];
  /** Line of the first value, from 1. */
  readonly line: number;
}

export interface StarLoop {
  /** In lower case, with their category: `_atom_chem_shift.val`. */
  readonly tags: string[];
  readonly rows: StarRow[];
  readonly line: number;
}

export interface StarFrame {
  readonly name: string;
  /** Tag in lower case → value, for tags outside loops. */
  readonly items: Map<string, string>;
  readonly loops: StarLoop[];
}

export class StarSyntaxError extends Error {
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

function* readTokens(text: string): Generator<Token> {
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

const KEYWORD = /^(?:data_|save_|(?:loop_|stop_)$)/i;

/**
 * The save frames; content outside of them becomes a frame without a name.
 * @throws StarSyntaxError
 */
export function readStar(text: string): readonly StarFrame[] {
  let frame: StarFrame = { name: '', items: new Map(), loops: [] };
  const frames = [frame];
  let blocks = 0;
  let loop: StarLoop | null = null;
  /** A tag that waits for its value. */
  let tag: Token | null = null;
  for (const token of readTokens(text.replace(/\r\n?/g, '\n'))) {
    const { text: word, line, isBare } = token;
    const keyword = isBare ? KEYWORD.exec(word)?.[0].toLowerCase() : undefined;
    const isTag = isBare && word.startsWith('_');
    if (keyword === undefined && !isTag) {
      if (tag !== null) frame.items.set(tag.text.toLowerCase(), word);
      else addValue(loop, token);
      tag = null;
      continue;
    }
    if (isTag && loop?.rows.length === 0) {
      loop.tags.push(word.toLowerCase());
      continue;
    }
    expectEnd(tag, loop);
    const refuse = (isWrong: boolean, reason: string): void => {
      if (isWrong) throw new StarSyntaxError(line, reason);
    };
    const isInSaveFrame = frame.name !== '';
    if (keyword === 'stop_') refuse(loop === null, '`stop_` without a loop');
    if (keyword === 'data_') {
      refuse(isInSaveFrame, 'a data block begins inside a save frame');
      blocks += 1;
      refuse(blocks > 1, 'a second data block begins here; a row is one entry');
    }
    [tag, loop] = [isTag ? token : null, null];
    if (keyword === 'loop_') {
      loop = { tags: [], rows: [], line };
      frame.loops.push(loop);
    }
    if (keyword === 'save_') {
      const name = word.slice(keyword.length);
      refuse(name === '' && !isInSaveFrame, '`save_` without a save frame');
      refuse(name !== '' && isInSaveFrame, 'a save frame begins inside another');
      frame = { name, items: new Map(), loops: [] };
      frames.push(frame);
    }
  }
  expectEnd(tag, loop);
  if (frame.name !== '') {
    throw new StarSyntaxError(text.split(/\r\n?|\n/).length, 'the file ends inside a save frame');
  }
  return frames;
}

function addValue(loop: StarLoop | null, { text, line }: Token): void {
  if (loop === null) throw new StarSyntaxError(line, 'a value without a tag');
  const { tags, rows } = loop;
  if (tags.length === 0) throw new StarSyntaxError(line, 'the loop has values but no tags');
  const row = rows.at(-1);
  if (row === undefined || row.values.length === tags.length) rows.push({ values: [text], line });
  else row.values.push(text);
}

/** The tag or loop that is open is complete. */
function expectEnd(tag: Token | null, loop: StarLoop | null): void {
  if (tag !== null) throw new StarSyntaxError(tag.line, 'a tag has no value');
  const last = loop?.rows.at(-1);
  if (loop === null || last === undefined || last.values.length === loop.tags.length) return;
  const reason = `the last row of the loop has fewer than ${loop.tags.length} values`;
  throw new StarSyntaxError(last.line, reason);
}
