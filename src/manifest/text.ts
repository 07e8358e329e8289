/**
 * The text of a manifest, in pieces, with its digest and the place of the first byte that is not UTF-8.
 */
import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lineBreaks } from './lines.ts';
import { complaint, type Complaint } from './problems.ts';

const LF = 0x0a;
const CR = 0x0d;

export class ManifestText {
  readonly #path: string;
  readonly #hash = createHash('sha256');
  /** What was found while reading; taken by `takeComplaints`. */
  #complaints: Complaint[] = [];
  #line = 1;
  #clean = true;
  #whole = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** SHA-256 of the bytes, in hex; null as long as the file has not been read to its end. */
  digest(): string | null {
    return this.#whole ? this.#hash.copy().digest('hex') : null;
  }

  /** What has been found since the last call. */
  takeComplaints(): Complaint[] {
    const taken = this.#complaints;
    this.#complaints = [];
    return taken;
  }

  /**
   * Pieces that cut no character and no CRLF in two, without the byte order mark.
   * Bytes that are not UTF-8 become U+FFFD, so that the rest can still be checked.
   */
  async *pieces(): AsyncGenerator<string> {
    let rest: Buffer = Buffer.alloc(0);
    let first = true;
    for await (const chunk of createReadStream(this.#path) as AsyncIterable<Buffer>) {
      this.#hash.update(chunk);
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      if (first && this.#isOtherUnicode(bytes)) return;
      const end = lastSafeCut(bytes);
      rest = bytes.subarray(end);
      if (end === 0) continue;
      yield this.#decode(bytes.subarray(0, end), first);
      first = false;
    }
    this.#whole = true;
    if (rest.length > 0) yield this.#decode(rest, first);
  }

  #decode(bytes: Buffer, first: boolean): string {
    if (this.#clean && !isUtf8(bytes)) {
      this.#clean = false;
      const line = this.#line + badLine(bytes) - 1;
      this.#complaints.push(complaint('MANIFEST_NOT_UTF8', { encoding: null }, { line }));
    }
    const text = bytes.toString('utf8');
    this.#line += lineBreaks(text);
    return first && text.startsWith('\uFEFF') ? text.slice(1) : text;
  }

  /** UTF-16 announces itself, and reading on would only produce noise. */
  #isOtherUnicode(bytes: Buffer): boolean {
    const mark = bytes.subarray(0, 2).toString('hex');
    if (mark !== 'fffe' && mark !== 'feff') return false;
    this.#complaints.push(complaint('MANIFEST_NOT_UTF8', { encoding: 'UTF-16' }, { line: 1 }));
    return true;
  }
}

/** Before an unfinished character at the end, and before a CR whose LF may still come. */
function lastSafeCut(bytes: Buffer): number {
  const end = bytes.length;
  if (bytes[end - 1] === CR) return end - 1;
  // A character has at most four bytes: its lead says how many, the others begin with the bits 10.
  for (let back = 1; back <= Math.min(3, end); back += 1) {
    const byte = bytes[end - back] ?? 0;
    if ((byte & 0b1100_0000) === 0b1000_0000) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? end - back : end;
  }
  return end;
}

/** The line, from 1, of the first byte that is not UTF-8. */
export function badLine(bytes: Buffer): number {
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
