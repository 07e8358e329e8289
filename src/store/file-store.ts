/**
 * The output tree as a folder. A file is written under a temporary name in its own folder, synced to the disk, and
 * renamed: rename(2) is atomic, so that readers see all of it or nothing, also after a crash.
 */
import { createHash, randomUUID } from 'node:crypto';
import { closeSync, read } from 'node:fs';
import { lstat, open, realpath, rename, rm, stat, unlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { decodeText, type FileDigest } from './digest.ts';
import {
  areFolders,
  checkSpace,
  isLinkedInto,
  linkNew,
  makeFolder,
  makeFolders,
  nullIfAbsent,
  type OpenedFile,
  openToRead,
  readEntries,
  readStatus,
  sync,
  callSystem,
  walk,
} from './folder-calls.ts';
import { runInParallel } from './in-parallel.ts';
import {
  Incoming,
  type CheckedFolders,
  type Store,
  type StoreData,
  type StoredFile,
  type WriteOptions,
} from './store.ts';
import { createBadKeyError, splitKey, LEASES, TEMPORARY_PREFIX } from './layout.ts';
import { createMissingError, toStoreError } from './store-error.ts';
import { createTreeNotHereError } from './lease.ts';

/** Files synced at the same time; more do not help, measured on ext4. */
const MAX_SYNCS_AT_ONCE = 16;
/** More concurrent reads would only make a disk seek. */
const READS_AT_ONCE = 4;
const READ_CHUNK_BYTES = 1024 * 1024;
/** Bytes written between two looks at the free space. */
const SPACE_CHECK_BYTES = 8_000_000;
/** Renewing a lease never takes longer than this. */
const MAX_LEASE_WRITE_MS = 60_000;

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

  constructor(root: string) {
    this.location = root;
  }

  async write(key: string, data: StoreData, options: WriteOptions = {}): Promise<StoredFile> {
    const { durable = true } = options;
    const incoming = new Incoming(key);
    const written = this.#put(key, async ({ temporary, path, touched }) => {
      await fill(temporary, incoming, data, { ...options, durable });
      await rename(temporary, path);
      if (durable) for (const folder of touched) await sync(folder);
      return incoming.stored;
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

  async read(key: string, checked?: CheckedFolders): Promise<Uint8Array | null> {
    const file = await this.#open(key, checked);
    if (file === null) return null;
    const pieces: Uint8Array[] = [];
    for await (const piece of readPieces(file, key)) pieces.push(piece);
    const [first] = pieces;
    return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces);
  }

  async readText(key: string): Promise<string | null> {
    const bytes = await this.read(key);
    return bytes && decodeText(bytes);
  }

  async digest(key: string, checked?: CheckedFolders): Promise<FileDigest | null> {
    const file = await this.#open(key, checked);
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
    const cut = prefix.lastIndexOf('/');
    const folder = cut < 0 ? [] : splitKey(prefix.slice(0, cut));
    const action = `list ${prefix}`;
    if (!(await callSystem(action, () => areFolders(this.location, prefix, folder)))) return;
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

  async adopt(key: string, from: Store, fromKey: string): Promise<void> {
    const source = from instanceof FileStore ? await from.#find(fromKey) : null;
    const isShared =
      source !== null &&
      (await this.#put(key, ({ temporary, path }) => isLinkedInto(source, path, temporary)));
    if (!isShared) await this.write(key, from.readStream(fromKey), { durable: false });
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
    for await (const name of walk(this.location, [], isUnfinished)) {
      // The lease is renewed at any time: a temporary file there may be in use, unless it is old.
      const found = name.startsWith(LEASES) ? await readStatus(join(this.location, name)) : null;
      if (found === null || Date.now() - found.mtimeMs > MAX_LEASE_WRITE_MS) yield name;
    }
  }

  async sweep(): Promise<number> {
    let swept = 0;
    for await (const name of this.leftovers()) {
      await callSystem(`remove ${name}`, () => rm(join(this.location, name), { force: true }));
      swept += 1;
    }
    return swept;
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
    const segments = splitKey(key);
    return callSystem(`read ${key}`, async () => {
      if (!(await areFolders(this.location, key, segments.slice(0, -1)))) return null;
      const path = join(this.location, ...segments);
      const found = await readStatus(path);
      if (found?.isSymbolicLink() === true) throw createBadKeyError(key, 'it is a symbolic link');
      return found?.isFile() === true ? path : null;
    });
  }

  /** The file, to be read; null if there is none. @throws StoreError `STORE_BAD_KEY` for a link */
  #open(key: string, checked?: CheckedFolders): Promise<OpenedFile | null> {
    const segments = splitKey(key);
    return callSystem(`read ${key}`, async () => {
      const folders = segments.slice(0, -1);
      if (!(await areFolders(this.location, key, folders, checked))) return null;
      return openToRead(join(this.location, ...segments));
    });
  }
}

/** Writes the temporary file. */
async function fill(
  temporary: string,
  incoming: Incoming,
  data: StoreData,
  options: WriteOptions,
): Promise<void> {
  const { keepFree = 0, expectedBytes = null, durable } = options;
  const checkFree = async (needed: number | null): Promise<void> => {
    if (keepFree > 0) await checkSpace(dirname(temporary), incoming.key, keepFree, needed);
  };
  await checkFree(data instanceof Uint8Array ? data.byteLength : expectedBytes);
  let checked = 0;
  // `wx`: the name must be new, and a link planted there is not followed.
  const file = await open(temporary, 'wx');
  try {
    for await (const chunk of incoming.chunks(data, options)) {
      if (incoming.bytes - checked >= SPACE_CHECK_BYTES) {
        checked = incoming.bytes;
        await checkFree(null);
      }
      await file.writeFile(chunk);
    }
    if (durable) await file.sync();
  } finally {
    // A full disk or a quota may only be reported now (NFS).
    await file.close();
  }
}

const readFile = promisify(read);

/** The content of an open file, which is closed at the end. */
async function* readPieces({ fd, bytes }: OpenedFile, key: string): AsyncGenerator<Uint8Array> {
  try {
    for (let at = 0; at < bytes;) {
      const piece = Buffer.allocUnsafe(Math.min(bytes - at, READ_CHUNK_BYTES));
      const { bytesRead } = await readFile(fd, piece, 0, piece.byteLength, at);
      // It was cut off meanwhile.
      if (bytesRead === 0) return;
      at += bytesRead;
      yield piece.subarray(0, bytesRead);
    }
  } catch (error) {
    throw toStoreError(error, `read ${key}`);
  } finally {
    closeSync(fd);
  }
}
