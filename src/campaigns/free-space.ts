/** How much room a disk has. */
import { isObjectAddress } from '../domain/object-store.ts';
import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** In bytes: in the folder, or in the nearest one above it that is there; null of a bucket, which has no end. */
export async function freeIn(folder: string): Promise<number | null> {
  if (isObjectAddress(folder)) return null;
  let there = folder;
  while (!existsSync(there) && dirname(there) !== there) there = dirname(there);
  const { bavail, bsize } = await statfs(there);
  return bavail * bsize;
}
