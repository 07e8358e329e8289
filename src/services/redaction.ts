/**
 * Everything that a service sends passes through here before it is stored, logged or put into an error: secrets in it
 * are overwritten, byte for byte, so that lengths stay as announced (promise 6: no secret leaves). `http.ts` passes
 * headers and bodies through it, so that no adapter can forget it. `secret-forms.ts` lists how a secret may be spelled.
 *
 * Rejected: parsing and rewriting the JSON, which would change the bytes received, and failing the item, which loses
 * results that were paid for.
 */
import { LOOK_BEHIND, secretForms, type SecretForms, type Spelled } from './secret-forms.ts';

/** Smaller pieces are collected before they are searched: each search has a fixed cost. */
const SEARCHED_BYTES = 64 * 1024;
/** None of them is allowed in an id or a path, so a remote id that repeats a secret is never accepted. */
const MASKS = '*#!|@^$&;,';

type Place = readonly [from: number, to: number];

export interface RedactedStream extends AsyncIterable<Uint8Array> {
  /** Lengths in bytes of what was overwritten so far, in order. */
  readonly hidden: readonly number[];
}

export class Redaction {
  readonly #forms: SecretForms;
  readonly #mask: number;

  /** @param secrets all that this process knows, of any service */
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

  /** A text of the service without secrets. */
  text(text: string): string {
    const bytes = Buffer.from(text, 'utf8');
    return this.bytes(bytes).length === 0 ? text : bytes.toString('utf8');
  }

  /** The body without secrets, including those that begin in one chunk and end in a later one. */
  stream(body: AsyncIterable<Uint8Array>): RedactedStream {
    const hidden: number[] = [];
    return { hidden, [Symbol.asyncIterator]: () => this.#redacted(body, hidden) };
  }

  async *#redacted(body: AsyncIterable<Uint8Array>, hidden: number[]): AsyncGenerator<Uint8Array> {
    let pieces: Uint8Array[] = [];
    let gathered = 0;
    /** Bytes at the beginning of `pieces` that were already passed on, and only serve as context for the others. */
    let passed = 0;
    for await (const chunk of body) {
      pieces.push(chunk);
      gathered += chunk.byteLength;
      if (gathered - passed < SEARCHED_BYTES + this.#forms.reach) continue;
      const text = Buffer.concat(pieces);
      // A match that begins after this position may end in a later chunk.
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

  /** Matches of the patterns in a text with one character per byte. */
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
    // A match may begin inside a text that only begins like one.
    head.lastIndex = begun.index + Math.max(1, length);
  }
}

const BASE64 = /[\w+/-]/;

/** Including the base64 characters at its ends that contain parts of both the secret and its neighbour. */
function withShared(text: Buffer, from: number, to: number, before: number, after: number): Place {
  const isBase64 = (at: number): boolean => BASE64.test(String.fromCharCode(text[at] ?? 0));
  const begin = before > 0 && from > 0 && isBase64(from - 1) ? from - 1 : from;
  const end = after > 0 && isBase64(to) ? to + 1 : to;
  return [begin, end];
}

/** Merges overlapping places: a secret may be found in several spellings at once. */
function merged(places: Place[]): [number, number][] {
  const result: [number, number][] = [];
  for (const [from, to] of places.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
