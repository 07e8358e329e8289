/** The folders of a tree: made for a file, entered without following links, walked in the order of keys. */
import type { Dirent, Stats } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { badKey } from './key.ts';
import { Looks } from './looks.ts';
import type { Reads } from './reads.ts';
import { makeFolder, system } from './system-calls.ts';

export class FoldersBelow {
  readonly #root: string;
  readonly #reads: Reads;
  readonly #looks = new Looks();

  constructor(root: string, reads: Reads) {
    this.#root = root;
    this.#reads = reads;
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
    const at = performance.now();
    const names = segments.slice(0, -1);
    let folder = this.#root;
    for (const [n, segment] of names.entries()) {
      const inner = join(folder, segment);
      const expected = newFolder && n === names.length - 1;
      const found = expected ? null : await this.#reads.status(inner);
      // A folder that was just made is not a link; one that already existed may be.
      const made = found === null && (await makeFolder(inner, false));
      if (made) touched.push(folder);
      else check(key, segment, found ?? (await lstat(inner)));
      this.#looks.note(inner, at);
      folder = inner;
    }
    return touched;
  }

  /** Whether the folders of these names exist; links are refused. */
  async areThere(key: string, segments: readonly string[]): Promise<boolean> {
    const at = performance.now();
    let folder = this.#root;
    if (this.#looks.hold(join(folder, ...segments))) return true;
    for (const segment of segments) {
      folder = join(folder, segment);
      if (this.#looks.hold(folder)) continue;
      const found = await system(`read ${key}`, () => this.#reads.status(folder));
      if (found === null) return false;
      if (found.isSymbolicLink()) throw badKey(key, `${segment} is a symbolic link`);
      if (!found.isDirectory()) return false;
      this.#looks.note(folder, at);
    }
    return true;
  }

  /** Files below a folder that match the wanted name, in the order of their full keys. */
  async *walk(
    segments: readonly string[],
    wanted: (name: string) => boolean,
  ): AsyncIterable<string> {
    const folder = join(this.#root, ...segments);
    const entries = await system(`list ${folder}`, () => this.#reads.entries(folder));
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
