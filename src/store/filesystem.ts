/**
 * The output tree as a folder. A file is written under a temporary name in its own folder, synced to the disk, and
 * renamed: rename(2) is atomic, so that readers see all of it or nothing, also after a crash.
 */
import { randomUUID } from 'node:crypto';
import { lstat, open, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { FileDigest } from './digest.ts';
import { fillFile } from './fill-file.ts';
import { syncFolder, syncFolders, FoldersBelow } from './folders-below.ts';
import { inParallel } from './in-parallel.ts';
import { LEASES } from './layout.ts';
import { TEMPORARY_PREFIX, badKey, keySegments } from './key.ts';
import { LINK, digestOfFile, readBytes, readEntries, readStatus, type Link } from './reads.ts';
import type {
  ListedFile,
  StagedFile,
  Store,
  StoreData,
  StoredFile,
  WriteOptions,
} from './store.ts';
import { missing } from './store-error.ts';
import {
  ignoreAbsent,
  isAbsent,
  isLinkedInto,
  linkNew,
  makeFolder,
  sync,
  system,
} from './system-calls.ts';
import { treeNotHere } from './tree-identity.ts';

/** Files synced at the same time; more do not help, measured on ext4. */
const FLUSH_LIMIT = 16;
/** More concurrent reads would only make a disk seek. */
const READS_AT_ONCE = 4;
const READ_CHUNK_BYTES = 256 * 1024;
/** Renewing a lease never takes longer than this (ms). */
const UNFINISHED_LEASE_MS = 60_000;

export interface FileStoreOptions {
  /** Creates the folder if it is missing (default). `false`: a missing folder is refused as `TREE_NOT_HERE`. */
  readonly create?: boolean;
}

/**
 * Opens the tree of one campaign.
 * @throws StoreError `STORE_READ_ONLY`, `STORE_FULL`, `STORE_BAD_KEY`, `TREE_NOT_HERE`
 */
export async function openFileStore(
  folder: string,
  { create = true }: FileStoreOptions = {},
): Promise<Store> {
  return system(`open the output folder ${folder}`, async () => {
    if (create) await makeFolder(resolve(folder), true);
    else if (!(await isThere(folder))) throw treeNotHere(folder, 'the folder does not exist');
    // The campaign folder itself may be a link to a larger disk; below it, no link is followed.
    const root = await realpath(folder);
    // A path with a trailing slash must be a folder; for a file, the call fails with ENOTDIR.
    await lstat(`${root}/`);
    return new FileStore(root);
  });
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/** Of a file that is being written: its paths, and the folders whose entries change. */
type Put<T> = (temporary: string, path: string, touched: readonly string[]) => Promise<T>;

class FileStore implements Store {
  readonly location: string;
  readonly atOnce = READS_AT_ONCE;
  readonly #folders: FoldersBelow;

  constructor(root: string) {
    this.location = root;
    this.#folders = new FoldersBelow(root);
  }

  async write(key: string, data: StoreData, options: WriteOptions = {}): Promise<StoredFile> {
    const durable = options.durable ?? true;
    return this.#placed(key, options, async (temporary, path, touched) => {
      const stored = await fillFile(temporary, key, data, options, durable);
      options.signal?.throwIfAborted();
      await system(`write ${key}`, () => rename(temporary, path));
      if (durable) await system(`write ${key}`, () => syncFolders(touched));
      return stored;
    });
  }

  async create(key: string, data: string): Promise<boolean> {
    return (await this.stage(key, data)).create();
  }

  async stage(key: string, data: string): Promise<StagedFile> {
    return this.#placed(key, {}, async (temporary, path, [folder = '', ...above]) => {
      await fillFile(temporary, key, data, {}, true);
      await system(`write ${key}`, () => syncFolders(above));
      const discard = () => unlink(temporary).catch(() => undefined);
      const create = async () => {
        const created = await linkNew(temporary, path);
        if (created) await syncFolder(folder);
        return created;
      };
      return { discard, create: () => system(`write ${key}`, create).finally(discard) };
    });
  }

  async replace(key: string, data: string): Promise<'unseen'> {
    await this.write(key, data);
    return 'unseen';
  }

  async flush(keys: Iterable<string>): Promise<void> {
    const folders = new Set<string>();
    await inParallel(keys, FLUSH_LIMIT, async (key) => {
      const path = join(this.location, ...keySegments(key));
      for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) {
        folders.add(folder);
        if (folder === this.location) break;
      }
      await system(`write ${key}`, () => sync(path));
    });
    await inParallel(folders, FLUSH_LIMIT, (folder) =>
      system(`write the folder ${folder}`, () => sync(folder)),
    );
  }

  read(key: string): Promise<Uint8Array | null> {
    return this.#taken(key, readBytes);
  }

  async readText(key: string): Promise<string | null> {
    const bytes = await this.#taken(key, readBytes);
    return bytes === null ? null : bytes.toString('utf8');
  }

  digest(key: string): Promise<FileDigest | null> {
    return this.#taken(key, digestOfFile);
  }

  async *readStream(key: string): AsyncIterable<Uint8Array> {
    const path = await this.#find(key);
    if (path === null) throw missing(key);
    const action = `read ${key}`;
    const file = await system(action, () => open(path, 'r'));
    try {
      // A file never changes under its name, so its size marks its end.
      const { size } = await system(action, () => file.stat());
      let at = 0;
      while (at < size) {
        const buffer = Buffer.allocUnsafe(Math.min(READ_CHUNK_BYTES, size - at));
        const { bytesRead } = await system(action, () => file.read(buffer));
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
      }
    } finally {
      await file.close();
    }
  }

  async *list(prefix: string): AsyncIterable<string> {
    const cut = prefix.lastIndexOf('/');
    const folder = cut < 0 ? [] : keySegments(prefix.slice(0, cut));
    if (!(await this.#folders.areThere(prefix, folder))) return;
    for await (const key of this.#folders.walk(
      folder,
      (name) => !name.startsWith(TEMPORARY_PREFIX),
    )) {
      if (key.startsWith(prefix)) yield key;
    }
  }

  async *etags(): AsyncIterable<ListedFile> {
    // There are none.
  }

  async *folders(): AsyncIterable<string> {
    const entries = await system(`list ${this.location}`, () => readEntries(this.location));
    yield* (
      entries
        // The folder of a campaign may be a link to a larger disk.
        .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
        .map(({ name }) => name)
        .sort()
    );
  }

  async exists(key: string): Promise<boolean> {
    return (await this.#find(key)) !== null;
  }

  async adopt(key: string, from: Store, fromKey: string): Promise<void> {
    const source = from instanceof FileStore ? await from.#find(fromKey) : null;
    const linked =
      source !== null &&
      (await this.#placed(key, {}, (temporary, path) =>
        system(`write ${key}`, () => isLinkedInto(source, path, temporary)),
      ));
    if (!linked) await this.write(key, from.readStream(fromKey), { durable: false });
  }

  async remove(key: string): Promise<void> {
    const path = await this.#find(key);
    if (path === null) return;
    await system(`remove ${key}`, async () => {
      await unlink(path).catch(ignoreAbsent);
      await syncFolder(dirname(path));
    });
  }

  async *leftovers(): AsyncIterable<string> {
    for await (const name of this.#folders.walk([], (file) => file.startsWith(TEMPORARY_PREFIX))) {
      // The lease is renewed at any time: a temporary file there may be in use, unless it is old.
      if (!name.startsWith(LEASES) || (await this.#isOld(name))) yield name;
    }
  }

  async #isOld(name: string): Promise<boolean> {
    const found = await readStatus(join(this.location, name));
    return found !== null && Date.now() - found.mtimeMs > UNFINISHED_LEASE_MS;
  }

  async sweep(): Promise<number> {
    let swept = 0;
    for await (const name of this.leftovers()) {
      await system(`remove ${name}`, () => rm(join(this.location, name), { force: true }));
      swept += 1;
    }
    return swept;
  }

  /** `put` fills a file with a temporary name, in the folder of its own name, and renames it. */
  async #placed<T>(key: string, options: WriteOptions, put: Put<T>): Promise<T> {
    const segments = keySegments(key);
    const path = join(this.location, ...segments);
    const folder = dirname(path);
    const made = await system(`write ${key}`, () => this.#folders.make(key, segments, options));
    const temporary = join(folder, `${TEMPORARY_PREFIX}${randomUUID()}`);
    try {
      return await put(temporary, path, [folder, ...made]);
    } catch (error) {
      // If even this fails, the leftover is invisible to `list` and removed by the next sweep: the first error is
      // reported.
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }

  /** A property of a file; null if it does not exist. A link is refused. */
  async #taken<T>(key: string, of: (path: string) => Promise<T | Link | null>): Promise<T | null> {
    const segments = keySegments(key);
    if (!(await this.#folders.areThere(key, segments.slice(0, -1)))) return null;
    const path = join(this.location, ...segments);
    const taken = await system(`read ${key}`, () => of(path));
    if (taken === LINK) throw badKey(key, 'it is a symbolic link');
    return taken;
  }

  /** The path of an existing file; null if there is none. */
  async #find(key: string): Promise<string | null> {
    const segments = keySegments(key);
    if (!(await this.#folders.areThere(key, segments.slice(0, -1)))) return null;
    const path = join(this.location, ...segments);
    const found = await system(`read ${key}`, () => readStatus(path));
    if (found?.isSymbolicLink() === true) throw badKey(key, 'it is a symbolic link');
    return found?.isFile() === true ? path : null;
  }
}
