/** How much space a disk has. */
import { isObjectAddress } from '../domain/object-store.ts';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** In bytes: for the folder, or its nearest existing parent; null for a bucket, which has no limit. */
export async function freeIn(folder: string): Promise<number | null> {
  if (isObjectAddress(folder)) return null;
  let there = folder;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const { bavail, bsize } = await statfs(there);
  return bavail * bsize;
}
