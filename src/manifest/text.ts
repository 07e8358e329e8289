/**
 * The text of a file that the user names: unpacked, and decoded from UTF-8, from UTF-16 with a byte order mark, or from
 * windows-1252; and its lines.
 */
import { isAscii, isUtf8 } from 'node:buffer';
import { readFile, stat } from 'node:fs/promises';
import { promisify, TextDecoder } from 'node:util';
import { gunzip } from 'node:zlib';
import { quote } from '../domain/plain-text.ts';
import { type Finding, createError, createWarning } from '../kinds/kind.ts';

/** A file has more bytes than are read. */
export class TooLarge extends Error {
  readonly bytes: number;
  constructor(bytes: number) {
    super('the file is too large');
    this.bytes = bytes;
  }
}

/** Throws `TooLarge`, and errors of the file system. */
export async function readLimited(file: string, limit: number): Promise<Buffer> {
  const { size } = await stat(file);
  if (size > limit) throw new TooLarge(size);
  return readFile(file);
}

/**
 * Bytes without their gzip, which is detected by its first bytes (RFC 1952, 2.3.1) and not by the file name. Throws
 * `TooLarge`, because a small file may expand enormously, and the errors of zlib.
 */
export async function unpack(bytes: Buffer, limit: number): Promise<Buffer> {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isGzip) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: limit });
  } catch (error) {
    throw error instanceof RangeError ? new TooLarge(limit + 1) : error;
  }
}

export function isZlibError(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
}

interface Decoded {
  /** Without the byte order mark. */
  readonly text: string;
  readonly findings: readonly Finding[];
}

/** If the encoding is not clear, invalid bytes become U+FFFD, so that the rest can still be checked. */
export function decodeTable(bytes: Buffer): Decoded {
  const marked = detectByteOrderMark(bytes);
  if (marked === 'UTF-32') return { text: '', findings: [createForeign(marked, 1)] };
  if (marked !== null) return transcode(bytes, marked, { line: 1 });
  if (isUtf8(bytes)) return { text: decodeUtf8(bytes), findings: [] };
  const bad = findBadLine(bytes);
  const word = isAscii(bytes.subarray(0, bad.start))
    ? findWesternWord(bytes.subarray(bad.start, bad.start + SAMPLE))
    : null;
  if (word !== null) return transcode(bytes, WINDOWS, { line: bad.number, value: word });
  return { text: decodeUtf8(bytes), findings: [createForeign(null, bad.number)] };
}

function detectByteOrderMark(bytes: Buffer): string | null {
  const mark = bytes.subarray(0, 4).toString('hex');
  if (mark === 'fffe0000' || mark === '0000feff') return 'UTF-32';
  if (mark.startsWith('fffe')) return 'UTF-16LE';
  return mark.startsWith('feff') ? 'UTF-16BE' : null;
}

function decodeUtf8(bytes: Buffer): string {
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

export const SAVE_AS_UTF8 =
  'Save it as UTF-8 (in a spreadsheet: "CSV UTF-8"; on a command line: iconv -t UTF-8).';

function createForeign(encoding: string | null, line: number): Finding {
  const message =
    encoding === null
      ? 'This line has bytes that are neither UTF-8 nor a text in windows-1252.'
      : `The file is encoded in ${encoding}, not in UTF-8, and cannot be read completely.`;
  return createError('MANIFEST_NOT_UTF8', message, SAVE_AS_UTF8, { line });
}

/** @param where the first line that shows the encoding, and a word that depends on it, for the user to check */
function transcode(
  bytes: Buffer,
  encoding: string,
  where: { readonly line: number; readonly value?: string },
): Decoded {
  const text = new TextDecoder(encoding).decode(bytes);
  const message =
    where.value === undefined
      ? `The file is encoded in ${encoding} instead of UTF-8; it was converted.`
      : `The file is not in UTF-8; it is read as ${encoding}, as in ${quote(where.value)}.`;
  const remedy = `Does that look wrong? ${SAVE_AS_UTF8}`;
  const findings = [createWarning('MANIFEST_TRANSCODED', message, remedy, where)];
  const broken = text.indexOf('\uFFFD');
  if (broken >= 0)
    findings.push(createForeign(encoding, 1 + countLineBreaks(text.slice(0, broken))));
  return { text, findings };
}

/** The encoding of spreadsheets on Windows in Western Europe. */
const WINDOWS = 'windows-1252';
/** Bytes examined whether they are text. */
const SAMPLE = 512 * 1024;
/**
 * Control characters that are not in any text, and symbols inside words, as in `pr¾sent`, or in UTF-8 that was read as
 * `GrÃ¶sse`.
 */
const NO_TEXT = /[\x80-\x9f]|\p{L}[¡-©«-´¶-¹»-¿×÷]\p{L}/u;
/** A letter in UTF-8 (é, µ, β, …), as bytes: a text in which both encodings are mixed. */
const LETTER_IN_UTF8 = /[\xc2\xc3\xce\xcf][\x80-\xbf]/;

/** The first word beyond ASCII; null if such words are no text in windows-1252. */
function findWesternWord(bytes: Buffer): string | null {
  if (LETTER_IN_UTF8.test(bytes.toString('latin1'))) return null;
  const text = new TextDecoder(WINDOWS).decode(bytes);
  const words = text.match(/[^\0- ,;"']*[^\0-\x7f][^\0- ,;"']*/g) ?? [];
  return words.some((word) => NO_TEXT.test(word)) ? null : (words[0] ?? null);
}

const LF = 0x0a;
const CR = 0x0d;

/** The line, from 1, of the first byte that is not UTF-8, and where it starts. */
export function findBadLine(bytes: Buffer): { readonly number: number; readonly start: number } {
  let start = 0;
  let number = 1;
  for (let at = 0; at <= bytes.length; at += 1) {
    const byte = bytes[at];
    if (at < bytes.length && byte !== LF && byte !== CR) continue;
    if (!isUtf8(bytes.subarray(start, at))) break;
    if (byte === CR && bytes[at + 1] === LF) at += 1;
    start = at + 1;
    number += 1;
  }
  return { number, start };
}

/** Lines as every editor counts them: LF, CRLF and a lone CR each end one. */
export function countLineBreaks(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) count += 1;
  }
  return count;
}

interface TextLine {
  readonly text: string;
  /** From 1. */
  readonly number: number;
}

export function* splitLines(text: string): Generator<TextLine> {
  let number = 0;
  for (const [line, content = ''] of text.matchAll(/([^\r\n]*)(?:\r\n|\n|\r|$)/g)) {
    number += 1;
    // After the last line break there is no line.
    if (line !== '') yield { text: content, number };
  }
}
