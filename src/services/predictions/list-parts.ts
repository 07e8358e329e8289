/**
 * Splits a JSON answer while it arrives: the elements of its list, some at a time, then the rest with what surrounds
 * them. A list of past results has tens of thousands of entries of a kilobyte; parsed as a whole, it takes several times
 * as much memory.
 *
 * The list may be the whole answer, or lie directly under a key of it. Anything else is part of the rest.
 */

const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

export class ListParts {
  /** Chunks that were not passed on. */
  #pieces: Uint8Array[] = [];
  #gathered = 0;
  /** What surrounds the elements that were passed on. */
  readonly #frame: Uint8Array[] = [];
  #framed = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #isList = false;
  /** The depth of the list's elements; -1 outside of it. */
  #listDepth = -1;
  /** Where its elements begin, counted from the first of `#pieces`. */
  #begin = 0;

  /** Bytes in memory. */
  get held(): number {
    return this.#gathered + this.#framed;
  }

  /** The elements that are complete now, as a list in JSON; null if there are none. */
  add(chunk: Uint8Array): Uint8Array | null {
    const comma = this.#scan(chunk);
    this.#pieces.push(chunk);
    this.#gathered += chunk.byteLength;
    if (comma === null) return null;
    const text = Buffer.concat(this.#pieces);
    const before = text.subarray(0, this.#begin);
    // A copy: the frame would keep the whole text.
    if (before.length > 0) this.#frame.push(Buffer.from(before));
    this.#framed += before.length;
    const part = Buffer.concat([
      Uint8Array.of(OPEN_LIST),
      text.subarray(this.#begin, comma),
      Uint8Array.of(CLOSE_LIST),
    ]);
    const left = text.subarray(comma + 1);
    this.#pieces = [left];
    this.#gathered = left.length;
    this.#begin = 0;
    return part;
  }

  /** JSON again: the answer without the elements that `add` returned. */
  end(): Uint8Array {
    return Buffer.concat([...this.#frame, ...this.#pieces]);
  }

  /** The last comma between elements of the list, counted from the first of `#pieces`; null if there is none. */
  #scan(chunk: Uint8Array): number | null {
    let comma: number | null = null;
    for (let place = 0; place < chunk.length; place += 1) {
      const code = chunk[place];
      if (this.#inString) {
        if (this.#escaped) this.#escaped = false;
        else if (code === BACKSLASH) this.#escaped = true;
        else if (code === QUOTE) this.#inString = false;
      } else if (code === QUOTE) {
        this.#inString = true;
      } else if (code === COMMA) {
        if (this.#depth === this.#listDepth) comma = this.#gathered + place;
      } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
        this.#open(code === OPEN_LIST, this.#gathered + place);
      } else if (code === CLOSE_LIST || code === CLOSE_OBJECT) {
        if (this.#depth === this.#listDepth) {
          this.#listDepth = -1;
          // Its last elements are part of the rest.
          comma = null;
        }
        this.#depth -= 1;
      }
    }
    return comma;
  }

  #open(isList: boolean, at: number): void {
    this.#depth += 1;
    if (this.#depth === 1) this.#isList = isList;
    const isOutermost = this.#depth === 1 || (this.#depth === 2 && !this.#isList);
    if (!isList || !isOutermost) return;
    this.#listDepth = this.#depth;
    this.#begin = at + 1;
  }
}
