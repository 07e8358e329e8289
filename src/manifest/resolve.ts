/**
 * From the path that the user typed to the manifest file that is read.
 */
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { complaint, type Complaint } from './problems.ts';

export const MANIFEST_FORMATS = {
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.jsonl': 'jsonl',
  '.json': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
} as const;
export type ManifestFormat = (typeof MANIFEST_FORMATS)[keyof typeof MANIFEST_FORMATS];

export interface ManifestFile {
  /** As the user named it; inside a folder they named, the file is added. */
  readonly name: string;
  /** Absolute and free of symbolic links: paths in the manifest are judged against its folder. */
  readonly path: string;
  readonly format: ManifestFormat;
}

export type Resolved =
  | { readonly type: 'manifest'; readonly manifest: ManifestFile }
  | { readonly type: 'refused'; readonly name: string; readonly complaint: Complaint };

/** A folder that holds exactly one `manifest.csv`, `.tsv`, `.jsonl`, `.json`, `.yaml` or `.yml` stands for it. */
export async function resolveManifest(given: string): Promise<Resolved> {
  try {
    if (!(await stat(given)).isDirectory()) return await resolveFile(given);
    const names = (await readdir(given)).filter(isManifestName).sort();
    const [only, ...others] = names;
    if (only === undefined) return refused(given, complaint('MANIFEST_FOLDER_EMPTY', {}));
    if (others.length > 0) return refused(given, complaint('MANIFEST_FOLDER_AMBIGUOUS', { names }));
    return await resolveFile(path.join(given, only));
  } catch (error) {
    return refused(given, unreadable(error));
  }
}

async function resolveFile(name: string): Promise<Resolved> {
  const extension = path.extname(name).toLowerCase();
  const format = formatOf(extension);
  if (format === null) return refused(name, complaint('MANIFEST_FORMAT', { extension }));
  if (!(await stat(name)).isFile()) {
    return refused(name, complaint('MANIFEST_UNREADABLE', { reason: 'not a plain file' }));
  }
  return { type: 'manifest', manifest: { name, path: await realpath(name), format } };
}

function formatOf(extension: string): ManifestFormat | null {
  return Object.hasOwn(MANIFEST_FORMATS, extension)
    ? MANIFEST_FORMATS[extension as keyof typeof MANIFEST_FORMATS]
    : null;
}

function isManifestName(name: string): boolean {
  const { name: stem, ext } = path.parse(name);
  return stem === 'manifest' && formatOf(ext.toLowerCase()) !== null;
}

function refused(name: string, why: Complaint): Resolved {
  return { type: 'refused', name, complaint: why };
}

/** What a failed look at a manifest means to the user; anything that is no error of the file system goes up. */
export function unreadable(error: unknown): Complaint {
  const reason = systemErrorCode(error);
  if (reason === null) throw error;
  return reason === 'ENOENT' || reason === 'ENOTDIR'
    ? complaint('MANIFEST_NOT_FOUND', {})
    : complaint('MANIFEST_UNREADABLE', { reason });
}

/** `ENOENT`, `EACCES`, …; null for anything else. A path with a NUL in it exists nowhere. */
export function systemErrorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string')
    return null;
  if (error.code === 'ERR_INVALID_ARG_VALUE') return 'ENOENT';
  return 'syscall' in error ? error.code : null;
}
