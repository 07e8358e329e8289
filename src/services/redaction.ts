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
const LOOK_BEHIND = 64;
const LOOK_AHEAD = 16;

/** A text that is searched for literally, at any position. */
interface Needle {
  readonly bytes: Buffer;
  /** Number of adjacent base64 characters that contain a part of the secret. */
  readonly before: number;
  readonly after: number;
}

type Place = readonly [from: number, to: number];

export interface RedactedStream extends AsyncIterable<Uint8Array> {
  /** Lengths in bytes of what was overwritten so far, in order. */
  readonly hidden: readonly number[];
}

export class Redaction {
  readonly #needles: readonly Needle[];
  /** Short secrets in places where they count, for text in which each character is one byte. */
  readonly #short: RegExp | null;
  readonly #mask: number;
  /** Maximum bytes from the beginning of a match to the last byte that decides about it. */
  readonly #reach: number;

  /** @param secrets all that this process knows, of any service */
  constructor(secrets: readonly string[]) {
    const given = [...new Set(secrets)].filter((secret) => secret !== '');
    const isDistinct = (secret: string) => Buffer.byteLength(secret) >= DISTINCT_LENGTH;
    const short = given.filter((secret) => !isDistinct(secret));
    this.#needles = given.filter(isDistinct).flatMap(listNeedles);
    this.#short = short.length === 0 ? null : new RegExp(short.map(shortPattern).join('|'), 'g');
    const lengths = [...this.#needles.map(({ bytes }) => bytes.length), 6 * DISTINCT_LENGTH];
    this.#reach = Math.max(...lengths) + LOOK_AHEAD;
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
    for (const { bytes, before, after } of this.#needles) {
      let at = text.indexOf(bytes);
      while (at !== -1 && at < end) {
        found.push(withShared(text, at, at + bytes.length, before, after));
        at = text.indexOf(bytes, at + bytes.length);
      }
    }
    if (this.#short !== null)
      for (const { index, 0: match } of text.toString('latin1').matchAll(this.#short))
        if (index < end) found.push([index, index + match.length]);
    const places = merged(found);
    for (const [from, to] of places) text.fill(this.#mask, from, to);
    return places.map(([from, to]) => to - from);
  }
}

function listNeedles(secret: string): Needle[] {
  const plain = [...escapes(secret)].map((text) => ({ text, before: 0, after: 0 }));
  const encoded = base64Texts(Buffer.from(secret)).flatMap(({ text, ...shared }) =>
    [...escapes(text)].map((escaped) => ({ text: escaped, ...shared })),
  );
  return [...plain, ...encoded].map(({ text, ...shared }) => ({
    bytes: Buffer.from(text),
    ...shared,
  }));
}

/** The text plain, and escaped for JSON, for JSON inside HTML (by Go and Rails, by .NET), for a URL and a form. */
function escapes(text: string): ReadonlySet<string> {
  const json = JSON.stringify(text).slice(1, -1);
  const html = [/[<>&]/g, /[<>&'+`]|\\"/g].flatMap((some) => {
    const code = (one: string) => `\\u00${one.slice(-1).charCodeAt(0).toString(16)}`;
    const lower = json.replace(some, code);
    return [lower, json.replace(some, (one) => code(one).toUpperCase().replace('U', 'u'))];
  });
  const form = new URLSearchParams({ '': text }).toString().slice(1);
  const url = [encodeURIComponent(text), form];
  const lower = url.map((one) => one.replace(/%../g, (escape) => escape.toLowerCase()));
  return new Set([text, json, json.replaceAll('/', '\\/'), ...html, ...url, ...lower]);
}

/**
 * The base64 form of the secret in the middle of a longer text, without the characters that it shares with its
 * neighbours: one for each position at which the secret may begin in a group of three bytes, in both alphabets.
 */
function base64Texts(secret: Buffer): { text: string; before: number; after: number }[] {
  return [0, 1, 2].flatMap((place) => {
    const padded = Buffer.concat([Buffer.alloc(place), secret]);
    const bits = padded.length * 8;
    const first = Math.ceil((place * 8) / 6);
    const core = padded.toString('base64').slice(first, Math.floor(bits / 6));
    const urlCore = core.replaceAll('+', '-').replaceAll('/', '_');
    const [before, after] = [place === 0 ? 0 : 1, bits % 6 === 0 ? 0 : 1];
    return [...new Set([core, urlCore])].map((text) => ({ text, before, after }));
  });
}

/** Names of secrets, in letters of any case: not by a flag, which would apply to the secret too. */
const LABEL = 'token|authorization|bearer|basic|api[-_]?key|secret|password|credentials?'.replace(
  /[a-z]/g,
  (letter) => `[${letter}${letter.toUpperCase()}]`,
);
const NO_WORD_BEFORE = '(?<![\\w-]|\\w\\.)';
/** A key of JSON is not a match either: it is the name of a field. */
const NO_WORD_BEHIND = '(?![\\w-]|\\.\\w)(?!\\\\{0,4}"\\s{0,8}:)';

function shortPattern(secret: string): string {
  const place =
    Buffer.byteLength(secret) < WORD_LENGTH
      ? `(?<=(?:${LABEL})(?:[\\s"':=\\\\]|%(?:20|22|3[ADad])){1,16})`
      : '';
  // Longest first: an alternative that fits ends the search.
  const spelled = [...escapes(secret)].sort((a, b) => b.length - a.length).map(literal);
  const base64 = Buffer.from(secret).toString('base64');
  const whole = `${NO_WORD_BEFORE}(?:${spelled.join('|')})${NO_WORD_BEHIND}`;
  return `${place}(?:${whole}|(?<![\\w+/-])${literal(base64)}(?![\\w+/=-]))`;
}

/** A pattern for the UTF-8 bytes of a text, one character per byte. */
function literal(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
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
