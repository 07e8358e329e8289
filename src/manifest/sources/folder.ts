/** A folder given by the user: it means the manifest in it, or else the input files in it. */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { readFileName } from './file-name.ts';
import { formatOf, isTable } from './formats.ts';
import { isInside } from './input-file.ts';
import { inNaturalOrder } from './natural-order.ts';
import { complaint } from '../problems/problems.ts';
import { fileSource, problemSource, unreadable, type Source } from './source.ts';

/** Maximum number of skipped names that are listed. */
const NAMED = 3;

/** Throws errors of the file system. */
export async function* readFolder(given: string, allowOutside: boolean): AsyncGenerator<Source> {
  const entries = await readdir(given, { withFileTypes: true });
  const manifests = entries.map(({ name }) => name).filter(isManifestName);
  const [only] = manifests;
  if (manifests.length > 1) {
    const names = inNaturalOrder(manifests);
    yield problemSource(given, complaint('MANIFEST_FOLDER_AMBIGUOUS', { names }));
  } else if (only !== undefined) yield await entrySource(given, only, allowOutside);
  else yield* inputFiles(given, entries, allowOutside);
}

/** `manifest.csv`, `manifest.jsonl.gz`, … */
function isManifestName(name: string): boolean {
  const { stem, extension } = readFileName(name);
  return stem === 'manifest' && isTable(formatOf(extension));
}

async function* inputFiles(
  given: string,
  entries: readonly Dirent[],
  allowOutside: boolean,
): AsyncGenerator<Source> {
  const inputs = entries.filter(isInput).map(({ name }) => name);
  const others = entries.filter((entry) => !isInput(entry)).map(({ name }) => name);
  if (inputs.length === 0) {
    const tables = inNaturalOrder(
      others.filter((name) => isTable(formatOf(readFileName(name).extension))),
    );
    yield problemSource(given, complaint('MANIFEST_FOLDER_EMPTY', { tables }));
    return;
  }
  if (others.length > 0) {
    const facts = { count: others.length, names: inNaturalOrder(others).slice(0, NAMED) };
    yield problemSource(given, complaint('MANIFEST_FOLDER_SKIPPED', facts));
  }
  for (const name of inNaturalOrder(inputs)) yield await entrySource(given, name, allowOutside);
}

/** Tables are not inputs: results of an earlier run must not be taken for work. */
function isInput(entry: Dirent): boolean {
  const format = formatOf(readFileName(entry.name).extension);
  const isFile = entry.isFile() || entry.isSymbolicLink();
  return isFile && !entry.name.startsWith('.') && format !== null && !isTable(format);
}

/** A problem of one entry does not hide the others. */
async function entrySource(given: string, entry: string, allowOutside: boolean): Promise<Source> {
  const name = path.join(given, entry);
  try {
    const source = await fileSource(name);
    return source.type === 'file' ? await admitted(source, given, entry, allowOutside) : source;
  } catch (error) {
    return problemSource(name, unreadable(error));
  }
}

/** A link may have been copied with the folder, and must not expose files elsewhere. */
async function admitted(
  source: Source & { type: 'file' },
  given: string,
  entry: string,
  allowOutside: boolean,
): Promise<Source> {
  const { name, path: file } = source.file;
  if (!allowOutside && !isInside(file, await realpath(given))) {
    const where = { column: 'file', value: entry };
    return problemSource(name, complaint('MANIFEST_FILE_OUTSIDE', {}, where));
  }
  if ((await stat(file)).isFile()) return source;
  return problemSource(name, complaint('MANIFEST_UNREADABLE', { reason: 'not a regular file' }));
}
