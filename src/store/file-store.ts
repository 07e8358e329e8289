/**
 * The output tree as a folder. A file is written under a temporary name in its own folder, synced to the disk, and
 * renamed: rename(2) is atomic, so that readers see all of it or nothing, also after a crash.
 */
import { createHash, randomUUID } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rename,
  rm,
  stat,
  statfs,
  unlink,
} from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hasErrno, runInParallel } from '../domain/process.ts';
import { createBadKeyError, splitKey, LEASES, TEMPORARY_PREFIX } from './layout.ts';
import { createTreeNotHereError } from './lease.ts';
import {
  createMissingError,
  createNoRoomError,
  toStoreError,
  decodeText,
  type FileDigest,
  Incoming,
  type Store,
  type StoreData,
  type WriteOptions,
} from './store.ts';

/** Files synced at the same time; more do not help, measured on ext4. */
const MAX_SYNCS_AT_ONCE = 16;
/** More concurrent reads would only make a disk seek. */
const READS_AT_ONCE = 4;
const READ_CHUNK_BYTES = 1024 * 1024;

export interface FileStoreOptions {
  /** Creates the folder if it is missing (default). `false`: a missing folder is refused as `TREE_NOT_HERE`. */
  readonly create?: boolean;
}

/**
 * Opens the tree of one campaign.
 * @throws StoreError `STORE_ACCESS_DENIED`, `STORE_FULL`, `STORE_BAD_KEY`, `TREE_NOT_HERE`
 */
export async function openFileStore(
  folder: string,
  { create = true }: FileStoreOptions = {},
): Promise<Store> {
  return callSystem(`open the output folder ${folder}`, async () => {
    if (create) await makeFolder(resolve(folder), true);
    else if ((await stat(folder).catch(nullIfAbsent)) === null)
      throw createTreeNotHereError(folder, 'the folder does not exist');
    // The campaign folder itself may be a link to a larger disk; below it, no link is followed.
    const root = await realpath(folder);
    // A path with a trailing slash must be a folder; for a file, the call fails with ENOTDIR.
    await lstat(`${root}/`);
    return new FileStore(root);
  });
}

/** Where a file is written: its paths, and the folders whose entries change. */
interface Place {
  readonly temporary: string;
  readonly path: string;
  readonly touched: readonly string[];
}

class FileStore implements Store {
  readonly location: string;
  readonly atOnce = READS_AT_ONCE;
  readonly #resolving = new Map<string, Promise<string | null>>();

  constructor(root: string) {
    this.location = root;
  }

