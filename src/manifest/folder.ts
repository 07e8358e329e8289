/**
 * A folder that the user named: it stands for the manifest in it, else for the input files that lie in it.
 */
import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isTable, readFileName } from './formats.ts';
import { isInside } from './input-file.ts';
import { inNaturalOrder } from './natural-order.ts';
import { complaint } from './problems.ts';
import { fileSource, told, type Source } from './sources.ts';

/** Names of what is left out that are told. */
const NAMED = 3;

/** Throws what the file system throws. */
export async function* readFolder(given: string, allowOutside: boolean): AsyncGenerator<Source> {
  const entries = await readdir(given, { withFileTypes: true });
  const manifests = entries.map(({ name }) => name).filter(isManifestName);
  const [only] = manifests;
  if (manifests.length > 1) {
    const names = inNaturalOrder(manifests);
    yield told(given, complaint('MANIFEST_FOLDER_AMBIGUOUS', { names }));
  } else if (only !== undefined) yield await entrySource(given, only, allowOutside);
  else yield* inputFiles(given, entries, allowOutside);
}

/** `manifest.csv`, `manifest.jsonl.gz`, … */
function isManifestName(name: string): boolean {
  const { stem, format } = readFileName(name);
  return stem === 'manifest' && isTable(format);
}

async function* inputFiles(
  given: string,
  entries: readonly Dirent[],
  allowOutside: boolean,
): AsyncGenerator<Source> {
  const inputs = entries.filter(isInput).map(({ name }) => name);
  const others = entries.filter((entry) => !isInput(entry)).map(({ name }) => name);
  if (inputs.length === 0) {
    const tables = inNaturalOrder(others.filter((name) => isTable(readFileName(name).format)));
    yield told(given, complaint('MANIFEST_FOLDER_EMPTY', { tables }));
    return;
  }
  if (others.length > 0) {
    const facts = { count: others.length, names: inNaturalOrder(others).slice(0, NAMED) };
    yield told(given, complaint('MANIFEST_FOLDER_SKIPPED', facts));
  }
  for (const name of inNaturalOrder(inputs)) yield await entrySource(given, name, allowOutside);
}

/** Tables are none: what a former run left behind must not be taken for work. */
function isInput(entry: Dirent): boolean {
  const { format } = readFileName(entry.name);
  const isFile = entry.isFile() || entry.isSymbolicLink();
  return isFile && !entry.name.startsWith('.') && format !== null && !isTable(format);
}

/** A link in a folder may have come with it, and must not show what lies elsewhere. */
async function entrySource(given: string, entry: string, allowOutside: boolean): Promise<Source> {
  const name = path.join(given, entry);
  const source = await fileSource(name);
  if (source.type !== 'file') return source;
  if (!allowOutside && !isInside(source.file.path, await realpath(given))) {
    const where = { column: 'file', value: entry };
    return told(name, complaint('MANIFEST_FILE_OUTSIDE', {}, where));
  }
  return (await stat(source.file.path)).isFile()
    ? source
    : told(name, complaint('MANIFEST_UNREADABLE', { reason: 'not a plain file' }));
}
