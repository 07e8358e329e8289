/**
 * From the user's paths to the files to read: manifests, libraries, single inputs, folders of them, and patterns.
 *
 * Folders are not recursive: use a pattern for files in subfolders. Standard input is not supported: the same command
 * must be able to read it again.
 */
import { glob, stat } from 'node:fs/promises';
import { readFolder } from './folder.ts';
import { inNaturalOrder } from './natural-order.ts';
import { complaint } from '../problems/problems.ts';
import { fileSource, problemSource, unreadable, type Source } from './source.ts';
import { systemErrorCode } from './system-error.ts';

/** The sources of one path, in a stable order. */
export async function* sourcesOf(given: string, allowOutside: boolean): AsyncGenerator<Source> {
  try {
    const stats = await stat(given);
    if (stats.isDirectory()) yield* readFolder(given, allowOutside);
    else if (stats.isFile()) yield await fileSource(given);
    else
      yield problemSource(
        given,
        complaint('MANIFEST_UNREADABLE', { reason: 'not a regular file' }),
      );
  } catch (error) {
    if (systemErrorCode(error) === 'ENOENT' && isPattern(given)) {
      yield* matching(given, allowOutside);
    } else yield problemSource(given, unreadable(error));
  }
}

/** A shell passes a pattern on if it matches no file or is quoted. */
async function* matching(pattern: string, allowOutside: boolean): AsyncGenerator<Source> {
  const found: string[] = [];
  for await (const name of glob(pattern)) found.push(name);
  if (found.length === 0) yield problemSource(pattern, complaint('MANIFEST_PATTERN_EMPTY', {}));
  for (const name of inNaturalOrder(found)) yield* sourcesOf(name, allowOutside);
}

function isPattern(given: string): boolean {
  return /[*?[{]/.test(given) && !given.includes('\0');
}