  async write(key: string, data: StoreData, options: WriteOptions = {}): Promise<FileDigest> {
    const { durable = true } = options;
    const incoming = new Incoming(key);
    const written = this.#put(key, async ({ temporary, path, touched }) => {
      await fill(temporary, incoming, data, { ...options, durable });
      await rename(temporary, path);
      if (durable) for (const folder of touched) await sync(folder);
      return incoming.digest;
    });
    return written.catch((error: unknown) => {
      throw incoming.failure === null ? error : incoming.failure.error;
    });
  }

  create(key: string, data: string): Promise<boolean> {
    return this.#put(key, async ({ temporary, path, touched }) => {
      await fill(temporary, new Incoming(key), data, { durable: true });
      const isNew = await linkNew(temporary, path);
      if (isNew) for (const folder of touched) await sync(folder);
      return isNew;
    });
  }

  /** A folder cannot compare and replace in one step: a change in the moment between is not seen. */
  async replace(key: string, data: string, former: string): Promise<boolean> {
    if ((await this.readText(key)) !== former) return false;
    await this.write(key, data);
    return true;
  }

  async flush(keys: Iterable<string>): Promise<void> {
    const folders = new Set<string>();
    await runInParallel(keys, MAX_SYNCS_AT_ONCE, async (key) => {
      const path = join(this.location, ...splitKey(key));
      for (let folder = dirname(path); !folders.has(folder); folder = dirname(folder)) {
        folders.add(folder);
        if (folder === this.location) break;
      }
      await callSystem(`write ${key}`, () => sync(path));
    });
    await runInParallel(folders, MAX_SYNCS_AT_ONCE, (folder) =>
      callSystem(`write the folder ${folder}`, () => sync(folder)),
    );
  }

  async read(key: string): Promise<Uint8Array | null> {
    const file = await this.#open(key);
    if (file === null) return null;
    const pieces = await Array.fromAsync(readPieces(file, key));
    const [first, ...others] = pieces;
    return first && others.length === 0 ? first : Buffer.concat(pieces);
  }

  async readText(key: string): Promise<string | null> {
    const bytes = await this.read(key);
    return bytes && decodeText(bytes);
  }

  async digest(key: string): Promise<FileDigest | null> {
    const file = await this.#open(key);
    if (file === null) return null;
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const piece of readPieces(file, key)) {
      hash.update(piece);
      bytes += piece.byteLength;
    }
    return { bytes, sha256: hash.digest('hex') };
  }

  async *readStream(key: string): AsyncIterable<Uint8Array> {
    const file = await this.#open(key);
    if (file === null) throw createMissingError(key);
    yield* readPieces(file, key);
  }

  async *list(prefix: string): AsyncIterable<string> {
    const folder = prefix.split('/').slice(0, -1);
    // Every folder of the prefix must be there, and not a link.
    const first = [...folder, 'file'].join('/');
    if ((await callSystem(`list ${prefix}`, () => this.#locate(first))) === null) return;
    const isWhole = (name: string): boolean => !name.startsWith(TEMPORARY_PREFIX);
    for await (const key of walk(this.location, folder, isWhole))
      if (key.startsWith(prefix)) yield key;
  }

  async *folders(): AsyncIterable<string> {
    const entries = await callSystem(`list ${this.location}`, () => readEntries(this.location));
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

  async remove(key: string): Promise<void> {
    const path = await this.#find(key);
    if (path === null) return;
    await callSystem(`remove ${key}`, async () => {
      await unlink(path).catch(nullIfAbsent);
      await sync(dirname(path));
    });
  }

  async *leftovers(): AsyncIterable<string> {
    const isUnfinished = (name: string): boolean => name.startsWith(TEMPORARY_PREFIX);
    for await (const name of walk(this.location, [], isUnfinished))
      // The lease is renewed at any time: a temporary file there may be in use.
      if (!name.startsWith(LEASES)) yield name;
  }

  async sweep(): Promise<void> {
    for await (const name of this.leftovers())
      await callSystem(`remove ${name}`, () => rm(join(this.location, name), { force: true }));
  }

  /** `work` fills a file with a temporary name, in the folder of its own name, and gives it that name. */
  async #put<T>(key: string, work: (place: Place) => Promise<T>): Promise<T> {
    const segments = splitKey(key);
    const path = join(this.location, ...segments);
    const folder = dirname(path);
    const temporary = join(folder, `${TEMPORARY_PREFIX}${randomUUID()}`);
    return callSystem(`write ${key}`, async () => {
      const made = await makeFolders(this.location, key, segments.slice(0, -1));
      try {
        return await work({ temporary, path, touched: [folder, ...made] });
      } finally {
        // Most often it has its name. If this fails, the leftover is invisible to `list` and removed by the next sweep:
        // the first error is reported.
        await rm(temporary, { force: true }).catch(() => undefined);
      }
    });
  }

  /** The path of a file; null if there is none. @throws StoreError `STORE_BAD_KEY` for a link */
  #find(key: string): Promise<string | null> {
    return callSystem(`read ${key}`, async () => {
      const path = await this.#locate(key);
      const found = path === null ? null : await readStatus(path);
      if (found?.isSymbolicLink() === true) throw createBadKeyError(key, 'it is a symbolic link');
      return found?.isFile() === true ? path : null;
    });
  }

  /** The file, to be read; null if there is none. @throws StoreError `STORE_BAD_KEY` for a link */
  #open(key: string): Promise<OpenedFile | null> {
    return callSystem(`read ${key}`, async () => {
      const path = await this.#locate(key);
      return path === null ? null : openToRead(path);
    });
  }

  /** The path of a key; null if its folder does not exist. @throws StoreError `STORE_BAD_KEY` for a link above it */
  async #locate(key: string): Promise<string | null> {
    const path = join(this.location, ...splitKey(key));
    const folder = await this.#resolve(dirname(path));
    if (folder !== null && folder !== dirname(path))
      throw createBadKeyError(key, 'a folder above it is a symbolic link');
    return folder === null ? null : path;
  }

  /** The real path of a folder; null if it does not exist. Calls at the same time share the answer. */
  #resolve(folder: string): Promise<string | null> {
    const shared = this.#resolving.get(folder);
    if (shared !== undefined) return shared;
    const resolving = realpath(folder)
      .catch(nullIfAbsent)
      .finally(() => this.#resolving.delete(folder));
    this.#resolving.set(folder, resolving);
    return resolving;
  }
}

/** The room is looked at again after so much of a file, whose length may not have been announced. */
const SPACE_CHECK_BYTES = 8_000_000;

/** Writes the temporary file. */
async function fill(
  temporary: string,
  incoming: Incoming,
  data: StoreData,
  options: WriteOptions,
): Promise<void> {
  const { keepFree = 0, expectedBytes = null, durable } = options;
  const needed = data instanceof Uint8Array ? data.byteLength : expectedBytes;
  if (keepFree > 0) await checkSpace(dirname(temporary), incoming.key, keepFree, needed);
  // `wx`: the name must be new, and a link planted there is not followed.
  const file = await open(temporary, 'wx');
  try {
    let checked = 0;
    for await (const chunk of incoming.chunks(data, options)) {
      await file.writeFile(chunk);
      if (keepFree === 0 || incoming.bytes - checked < SPACE_CHECK_BYTES) continue;
      checked = incoming.bytes;
      await checkSpace(dirname(temporary), incoming.key, keepFree, null);
    }
    if (durable) await file.sync();
  } finally {
    // A full disk or a quota may only be reported now (NFS).
    await file.close();
  }
}

