/** What blocks a campaign until the user acts. Without this report, the campaign would only seem slow. */
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { isObjectAddress } from '../domain/object-store.ts';

/** Less than any table or result needs; a partial write is removed when the disk is full. */
const FULL_BYTES = 1024 * 1024;
/** An item's folder holds up to 30 files. */
const FULL_FILES = 30;

/** A sentence with what to do; null if no obstacle is visible from here. */
export async function obstacleOf(
  folder: string,
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
): Promise<string | null> {
  const full = await fullDisk(folder);
  if (full !== null) return full;
  // The campaign itself only reads pages of items and publishes. Items do their work in their own workflows.
  for (const { activityType, lastFailure } of raw.pendingActivities ?? []) {
    const { type } = lastFailure?.applicationFailureInfo ?? {};
    if (!/^(STORE|TREE)_/.test(type ?? '') || !lastFailure?.message) continue;
    return `${activityType?.name ?? 'An activity'} keeps failing and is retried: ${lastFailure.message}`;
  }
  return null;
}

/** A sentence with what to do; null if the disk of the folder has room, or is not visible from here. */
export async function fullDisk(folder: string): Promise<string | null> {
  const lacking = isObjectAddress(folder) ? null : await whatLacks(folder);
  if (lacking === null) return null;
  return `The disk of ${folder} is full${lacking}. Free some space: the campaign then continues on its own.`;
}

async function whatLacks(folder: string): Promise<string | null> {
  try {
    return whatDiskLacks(await statfs(folder));
  } catch {
    // It is on another machine, or does not exist yet.
    return null;
  }
}

/** What a disk lacks, in words that follow "is full"; null when there is room. */
export function whatDiskLacks(
  disk: Pick<StatsFs, 'bavail' | 'bsize' | 'files' | 'ffree'>,
): string | null {
  if (disk.bavail * disk.bsize < FULL_BYTES) return '';
  // Some file systems (btrfs, most network ones) count no files, and say 0 of 0.
  if (disk.files > 0 && disk.ffree < FULL_FILES) return ': it has no free inodes';
  return null;
}
