/**
 * Reads the file that a row names: it must be inside the manifest's folder, regular, not empty, not too large, UTF-8.
 * Gzip is decompressed.
 */
import { isUtf8 } from 'node:buffer';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { isGzip, isZlibError } from './bytes.ts';
import { complaint, type Complaint } from '../problems/problems.ts';
import { systemErrorCode } from './system-error.ts';
import { badLine } from './text.ts';

/** Runs a limited number of tasks in parallel; the others wait in order of arrival. */
class Turns {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  async take<T>(task: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

/** A whole BMRB entry has a few megabytes, a molecule of 200 atoms a few kilobytes. */
export const BYTES_LIMIT = 16_000_000;

type InputFile =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'refused'; readonly complaint: Complaint };

/** `folder`: that of the manifest, absolute and without symbolic links. */
export async function readInputFile(
  value: string,
  folder: string,
  allowOutside: boolean,
): Promise<InputFile> {
  const where = { column: 'file', value };
  const refused = (why: Complaint): InputFile => ({ type: 'refused', complaint: why });
  const wanted = path.resolve(folder, value);
  // Before any disk access: a manifest must not reveal which files exist elsewhere.
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
    const bytes = await turns.take(async () => expanded(await readFile(real)));
    const read = bytes instanceof Error ? damaged(bytes, where) : textOf(bytes, where);
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

/** Limit for files read in parallel, by all rows together: a thousand large ones would fill the memory. */
const turns = new Turns(16);

/** The limit is for the decompressed size, so that a small file cannot fill the memory. */
async function expanded(bytes: Buffer): Promise<Buffer | Error> {
  if (!isGzip(bytes)) return bytes;
  try {
    return await promisify(gunzip)(bytes, { maxOutputLength: BYTES_LIMIT });
  } catch (error) {
    if (isZlibError(error) || error instanceof RangeError) return error;
    throw error;
  }
}

function damaged(error: Error, where: { column: string; value: string }): Complaint {
  if (!(error instanceof RangeError)) {
    return complaint('MANIFEST_FILE_UNREADABLE', { reason: `gzip: ${error.message}` }, where);
  }
  const facts = { bytes: BYTES_LIMIT + 1, limitMegabytes: BYTES_LIMIT / 1e6 };
  return complaint('MANIFEST_FILE_TOO_LARGE', facts, where);
}

function textOf(bytes: Buffer, where: { column: string; value: string }): string | Complaint {
  if (!isUtf8(bytes)) return complaint('MANIFEST_FILE_NOT_UTF8', { line: badLine(bytes) }, where);
  // The engines fail on a byte order mark.
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '');
  return text.trim() === '' ? complaint('MANIFEST_FILE_EMPTY', {}, where) : text;
}

export function isInside(file: string, folder: string): boolean {
  const relative = path.relative(folder, file);
  return relative !== '..' && !relative.startsWith(`..${path.sep}`) && !path.isAbsolute(relative);
}
