/** What a campaign does not get past by itself, for whoever looks at it: until then it only seems to take its time. */
import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import { isObjectAddress } from '../domain/object-store.ts';

/** Less than any table or result needs; what was being written is gone again when a disk was full. */
const FULL_BYTES = 1024 * 1024;
/** An item's folder holds up to 30 files. */
const FULL_FILES = 30;

/** A sentence, with what to do; null where nothing stands in the way, as far as can be seen from here. */
export async function obstacleOf(
  folder: string,
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
): Promise<string | null> {
  const lacking = isObjectAddress(folder) ? null : await whatLacks(folder);
  if (lacking !== null) {
    return `The disk of ${folder} is full${lacking}. Free some space: the campaign then continues on its own.`;
  }
  // The campaign's own work is little: pages of items, and publishing. Its items have theirs in their own workflows.
  for (const { activityType, lastFailure } of raw.pendingActivities ?? []) {
    const { type } = lastFailure?.applicationFailureInfo ?? {};
    if (!/^(STORE|TREE)_/.test(type ?? '') || !lastFailure?.message) continue;
    return `${activityType?.name ?? 'An activity'} keeps failing and is retried: ${lastFailure.message}`;
  }
  return null;
}

async function whatLacks(folder: string): Promise<string | null> {
  try {
    return fullness(await statfs(folder));
  } catch {
    // It lies on another machine, or is not there yet.
    return null;
  }
}

/** What a disk lacks, in words that follow "is full"; null when there is room. */
export function fullness(
  disk: Pick<StatsFs, 'bavail' | 'bsize' | 'files' | 'ffree'>,
): string | null {
  if (disk.bavail * disk.bsize < FULL_BYTES) return '';
  // Some file systems (btrfs, most network ones) count no files, and say 0 of 0.
  if (disk.files > 0 && disk.ffree < FULL_FILES) return ': it has no free inodes';
  return null;
}
