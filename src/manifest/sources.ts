/**
 * From the paths that the user typed to the files that are read: manifests, libraries, single inputs, folders of
 * them, and patterns.
 */
import { glob, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { DamagedGzip } from './bytes.ts';
import { readFolder } from './folder.ts';
import { readFileName, type SourceFormat } from './formats.ts';
import { inNaturalOrder } from './natural-order.ts';
import { complaint, type Complaint } from './problems.ts';
import { systemErrorCode } from './system-error.ts';

export interface SourceFile {
  /** As the user named it; inside a folder they named, the file is added. */
  readonly name: string;
  /** Absolute and free of symbolic links: paths in a manifest are judged against its folder. */
  readonly path: string;
  readonly format: SourceFormat;
}

export type Source =
  | { readonly type: 'file'; readonly file: SourceFile }
  /** Something about a path, which may be a warning and may come beside files. */
  | { readonly type: 'told'; readonly name: string; readonly complaint: Complaint };

/** The sources behind one path, in a stable order. */
export async function* sourcesOf(given: string, allowOutside: boolean): AsyncGenerator<Source> {
  try {
    const stats = await stat(given);
    if (stats.isDirectory()) yield* readFolder(given, allowOutside);
    else if (stats.isFile()) yield await fileSource(given);
    else yield told(given, complaint('MANIFEST_UNREADABLE', { reason: 'not a plain file' }));
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' && isPattern(given)) {
      yield* matching(given, allowOutside);
    } else yield told(given, unreadable(error));
  }
}

/** A shell that knows no file for a pattern, or was kept from looking, hands it on. */
async function* matching(pattern: string, allowOutside: boolean): AsyncGenerator<Source> {
  const found: string[] = [];
  for await (const name of glob(pattern)) found.push(name);
  if (found.length === 0) yield told(pattern, complaint('MANIFEST_PATTERN_EMPTY', {}));
  for (const name of inNaturalOrder(found)) yield* sourcesOf(name, allowOutside);
}

function isPattern(given: string): boolean {
  return /[*?[{]/.test(given) && !given.includes('\0');
}

/** A file of a known format; `name` decides which, also where a link leads elsewhere. */
export async function fileSource(name: string): Promise<Source> {
  const { extension, format } = readFileName(name);
  if (format === null) return told(name, complaint('MANIFEST_FORMAT', { extension }));
  return { type: 'file', file: { name, path: await realpath(path.resolve(name)), format } };
}

export function told(name: string, why: Complaint): Source {
  return { type: 'told', name, complaint: why };
}

/** What a failed look at a source means to the user; anything that is no fault of the file or its disk goes up. */
export function unreadable(error: unknown): Complaint {
  if (error instanceof DamagedGzip) return complaint('MANIFEST_GZIP', { reason: error.message });
  const reason = systemErrorCode(error);
  if (reason === null) throw error;
  return reason === 'ENOENT' || reason === 'ENOTDIR'
    ? complaint('MANIFEST_NOT_FOUND', {})
    : complaint('MANIFEST_UNREADABLE', { reason });
}
