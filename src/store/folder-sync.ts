/**
 * Syncs the entries of a folder to the disk, once for all concurrent callers: the files of a job are renamed into its
 * folder in parallel.
 */
import { sync } from './system-calls.ts';

/** Folders whose sync has not begun: it covers every entry that is made before it begins. */
const waiting = new Map<string, Promise<void>>();
const running = new Map<string, Promise<unknown>>();

/** Returns when all entries that the folder has now are on the disk. */
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
