/**
 * Everything that a service sends passes through here before it is stored, logged or put into an error: secrets in it
 * are overwritten, byte for byte, so that lengths stay as announced (promise 6: no secret leaves). `http.ts` passes
 * headers and bodies through it, so that no adapter can forget it. A secret is found plain, escaped for JSON or a URL,
 * and in base64, also inside a longer base64 text.
 *
 * Rejected: parsing and rewriting the JSON, which would change the bytes received, and failing the item, which loses
 * results that were paid for.
 */

/** Smaller pieces are collected before they are searched: each search has a fixed cost. */
const SEARCHED_BYTES = 64 * 1024;
/** None of them is allowed in an id or a path, so a remote id that repeats a secret is never accepted. */
const MASKS = '*#!|@^$&;,';
/** A shorter secret may be part of ordinary text (`status`, `ALA`): it only counts as a separate word. */
const DISTINCT_LENGTH = 8;
/** A shorter one may be a word of a result (an atom, a residue): it only counts after a name such as `token`. */
const WORD_LENGTH = 4;
/** Bytes before and after a match that decide whether it is one. */
const CONTEXT_BEFORE = 64;
const CONTEXT_AFTER = 16;
/** Bytes for one of a secret: base64 adds a third, and each character may be spelled as `\u002b`. */
const MAX_SPELLING_LENGTH = 9;

type Place = readonly [from: number, to: number];

export interface RedactedStream extends AsyncIterable<Uint8Array> {
  /** Lengths in bytes of what was overwritten so far, in order. */
  readonly hidden: readonly number[];
}

export class Redaction {
  /** One for each secret, for text in which each character is one byte. */
  readonly #patterns: readonly RegExp[];
  readonly #mask: number;
  /** Maximum bytes from the beginning of a match to the last byte that decides about it. */
  readonly #reach: number;

  /** @param secrets all that this process knows, of any service */
  constructor(secrets: readonly string[]) {
    const given = [...new Set(secrets)].filter((secret) => secret !== '');
    this.#patterns = given.map((secret) => new RegExp(buildPattern(secret), 'g'));
    const longest = Math.max(0, ...given.map((secret) => Buffer.byteLength(secret)));
    this.#reach = longest * MAX_SPELLING_LENGTH + CONTEXT_AFTER;
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
      if (gathered - passed < SEARCHED_BYTES + this.#reach) continue;
      const text = Buffer.concat(pieces);
      // A match that begins after this position may end in a later chunk.
      const ready = text.length - this.#reach;
      hidden.push(...this.#hide(text, ready));
      yield text.subarray(passed, ready);
      const kept = Math.max(0, ready - CONTEXT_BEFORE);
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
    const bytes = text.toString('latin1');
    for (const pattern of this.#patterns)
      for (const { index, 0: match } of bytes.matchAll(pattern))
        if (index < end) found.push([index, index + match.length]);
    const places = mergePlaces(found);
    for (const [from, to] of places) text.fill(this.#mask, from, to);
    return places.map(([from, to]) => to - from);
  }
}

/** Names of secrets, in letters of any case: not by a flag, which would apply to the secret too. */
const LABEL = 'token|authorization|bearer|basic|api[-_]?key|secret|password|credentials?'.replace(
  /[a-z]/g,
  (letter) => `[${letter}${letter.toUpperCase()}]`,
);
const NO_WORD_BEFORE = '(?<![\\w-]|\\w\\.)';
/** A key of JSON is not a match either: it is the name of a field. */
const NO_WORD_BEHIND = '(?![\\w-]|\\.\\w)(?!\\\\{0,4}"\\s{0,8}:)';

function buildPattern(secret: string): string {
  const bytes = Buffer.from(secret);
  const plain = spellPattern(bytes.toString('latin1'));
  if (bytes.length >= DISTINCT_LENGTH) return [plain, ...listBase64Patterns(bytes)].join('|');
  const place =
    bytes.length < WORD_LENGTH ? `(?<=(?:${LABEL})(?:[\\s"':=\\\\]|%(?:20|22|3[ADad])){1,16})` : '';
  const base64 = `(?<![\\w+/-])${spellPattern(bytes.toString('base64'))}(?![\\w+/=-])`;
  return `${place}(?:${NO_WORD_BEFORE}${plain}${NO_WORD_BEHIND}|${base64})`;
}

/** Each character as it is, escaped for JSON (by any library), for a URL or a form. */
function spellPattern(text: string): string {
  return Array.from(text, (one) => {
    const plain = one.replace(/[.*+?^${}()|[\]\\/-]/, '\\$&');
    const hex = Buffer.from(one, 'latin1').toString('hex');
    const code = hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
    const escape = /["\\/]/.test(one) ? '\\\\?' : '';
    const blank = one === ' ' ? '|\\+' : '';
    return `(?:${escape}${plain}|\\\\u00${code}|%${code}${blank})`;
  }).join('');
}

/**
 * The base64 form of the secret in the middle of a longer text, in both alphabets: one for each position at which the
 * secret may begin in a group of three bytes, with the characters at its ends that it shares with its neighbours.
 */
function listBase64Patterns(secret: Buffer): string[] {
  return [0, 1, 2].map((place) => {
    const padded = Buffer.concat([Buffer.alloc(place), secret]);
    const bits = padded.length * 8;
    const core = padded.toString('base64').slice(Math.ceil((place * 8) / 6), Math.floor(bits / 6));
    const [plus, slash] = [`(?:${spellPattern('+')}|-)`, `(?:${spellPattern('/')}|_)`];
    const pattern = core
      .split(/([+/])/)
      .map((part) => (part === '+' ? plus : part === '/' ? slash : spellPattern(part)));
    const shared = '[\\w+/-]?';
    return [place === 0 ? '' : shared, ...pattern, bits % 6 === 0 ? '' : shared].join('');
  });
}

/** Merges overlapping places: a secret may be found in several spellings at once. */
function mergePlaces(places: Place[]): [number, number][] {
  const result: [number, number][] = [];
  for (const [from, to] of places.sort((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last && from < last[1]) last[1] = Math.max(last[1], to);
    else result.push([from, to]);
  }
  return result;
}
