/** How files of a folder are checked and read: absence is a value, and no link is followed. */
import { createHash } from 'node:crypto';
import { constants, type Dirent, type Stats } from 'node:fs';
import { lstat, open, readdir, type FileHandle } from 'node:fs/promises';
import { hasErrno } from '../domain/errno.ts';
import type { FileDigest } from './digest.ts';
import { isAbsent } from './system-calls.ts';

/** For a link, only the fact that it is one. */
export const LINK = Symbol('a symbolic link');
export type Link = typeof LINK;

/** Opening a named pipe must not wait for a writer. */
const AS_IT_LIES = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The value for a file that could not be opened; other errors are thrown. */
function unopened(error: unknown): Link | null {
  if (hasErrno(error, 'ELOOP')) return LINK;
  // A socket, or a pipe without a reader: not readable.
  if (isAbsent(error) || hasErrno(error, 'ENXIO')) return null;
  throw error;
}

const DIGEST_CHUNK_BYTES = 256 * 1024;

export function readStatus(path: string): Promise<Stats | null> {
  return lstat(path).catch(nullIfAbsent);
}

/** The whole file; null if there is none. */
export function readBytes(path: string): Promise<Buffer | Link | null> {
  return withFile(path, wholeOf);
}

export function digestOfFile(path: string): Promise<FileDigest | Link | null> {
  return withFile(path, digestOf);
}

/** A folder that vanished between two steps of a walk has no entries. */
export async function readEntries(folder: string): Promise<Dirent[]> {
  return (await readdir(folder, { withFileTypes: true }).catch(nullIfAbsent)) ?? [];
}

function nullIfAbsent(error: unknown): null {
  if (isAbsent(error)) return null;
  throw error;
}

async function withFile<T>(
  path: string,
  work: (file: FileHandle, size: number) => Promise<T>,
): Promise<T | Link | null> {
  let file;
  try {
    file = await open(path, AS_IT_LIES);
  } catch (error) {
    return unopened(error);
  }
  try {
    const status = await file.stat();
    return status.isFile() ? await work(file, status.size) : null;
  } finally {
    await file.close();
  }
}

/** A file never changes under its name, so its size marks its end. */
async function wholeOf(file: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size);
  for (let at = 0; at < size;) {
    const { bytesRead } = await file.read(bytes, at, size - at, at);
    if (bytesRead === 0) return bytes.subarray(0, at);
    at += bytesRead;
  }
  return bytes;
}

async function digestOf(file: FileHandle, size: number): Promise<FileDigest> {
  const hash = createHash('sha256');
  const buffer = Buffer.allocUnsafeSlow(Math.min(size, DIGEST_CHUNK_BYTES));
  let bytes = 0;
  while (bytes < size) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, bytes);
    if (bytesRead === 0) break;
    hash.update(buffer.subarray(0, bytesRead));
    bytes += bytesRead;
  }
  return { bytes, sha256: hash.digest('hex') };
}
