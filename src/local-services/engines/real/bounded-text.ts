/** Limits the output of a program: keeps its beginning, which identifies it, and its end, which has the reason. */
import { StringDecoder } from 'node:string_decoder';

/** Characters of each of the two ends. */
const KEPT = 128 * 1024;

export class BoundedText {
  readonly #decoder = new StringDecoder('utf8');
  readonly #kept: number;
  #head = '';
  #tail = '';
  #lost = 0;

  constructor(kept = KEPT) {
    this.#kept = kept;
  }

  add(bytes: Uint8Array): void {
    let text = this.#decoder.write(Buffer.from(bytes));
    const room = this.#kept - this.#head.length;
    this.#head += text.slice(0, room);
    text = text.slice(Math.max(0, room));
    this.#tail += text;
    const over = this.#tail.length - this.#kept;
    // Cut rarely, so that its tail is not copied for each line that a program prints.
    if (over > this.#kept) this.#cut(over);
  }

  #cut(over: number): void {
    this.#tail = this.#tail.slice(over);
    this.#lost += over;
  }

  toString(): string {
    const over = this.#tail.length - this.#kept;
    if (over > 0) this.#cut(over);
    if (this.#lost === 0) return this.#head + this.#tail;
    return `${this.#head}\n[… ${String(this.#lost)} characters left out …]\n${this.#tail}`;
  }
}
