/** The folders of a tree: made for a file, entered without following links, walked in the order of keys. */
import type { Dirent, Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { badKey } from './key.ts';
import { readEntries, readStatus } from './reads.ts';
import { makeFolder, system, sync } from './system-calls.ts';

export class FoldersBelow {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /**
   * Creates the parent folders of a file; none of them may be a link. Returns the folders that got a new entry and
   * therefore need a sync.
   *
   * @param options `newFolder`: the innermost is expected to be missing
   */
  async make(
    key: string,
    segments: readonly string[],
    { newFolder = false }: { readonly newFolder?: boolean | undefined } = {},
  ): Promise<readonly string[]> {
    const touched: string[] = [];
    const names = segments.slice(0, -1);
    let folder = this.#root;
    for (const [n, segment] of names.entries()) {
      const inner = join(folder, segment);
      const expected = newFolder && n === names.length - 1;
      const found = expected ? null : await readStatus(inner);
      // A folder that was just made is not a link; one that already existed may be.
      const made = found === null && (await makeFolder(inner, false));
      if (made) touched.push(folder);
      else check(key, segment, found ?? (await lstat(inner)));
      folder = inner;
    }
    return touched;
  }

  /** Whether the folders of these names exist; links are refused. */
  async areThere(key: string, segments: readonly string[]): Promise<boolean> {
    let folder = this.#root;
    for (const segment of segments) {
      folder = join(folder, segment);
      const found = await system(`read ${key}`, () => readStatus(folder));
      if (found === null) return false;
      if (found.isSymbolicLink()) throw badKey(key, `${segment} is a symbolic link`);
      if (!found.isDirectory()) return false;
    }
    return true;
  }

  /** Files below a folder that match the wanted name, in the order of their full keys. */
  async *walk(
    segments: readonly string[],
    wanted: (name: string) => boolean,
  ): AsyncIterable<string> {
    const folder = join(this.#root, ...segments);
    const entries = await system(`list ${folder}`, () => readEntries(folder));
    // A folder sorts as `name/`: depth-first order is then the order of the full keys, as on S3.
    const order = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name);
    entries.sort((a, b) => (order(a) < order(b) ? -1 : 1));
    for (const entry of entries) {
      const path = [...segments, entry.name];
      if (entry.isDirectory()) yield* this.walk(path, wanted);
      else if (entry.isFile() && wanted(entry.name)) yield path.join('/');
    }
  }
}

function check(key: string, segment: string, found: Stats): void {
  if (found.isSymbolicLink()) throw badKey(key, `${segment} is a symbolic link`);
  if (!found.isDirectory()) throw badKey(key, `${segment} is not a folder`);
}

/** Folders whose sync has not begun: it covers every entry that is made before it begins. */
const waiting = new Map<string, Promise<void>>();
const running = new Map<string, Promise<unknown>>();

/**
 * Returns when all entries that the folder has now are on the disk. Once for all concurrent callers: the files of a job
 * are renamed into its folder in parallel.
 */
export function syncFolder(path: string): Promise<void> {
  const next = waiting.get(path);
  if (next !== undefined) return next;
  const before = running.get(path);
  // A running sync may have begun before the newest entry.
  const own = before === undefined ? begin(path) : before.then(() => begin(path));
  if (before !== undefined) waiting.set(path, own);
  return own;
}

export async function syncFolders(paths: Iterable<string>): Promise<void> {
  for (const path of paths) await syncFolder(path);
}

function begin(path: string): Promise<void> {
  waiting.delete(path);
  const own = sync(path);
  const ended = own
    .catch(() => undefined)
    .then(() => {
      if (running.get(path) === ended) running.delete(path);
    });
  running.set(path, ended);
  return own;
}
