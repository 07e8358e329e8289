/**
 * From the paths that the user typed to the files that are read: manifests, libraries, single inputs, folders of
 * them, and patterns.
 *
 * Folders are not entered recursively: a pattern names files in subfolders. Standard input is no source:
 * the same command, run again, must be able to read it again.
 */
import { glob, stat } from 'node:fs/promises';
import { readFolder } from './folder.ts';
import { inNaturalOrder } from './natural-order.ts';
import { complaint } from '../problems/problems.ts';
import { fileSource, problemSource, unreadable, type Source } from './source.ts';
import { systemErrorCode } from './system-error.ts';

/** The sources behind one path, in a stable order. */
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

/** A shell that knows no file for a pattern, or was kept from looking, hands it on. */
async function* matching(pattern: string, allowOutside: boolean): AsyncGenerator<Source> {
  const found: string[] = [];
  for await (const name of glob(pattern)) found.push(name);
  if (found.length === 0) yield problemSource(pattern, complaint('MANIFEST_PATTERN_EMPTY', {}));
  for (const name of inNaturalOrder(found)) yield* sourcesOf(name, allowOutside);
}

function isPattern(given: string): boolean {
  return /[*?[{]/.test(given) && !given.includes('\0');
}
