/**
 * A text file in pieces, as groups of lines about the same thing: the rows of one item in a table. Lines are compared,
 * never interpreted, so the text stays in single bytes (latin1).
 */

export interface LineGroup {
  /** The subject of the lines; '' if there is none. */
  readonly key: string;
  /** From 1. */
  readonly line: number;
  readonly lines: readonly string[];
}

/** Lines without line ends; also a last line without one. */
async function* linesIn(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly string[], void, undefined> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
  if (rest !== '') yield [rest];
}

interface GroupInMaking extends LineGroup {
  readonly lines: string[];
}

/** `keyOf` reads a line; consecutive lines with the same key are a group. */
export async function* lineGroups(
  chunks: AsyncIterable<Uint8Array>,
  keyOf: (line: string) => string,
): AsyncGenerator<LineGroup, void, undefined> {
  let group: GroupInMaking | null = null;
  let number = 0;
  for await (const lines of linesIn(chunks)) {
    for (const line of lines) {
      number += 1;
      const key = keyOf(line);
      if (group !== null && group.key === key) {
        group.lines.push(line);
      } else {
        if (group !== null) yield group;
        group = { key, line: number, lines: [line] };
      }
    }
  }
  if (group !== null) yield group;
}

/** The decoded text, for messages. */
export function readable(text: string): string {
  return Buffer.from(text, 'latin1').toString('utf8');
}
