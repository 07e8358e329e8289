/** A file with rows. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import { DamagedGzip, SwollenGzip } from './bytes.ts';
import { readFileName } from './file-name.ts';
import { formatOf, type SourceFormat } from './formats.ts';
import { complaint, type Complaint } from '../problems/problems.ts';
import { systemErrorCode } from './system-error.ts';

export interface SourceFile {
  /** As the user named it; for a folder, with the file name appended. */
  readonly name: string;
  /** Absolute and without symbolic links: paths in a manifest are checked against its folder. */
  readonly path: string;
  readonly format: SourceFormat;
}

export type Source =
  | { readonly type: 'file'; readonly file: SourceFile }
  /** A problem of a path, which may be a warning and may come in addition to files. */
  | { readonly type: 'problem'; readonly name: string; readonly complaint: Complaint };

/** A file of a known format; `name` determines it, also for a link to another name. */
export async function fileSource(name: string): Promise<Source> {
  const { extension } = readFileName(name);
  const format = formatOf(extension);
  if (format === null) return problemSource(name, complaint('MANIFEST_FORMAT', { extension }));
  return { type: 'file', file: { name, path: await realpath(path.resolve(name)), format } };
}

export function problemSource(name: string, why: Complaint): Source {
  return { type: 'problem', name, complaint: why };
}

/**
 * The user's problem for a failed access to a source; any error that the file or its disk did not cause is rethrown.
 */
export function unreadable(error: unknown): Complaint {
  if (error instanceof DamagedGzip) return complaint('MANIFEST_GZIP', { reason: error.message });
  if (error instanceof SwollenGzip) {
    return complaint('MANIFEST_GZIP_SWOLLEN', { megabytes: error.expandedMegabytes });
  }
  const reason = systemErrorCode(error);
  if (reason === null) throw error;
  return reason === 'ENOENT' || reason === 'ENOTDIR'
    ? complaint('MANIFEST_NOT_FOUND', {})
    : complaint('MANIFEST_UNREADABLE', { reason });
}
