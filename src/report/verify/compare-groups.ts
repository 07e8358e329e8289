/** Finds where two texts differ, group by group, and resynchronises after groups that only one of them has. */

export type GroupDifference =
  /** The existing text lacks the group. */
  | { readonly type: 'missing'; readonly expected: LineGroup }
  /** It has an unexpected group. */
  | { readonly type: 'extra'; readonly found: LineGroup }
  | { readonly type: 'differs'; readonly expected: LineGroup; readonly found: LineGroup };

/** Maximum number of groups to look ahead for resynchronisation. */
const AHEAD = 64;

/** Reads both to the end. */
export async function* differingGroups(
  expected: AsyncIterable<LineGroup>,
  found: AsyncIterable<LineGroup>,
): AsyncGenerator<GroupDifference, void, undefined> {
  const [left, right] = [new Ahead(expected), new Ahead(found)];
  for (;;) {
    const [one, other] = [await left.first(), await right.first()];
    if (one === null && other === null) return;
    if (one !== null && other !== null && one.key === other.key) {
      left.drop();
      right.drop();
      if (!sameLines(one.lines, other.lines))
        yield { type: 'differs', expected: one, found: other };
      continue;
    }
    // Number of groups that only one of the texts has.
    const extra = one === null ? 1 : await right.distanceTo(one.key);
    const missing = other === null ? 1 : await left.distanceTo(other.key);
    if (one !== null && (extra === null || (missing !== null && missing <= extra))) {
      left.drop();
      yield { type: 'missing', expected: one };
      if (missing !== null || other === null) continue;
    }
    if (other !== null) {
      right.drop();
      yield { type: 'extra', found: other };
    }
  }
}

function sameLines(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((line, n) => line === other[n]);
}

/** Buffers groups read ahead. */
class Ahead {
  readonly #groups: AsyncIterator<LineGroup>;
  #known: LineGroup[] = [];
  #ended = false;

  constructor(groups: AsyncIterable<LineGroup>) {
    this.#groups = groups[Symbol.asyncIterator]();
  }

  async first(): Promise<LineGroup | null> {
    await this.#know(1);
    return this.#known[0] ?? null;
  }

  drop(): void {
    this.#known.shift();
  }

  /** Null if it is not among the next ones. */
  async distanceTo(key: string): Promise<number | null> {
    await this.#know(AHEAD);
    const at = this.#known.findIndex((group) => group.key === key);
    return at < 0 ? null : at;
  }

  async #know(count: number): Promise<void> {
    while (!this.#ended && this.#known.length < count) {
      const next = await this.#groups.next();
      if (next.done === true) this.#ended = true;
      else this.#known.push(next.value);
    }
  }
}

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
