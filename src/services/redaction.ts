/**
 * The one place through which everything passes that a service sends, before it is kept, logged or put into an error:
 * secrets in it are overwritten, byte for byte, so that lengths stay as announced (promise 6: no secret leaves).
 * `http.ts` sends headers and bodies through it, so that no adapter can forget it.
 *
 * Never by the eye of a reader: how a secret may be spelled is in `secret-forms.ts`.
 *
 * Rejected: parsing the JSON and writing it again, which would not be the bytes as received, and failing the item,
 * which loses results that were paid for.
 */
import { LOOK_BEHIND, secretForms, type SecretForms, type Spelled } from './secret-forms.ts';

/** Smaller pieces are gathered before they are searched: a search has a cost of its own. */
const SEARCHED_BYTES = 64 * 1024;
/** None of them can stand in an id or a path, so a remote id that repeats a secret is never taken for one. */
const MASKS = '*#!|@^$&;,';

type Place = readonly [from: number, to: number];

export interface RedactedStream extends AsyncIterable<Uint8Array> {
  /** Lengths in bytes of what was overwritten so far, in its order. */
  readonly hidden: readonly number[];
}

export class Redaction {
  readonly #forms: SecretForms;
  readonly #mask: number;

  /** @param secrets all that this process knows, of whatever service */
  constructor(secrets: readonly string[]) {
    this.#forms = secretForms(secrets);
    // With a mask that is part of a secret, overwriting one could spell out another.
    const free = Array.from(MASKS).find((mask) => !secrets.some((secret) => secret.includes(mask)));
    this.#mask = (free ?? '*').charCodeAt(0);
  }

  /** Overwrites in place, and returns the lengths of what was overwritten. */
  bytes(text: Buffer): readonly number[] {
    return this.#hide(text, text.length);
  }

  /** A text of the service's without secrets. */
  text(text: string): string {
    const bytes = Buffer.from(text, 'utf8');
    return this.bytes(bytes).length === 0 ? text : bytes.toString('utf8');
  }

  /** The body without secrets, also where one begins in one chunk and ends in a later one. */
  stream(body: AsyncIterable<Uint8Array>): RedactedStream {
    const hidden: number[] = [];
    return { hidden, [Symbol.asyncIterator]: () => this.#redacted(body, hidden) };
  }

  async *#redacted(body: AsyncIterable<Uint8Array>, hidden: number[]): AsyncGenerator<Uint8Array> {
    let pieces: Uint8Array[] = [];
    let gathered = 0;
    /** Bytes at the beginning of `pieces` that were passed on already, and only tell what stands before the others. */
    let passed = 0;
    for await (const chunk of body) {
      pieces.push(chunk);
      gathered += chunk.byteLength;
      if (gathered - passed < SEARCHED_BYTES + this.#forms.reach) continue;
      const text = Buffer.concat(pieces);
      // What begins behind this place may end in a chunk that is still to come.
      const ready = text.length - this.#forms.reach;
      hidden.push(...this.#hide(text, ready));
      yield text.subarray(passed, ready);
      const kept = Math.max(0, ready - LOOK_BEHIND);
      pieces = [text.subarray(kept)];
      gathered = text.length - kept;
      passed = ready - kept;
    }
    const text = Buffer.concat(pieces);
    hidden.push(...this.#hide(text, text.length));
    if (text.length > passed) yield text.subarray(passed);
  }

  /** Overwrites what begins before `end`. */
  #hide(text: Buffer, end: number): number[] {
    const found: Place[] = [];
    for (const { bytes, before, after } of this.#forms.needles) {
      let at = text.indexOf(bytes);
      while (at !== -1 && at < end) {
        found.push(withShared(text, at, at + bytes.length, before, after));
        at = text.indexOf(bytes, at + bytes.length);
      }
    }
    found.push(...this.#spelledOut(text.toString('latin1'), end));
    const places = merged(found);
    for (const [from, to] of places) text.fill(this.#mask, from, to);
    return places.map(([from, to]) => to - from);
  }

  /** What patterns find in a text of one character a byte. */
  *#spelledOut(text: string, end: number): Generator<Place> {
    const { escaped, escapes, short } = this.#forms;
    if (escaped !== null && escapes.test(text)) yield* matchesOf(escaped, text, end);
    if (short !== null) yield* matchesOf(short, text, end);
  }
}

function* matchesOf({ head, whole }: Spelled, text: string, end: number): Generator<Place> {
  head.lastIndex = 0;
  for (let begun = head.exec(text); begun && begun.index < end; begun = head.exec(text)) {
    whole.lastIndex = begun.index;
    const length = whole.exec(text)?.[0].length ?? 0;
    if (length > 0) yield [begun.index, begun.index + length];
    // One may begin inside what only begins like one.
    head.lastIndex = begun.index + Math.max(1, length);
  }
}

const BASE64 = /[\w+/-]/;

/** With the base64 characters at its ends that hold a part of the secret and a part of its neighbour. */
function withShared(text: Buffer, from: number, to: number, before: number, after: number): Place {
  const isBase64 = (at: number): boolean => BASE64.test(String.fromCharCode(text[at] ?? 0));
  const begin = before > 0 && from > 0 && isBase64(from - 1) ? from - 1 : from;
  const end = after > 0 && isBase64(to) ? to + 1 : to;
  return [begin, end];
}

/** Places that overlap are one: a secret may be found in several spellings at once. */
function merged(places: Place[]): [number, number][] {
  const result: [number, number][] = [];
  for (const [from, to] of places.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
