/**
 * The text of a source, in pieces: gunzipped, in UTF-8, in UTF-16 with a byte order mark, or in windows-1252; its lines;
 * and the digest of its bytes.
 *
 * It is read as UTF-8 as long as it is valid. At the first invalid bytes, everything before was ASCII, which
 * windows-1252 has in common, or the file is damaged: so the text already yielded stays correct, even after half a
 * million lines.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { createComplaint, type Complaint } from './problems.ts';

/** The gzip data are damaged, or end too early. */
export class DamagedGzip extends Error {}

/** The gzip data expand beyond the limit. */
export class SwollenGzip extends Error {
  readonly expandedMegabytes: number;
  constructor(expanded: number) {
    super('the gzip data expand too much');
    this.expandedMegabytes = Math.round(expanded / 1e6);
  }
}

/** RFC 1952, 2.3.1: detected by these bytes, not by the file name. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

/** A text that is not UTF-8 is read as windows-1252, the encoding of spreadsheets on Windows in Western Europe. */
interface Detected {
  /** For `TextDecoder`. */
  readonly encoding: string;
  /** One that depends on it, for the user to check. */
  readonly word: string;
}

const WINDOWS = 'windows-1252';
/**
 * Control characters that are not in any text, and symbols inside words, as in `pr¾sent`, or in UTF-8 that was read as
 * `GrÃ¶sse`.
 */
const NO_TEXT = /[\x80-\x9f]|\p{L}[¡-©«-´¶-¹»-¿×÷]\p{L}/u;

/** A letter in UTF-8 (é, µ, β, …), as bytes: a text in which both encodings are mixed. */
const LETTER_IN_UTF8 = /[\xc2\xc3\xce\xcf][\x80-\xbf]/;

/** Null if the words with bytes beyond ASCII are no text in that encoding. */
function detectEncoding(bytes: Buffer): Detected | null {
  if (LETTER_IN_UTF8.test(bytes.toString('latin1'))) return null;
  const text = new TextDecoder(WINDOWS).decode(bytes);
  const words = text.match(/[^\0- ,;"']*[^\0-\x7f][^\0- ,;"']*/g) ?? [];
  if (words.length === 0 || words.some((word) => NO_TEXT.test(word))) return null;
  return { encoding: WINDOWS, word: words[0] ?? '' };
}

const LF = 0x0a;
const CR = 0x0d;
/** Bytes examined whether they are text, from the first one that is not UTF-8. */
const SAMPLE = 512 * 1024;

export class SourceText {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  #isWhole = false;
  /** Problems found while reading; taken by `takeComplaints`. */
  #complaints: Complaint[] = [];
  #line = 1;
  #isAscii = true;

  constructor(path: string) {
    this.#path = path;
  }

  /** SHA-256 of the bytes on disk, in hex; null until the file has been read completely. */
  digest(): string | null {
    return this.#isWhole ? this.#hash.copy().digest('hex') : null;
  }

  /** Reads only for the digest. */
  async drain(): Promise<void> {
    const chunks = this.#chunks();
    while ((await chunks.next()).done !== true);
  }

  /** Gunzipped. Throws `DamagedGzip`, `SwollenGzip`, and errors of the file system. */
  async *#chunks(): AsyncGenerator<Buffer> {
    const handle = await open(this.#path);
    try {
      const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
      const disk = this.#hashed(handle.createReadStream({ start: 0, autoClose: false }));
      yield* isGzip(buffer) ? decompressChunks(disk) : disk;
    } finally {
      await handle.close();
    }
  }

  async *#hashed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      this.#hash.update(chunk);
      yield chunk;
    }
    this.#isWhole = true;
  }

  /** The problems found since the last call. */
  takeComplaints(): Complaint[] {
    const taken = this.#complaints;
    this.#complaints = [];
    return taken;
  }

  /**
   * Pieces that never split a character or a CRLF, without the byte order mark. If the encoding is not clear, invalid
   * bytes become U+FFFD, so that the rest can still be checked.
   */
  async *pieces(): AsyncGenerator<string> {
    const chunks = this.#chunks();
    let rest: Buffer = Buffer.alloc(0);
    let first = true;
    try {
      for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
        const bytes = rest.length === 0 ? next.value : Buffer.concat([rest, next.value]);
        const marked = first ? detectByteOrderMark(bytes) : null;
        if (marked !== null) {
          yield* this.#marked(marked, bytes, chunks);
          return;
        }
        const end = findSafeCut(bytes);
        rest = bytes.subarray(end);
        const whole = bytes.subarray(0, end);
        if (!isUtf8(whole)) {
          yield* this.#foreign(bytes, chunks, first);
          return;
        }
        if (end > 0) yield this.#utf8(whole, first);
        first &&= end === 0;
      }
      if (isUtf8(rest)) yield this.#utf8(rest, first);
      else yield* this.#foreign(rest, chunks, first);
    } finally {
      await chunks.return(undefined);
    }
  }

  #utf8(bytes: Buffer, first: boolean): string {
    if (isAscii(bytes)) return this.#counted(bytes.toString('latin1'));
    this.#isAscii = false;
    const text = this.#counted(bytes.toString('utf8'));
    return first && text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  #counted(text: string): string {
    this.#line += countLineBreaks(text);
    return text;
  }

  /** UTF-16 has a byte order mark. */
  async *#marked(
    encoding: string,
    bytes: Buffer,
    chunks: AsyncGenerator<Buffer>,
  ): AsyncGenerator<string> {
    if (encoding === 'UTF-32') {
      this.#complaints.push(createComplaint('MANIFEST_NOT_UTF8', { encoding }, { line: 1 }));
      return;
    }
    yield* this.#transcoded({ encoding, word: '' }, bytes, chunks);
  }

  /** From the first bytes on that are not UTF-8. */
  async *#foreign(
    begun: Buffer,
    chunks: AsyncGenerator<Buffer>,
    first: boolean,
  ): AsyncGenerator<string> {
    const read = [begun];
    for (let length = begun.length; length < SAMPLE;) {
      const next = await chunks.next();
      if (next.done === true) break;
      read.push(next.value);
      length += next.value.length;
    }
    const bytes = Buffer.concat(read);
    const detected = this.#isAscii ? detectEncoding(bytes) : null;
    if (detected !== null) {
      yield* this.#transcoded(detected, bytes, chunks);
      return;
    }
    const line = this.#line + findBadLine(bytes) - 1;
    this.#complaints.push(createComplaint('MANIFEST_NOT_UTF8', { encoding: null }, { line }));
    const text = this.#decoded(new TextDecoder(), bytes, chunks);
    for await (const piece of text) yield first ? piece.replace(/^\uFEFF/, '') : piece;
  }

  async *#transcoded(
    { encoding, word }: Detected,
    bytes: Buffer,
    chunks: AsyncGenerator<Buffer>,
  ): AsyncGenerator<string> {
    const where = { value: word === '' ? null : word, line: this.#line };
    this.#complaints.push(createComplaint('MANIFEST_TRANSCODED', { encoding }, where));
    const decoder = new TextDecoder(encoding);
    let isBroken = false;
    for await (const piece of this.#decoded(decoder, bytes, chunks)) {
      const broken = isBroken ? -1 : piece.indexOf('\uFFFD');
      if (broken >= 0) {
        isBroken = true;
        const line = this.#line - countLineBreaks(piece.slice(broken));
        this.#complaints.push(createComplaint('MANIFEST_NOT_UTF8', { encoding }, { line }));
      }
      yield piece;
    }
  }

  async *#decoded(
    decoder: TextDecoder,
    begun: Buffer,
    chunks: AsyncGenerator<Buffer>,
  ): AsyncGenerator<string> {
    // A CR at the end waits for its LF.
    let rest = '';
    const take = (text: string, last: boolean): string => {
      const all = rest + text;
      const cut = !last && all.endsWith('\r');
      rest = cut ? '\r' : '';
      return this.#counted(cut ? all.slice(0, -1) : all);
    };
    yield take(decoder.decode(begun, { stream: true }), false);
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      yield take(decoder.decode(next.value, { stream: true }), false);
    }
    yield take(decoder.decode(), true);
  }
}

