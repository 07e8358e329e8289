/**
 * Reads the file that a row names: it must be inside the manifest's folder, regular, not empty, not too large, UTF-8.
 * Gzip is decompressed.
 */
import { isUtf8 } from 'node:buffer';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { quote } from '../domain/plain-text.ts';
import { createError, type Complaint } from './problems.ts';
import { createOutside, isInside, readSystemErrorCode } from './sources.ts';
import { findBadLine, isZlibError, readLimited, SAVE_AS_UTF8, TooLarge, unpack } from './text.ts';

/** A whole BMRB entry has a few megabytes, a molecule of 200 atoms a few kilobytes. */
export const MAX_INPUT_BYTES = 16_000_000;

/** `folder`: that of the manifest, absolute and without symbolic links. */
export async function readInputFile(
  value: string,
  folder: string,
  allowOutside: boolean,
): Promise<string | Complaint> {
  const fail = (code: string, message: string, remedy: string): Complaint =>
    createError(code, `${quote(value)} ${message}`, remedy, { column: 'file', value });
  const target = path.resolve(folder, value);
  // Before any disk access: a manifest must not reveal which files exist elsewhere.
  if (!allowOutside && !isInside(target, folder)) return createOutside(value);
  try {
    const real = await realpath(target);
    if (!allowOutside && !isInside(real, folder)) return createOutside(value);
    if (!(await stat(real)).isFile()) {
      const remedy = 'Use a regular file: a folder or a device cannot be an input.';
      return fail('MANIFEST_FILE_NOT_REGULAR', 'is not a regular file.', remedy);
    }
    const bytes = await unpack(await readLimited(real, MAX_INPUT_BYTES), MAX_INPUT_BYTES);
    if (!isUtf8(bytes)) {
      const message = `has bytes in line ${findBadLine(bytes).number} that are not UTF-8.`;
      return fail('MANIFEST_FILE_NOT_UTF8', message, SAVE_AS_UTF8);
    }
    // The engines fail on a byte order mark, and not all end a line at a CR.
    const text = withLineFeeds(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    if (text.trim() !== '') return text;
    return fail('MANIFEST_FILE_EMPTY', 'is empty.', 'Download or export the file again.');
  } catch (error) {
    if (error instanceof TooLarge) return createTooLarge(error.bytes, { column: 'file', value });
    const reason = isZlibError(error) ? `gzip: ${error.message}` : readSystemErrorCode(error);
    if (reason === null) throw error;
    if (reason === 'ENOENT' || reason === 'ENOTDIR') {
      return createError(
        'MANIFEST_FILE_NOT_FOUND',
        `There is no file ${quote(value)}.`,
        'Paths are relative to the folder of the manifest and use `/`; case matters.',
        { column: 'file', value },
      );
    }
    const remedy = 'Check the permissions of the file, and that its disk works.';
    return fail('MANIFEST_FILE_UNREADABLE', `cannot be read (${reason}).`, remedy);
  }
}

export function createTooLarge(bytes: number, where: { column: string; value: string }): Complaint {
  return createError(
    'MANIFEST_FILE_TOO_LARGE',
    `${quote(where.value)} has ${Math.ceil(bytes / 1e6)} MB; an input may have up to ${MAX_INPUT_BYTES / 1e6} MB.`,
    'Keep only the one input that you mean.',
    where,
  );
}

/** Every line of what is sent ends with LF. */
export function withLineFeeds(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
