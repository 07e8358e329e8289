/**
 * Reads the file that a row names: it must be inside the manifest's folder, regular, not empty, not too large, UTF-8.
 * Gzip is decompressed.
 */
import { isUtf8 } from 'node:buffer';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { createComplaint, type Complaint } from './problems.ts';
import { isInside, readSystemErrorCode } from './sources.ts';
import { findBadLine, isZlibError, readLimited, TooLarge, unpack } from './text.ts';

/** A whole BMRB entry has a few megabytes, a molecule of 200 atoms a few kilobytes. */
export const MAX_INPUT_BYTES = 16_000_000;

/** `folder`: that of the manifest, absolute and without symbolic links. */
export async function readInputFile(
  value: string,
  folder: string,
  allowOutside: boolean,
): Promise<string | Complaint> {
  const where = { column: 'file', value };
  const wanted = path.resolve(folder, value);
  // Before any disk access: a manifest must not reveal which files exist elsewhere.
  if (!allowOutside && !isInside(wanted, folder)) {
    return createComplaint('MANIFEST_FILE_OUTSIDE', {}, where);
  }
  try {
    const real = await realpath(wanted);
    if (!allowOutside && !isInside(real, folder)) {
      return createComplaint('MANIFEST_FILE_OUTSIDE', {}, where);
    }
    if (!(await stat(real)).isFile())
      return createComplaint('MANIFEST_FILE_NOT_REGULAR', {}, where);
    const bytes = await readLimited(real, MAX_INPUT_BYTES);
    return decodeText(await unpack(bytes, MAX_INPUT_BYTES), where);
  } catch (error) {
    if (error instanceof TooLarge) return createTooLarge(error.bytes, where);
    const reason = isZlibError(error) ? `gzip: ${error.message}` : readSystemErrorCode(error);
    if (reason === null) throw error;
    return reason === 'ENOENT' || reason === 'ENOTDIR'
      ? createComplaint('MANIFEST_FILE_NOT_FOUND', {}, where)
      : createComplaint('MANIFEST_FILE_UNREADABLE', { reason }, where);
  }
}

export function createTooLarge(bytes: number, where: { column: string; value: string }): Complaint {
  const facts = { bytes, limitMegabytes: MAX_INPUT_BYTES / 1e6 };
  return createComplaint('MANIFEST_FILE_TOO_LARGE', facts, where);
}

/** Every line of what is sent ends with LF. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}

function decodeText(bytes: Buffer, where: { column: string; value: string }): string | Complaint {
  if (!isUtf8(bytes))
    return createComplaint('MANIFEST_FILE_NOT_UTF8', { line: findBadLine(bytes).number }, where);
  // The engines fail on a byte order mark, and not all end a line at a CR.
  const text = withLineFeeds(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  return text.trim() === '' ? createComplaint('MANIFEST_FILE_EMPTY', {}, where) : text;
}