function detectByteOrderMark(bytes: Buffer): string | null {
  const mark = bytes.subarray(0, 4).toString('hex');
  if (mark === 'fffe0000' || mark === '0000feff') return 'UTF-32';
  if (mark.startsWith('fffe')) return 'UTF-16LE';
  return mark.startsWith('feff') ? 'UTF-16BE' : null;
}

/** Before an incomplete character at the end, and before a CR whose LF may follow. */
function findSafeCut(bytes: Buffer): number {
  const end = bytes.length;
  if (bytes[end - 1] === CR) return end - 1;
  // A character has at most four bytes: its first byte says how many, the others begin with the bits 10.
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? end - back : end;
  }
  return end;
}

/** The line, from 1, of the first byte that is not UTF-8. */
export function findBadLine(bytes: Buffer): number {
  let start = 0;
  let line = 1;
  for (let at = 0; at <= bytes.length; at += 1) {
    const byte = bytes[at];
    if (at < bytes.length && byte !== LF && byte !== CR) continue;
    if (!isUtf8(bytes.subarray(start, at))) return line;
    if (byte === CR && bytes[at + 1] === LF) at += 1;
    start = at + 1;
    line += 1;
  }
  return line;
}

/** Tables and libraries shrink to between a third and a fortieth; blank lines to a thousandth, the maximum of gzip. */
const LARGEST_RATIO = 200;
/** Below this many bytes any ratio is allowed: they are read in a second. */
const ANY_RATIO = 64 * 1024 * 1024;

/** Chunk by chunk, so that a small file that expands enormously does not take much memory or time. */
async function* decompressChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const gunzip = createGunzip({ chunkSize: 64 * 1024 });
  // Errors are thrown where the chunks are awaited.
  pipeline(chunks, gunzip, () => undefined);
  let size = 0;
  try {
    for await (const chunk of gunzip as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > ANY_RATIO && size > LARGEST_RATIO * gunzip.bytesWritten)
        throw new SwollenGzip(size);
      yield chunk;
    }
  } catch (error) {
    if (!isZlibError(error)) throw error;
    throw new DamagedGzip(error.message);
  }
}

export function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

/** Lines as every editor counts them: LF, CRLF and a lone CR each end one. */
export function countLineBreaks(text: string): number {
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
export async function* splitLines(
  pieces: AsyncIterable<string>,
): AsyncGenerator<readonly TextLine[]> {
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
