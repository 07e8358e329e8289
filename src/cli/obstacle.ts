/** What a campaign does not get past by itself, for whoever looks at it: until then it only seems to take its time. */
import { statfs } from 'node:fs/promises';
import type { WorkflowExecutionDescription } from '@temporalio/client';

/** Less than any table or result needs; what was being written is gone again when a disk was full. */
const FULL_BYTES = 1024 * 1024;

/** A sentence, with what to do; null where nothing stands in the way, as far as can be seen from here. */
export async function obstacleOf(
  folder: string,
  { raw }: Pick<WorkflowExecutionDescription, 'raw'>,
): Promise<string | null> {
  if (await isFull(folder)) {
    return `The disk of ${folder} is full. Free some space there: it goes on by itself.`;
  }
  // The campaign's own work is little: pages of items, and publishing. Its items have theirs in their own workflows.
  for (const { activityType, lastFailure } of raw.pendingActivities ?? []) {
    const { type } = lastFailure?.applicationFailureInfo ?? {};
    if (!/^(STORE|TREE)_/.test(type ?? '') || !lastFailure?.message) continue;
    return `${activityType?.name ?? 'An activity'} is tried again and again: ${lastFailure.message}`;
  }
  return null;
}

async function isFull(folder: string): Promise<boolean> {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize < FULL_BYTES;
  } catch {
    // It lies on another machine, or is not there yet.
    return false;
  }
}