/** A file to be read: its length is that when it was opened. */
interface OpenedFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/** The content of an open file, which is closed at the end. A stream of Node takes six times as long for a small file. */
async function* readPieces({ handle, size }: OpenedFile, key: string): AsyncGenerator<Uint8Array> {
  try {
    for (let at = 0; at < size;) {
      const piece = Buffer.allocUnsafe(Math.min(size - at, READ_CHUNK_BYTES));
      const { bytesRead } = await handle.read(piece, 0, piece.byteLength, at);
      // It was cut off meanwhile.
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } catch (error) {
    throw toStoreError(error, `read ${key}`);
  } finally {
    await handle.close();
  }
}

/** Runs a call of the file system; its errors get a code and a remedy. */
async function callSystem<T>(action: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toStoreError(error, action);
  }
}

function nullIfAbsent(error: unknown): null {
  if (hasErrno(error, 'ENOENT', 'ENOTDIR')) return null;
  throw error;
}

/** Null if there is nothing of this name. */
function readStatus(path: string): Promise<Stats | null> {
  return lstat(path).catch(nullIfAbsent);
}

/** A folder that vanished between two steps of a walk has no entries. */
async function readEntries(folder: string): Promise<Dirent[]> {
  return (await readdir(folder, { withFileTypes: true }).catch(nullIfAbsent)) ?? [];
}

/** Syncs a file or the entries of a folder to the disk. */
async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/**
 * Creates a folder, and with `parents` its parents; an existing one is left alone. Not `mkdir` with `recursive`: on a
 * read-only disk that fails with ENOENT, which misleads the user. False if it existed.
 */
async function makeFolder(path: string, parents = false): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) return false;
    if (!parents || !hasErrno(error, 'ENOENT')) throw error;
    await makeFolder(dirname(path), true);
    return makeFolder(path);
  }
}

/**
 * Makes the missing ones of these folders. Returns those that got a new entry and therefore need a sync.
 * @throws StoreError `STORE_BAD_KEY` for a link, or a file in the way
 */
async function makeFolders(
  root: string,
  key: string,
  names: readonly string[],
): Promise<readonly string[]> {
  const touched: string[] = [];
  let folder = root;
  for (const name of names) {
    const inner = join(folder, name);
    const former = await readStatus(inner);
    if (former === null && (await makeFolder(inner))) touched.push(folder);
    else if ((former ?? (await readStatus(inner)))?.isDirectory() !== true)
      throw createBadKeyError(key, `${name} is not a folder`);
    folder = inner;
  }
  return touched;
}

/** Files below a folder whose name is wanted, in the order of their full keys. */
async function* walk(
  root: string,
  folders: readonly string[],
  isSelected: (name: string) => boolean,
): AsyncIterable<string> {
  const entries = await readEntries(join(root, ...folders));
  // A folder sorts as `name/`: depth-first order is then the order of the full keys, as in a bucket.
  const order = (entry: Dirent): string => (entry.isDirectory() ? `${entry.name}/` : entry.name);
  entries.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  for (const entry of entries) {
    const path = [...folders, entry.name];
    if (entry.isDirectory()) yield* walk(root, path, isSelected);
    else if (entry.isFile() && isSelected(entry.name)) yield path.join('/');
  }
}

/** Opening a named pipe must not wait for a writer. */
const AS_IT_LIES = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A socket cannot be opened. */
function nullIfNotFile(error: unknown): null {
  return hasErrno(error, 'ENXIO') ? null : nullIfAbsent(error);
}

/** To read a file; null if there is none. A link fails with ELOOP. */
async function openToRead(path: string): Promise<OpenedFile | null> {
  const handle = await open(path, AS_IT_LIES).catch(nullIfNotFile);
  const found = await handle?.stat();
  if (handle && found?.isFile()) return { handle, size: found.size };
  await handle?.close();
  return null;
}

const NO_LINKS = ['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS'] as const;

/**
 * Gives a whole file a new name: link(2) fails if the name is taken, also over NFS. False if it is taken. Without links
 * the file is copied to a name that the system creates exclusively.
 */
async function linkNew(source: string, path: string): Promise<boolean> {
  try {
    await link(source, path).catch((error: unknown) => {
      if (!hasErrno(error, ...NO_LINKS)) throw error;
      return copyFile(source, path, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (!hasErrno(error, 'EEXIST')) throw error;
    // Over NFS the answer to a successful link may be lost; the repeated call then finds its own link.
    const [ours, found] = await Promise.all([lstat(source), lstat(path)]);
    return ours.ino === found.ino && ours.dev === found.dev;
  }
}

/** On a small disk this part is kept free, instead of all that the caller requests. */
const MAX_KEPT_PART = 0.02;

/**
 * @param keepFree bytes that are to stay free
 * @param needed length of the file in bytes; null when unknown
 * @throws StoreError `STORE_FULL`
 */
async function checkSpace(
  folder: string,
  key: string,
  keepFree: number,
  needed: number | null,
): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const kept = Math.min(keepFree, blocks * bsize * MAX_KEPT_PART);
  if (free - (needed ?? 0) < kept) throw createNoRoomError(key, free, needed, kept);
}
