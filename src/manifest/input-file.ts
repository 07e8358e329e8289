/**
 * Reads the file that a row names: inside the manifest's folder, plain, not empty, not too large, UTF-8.
 */
import { isUtf8 } from 'node:buffer';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { complaint, type Complaint } from './problems.ts';
import { systemErrorCode } from './resolve.ts';
import { badLine } from './text.ts';

/** A whole BMRB entry has a few megabytes, a molecule of 200 atoms a few kilobytes. */
const BYTES_LIMIT = 16_000_000;

export type InputFile =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'refused'; readonly complaint: Complaint };

/** `folder`: that of the manifest, absolute and free of symbolic links. */
export async function readInputFile(
  value: string,
  folder: string,
  allowOutside: boolean,
): Promise<InputFile> {
  const where = { column: 'file', value };
  const refused = (why: Complaint): InputFile => ({ type: 'refused', complaint: why });
  const wanted = path.resolve(folder, value);
  // Before the disk is asked: a manifest must not find out what lies elsewhere.
  if (!allowOutside && !isInside(wanted, folder)) {
    return refused(complaint('MANIFEST_FILE_OUTSIDE', {}, where));
  }
  try {
    const real = await realpath(wanted);
    if (!allowOutside && !isInside(real, folder)) {
      return refused(complaint('MANIFEST_FILE_OUTSIDE', {}, where));
    }
    const stats = await stat(real);
    if (!stats.isFile()) return refused(complaint('MANIFEST_FILE_NOT_REGULAR', {}, where));
    if (stats.size > BYTES_LIMIT) {
      const facts = { bytes: stats.size, limitMegabytes: BYTES_LIMIT / 1e6 };
      return refused(complaint('MANIFEST_FILE_TOO_LARGE', facts, where));
    }
    const read = textOf(await readFile(real), where);
    return typeof read === 'string' ? { type: 'text', text: read } : refused(read);
  } catch (error) {
    const reason = systemErrorCode(error);
    if (reason === null) throw error;
    return refused(
      reason === 'ENOENT' || reason === 'ENOTDIR'
        ? complaint('MANIFEST_FILE_NOT_FOUND', {}, where)
        : complaint('MANIFEST_FILE_UNREADABLE', { reason }, where),
    );
  }
}

function textOf(bytes: Buffer, where: { column: string; value: string }): string | Complaint {
  if (!isUtf8(bytes)) return complaint('MANIFEST_FILE_NOT_UTF8', { line: badLine(bytes) }, where);
  // The engines stop at a byte order mark.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  return text.trim() === '' ? complaint('MANIFEST_FILE_EMPTY', {}, where) : text;
}

function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
