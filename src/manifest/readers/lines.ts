/** Lines as every editor counts them: LF, CRLF and a lone CR each end one. */
export function lineBreaks(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x0d && text.charCodeAt(at + 1) !== 0x0a)) count += 1;
  }
  return count;
}

/** Maximum characters of one row or line, to protect the memory. */
export const ROW_LIMIT = 32 * 1024 * 1024;
export const ROW_TOO_LONG = 'a row is longer than 32 MB';

/** A line is longer than `ROW_LIMIT`. */
export class LineTooLong extends Error {
  readonly line: number;
  constructor(line: number) {
    super(ROW_TOO_LONG);
    this.line = line;
  }
}

export interface TextLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

/** The lines of a text in pieces that never split a CRLF; throws `LineTooLong`. */
export async function* linesOf(pieces: AsyncIterable<string>): AsyncGenerator<readonly TextLine[]> {
  let number = 1;
  let begun: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    const [first = '', ...others] = piece.split(/\r\n|\n|\r/);
    begun.push(first);
    length += first.length;
    if (length > ROW_LIMIT) throw new LineTooLong(number);
    if (others.length === 0) continue;
    const unfinished = others.pop() ?? '';
    const lines = [begun.join(''), ...others].map((text, at) => ({ text, number: number + at }));
    yield lines;
    number += lines.length;
    begun = [unfinished];
    length = unfinished.length;
  }
  if (length > 0) yield [{ text: begun.join(''), number }];
}
